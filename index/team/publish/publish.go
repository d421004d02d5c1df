// Package publish keeps the documents of one workspace published to a team: their files go to
// the team's engine as they change.
//
// It knows nothing about the engine, MCP or the readers of what is published. Its invariants:
//   - What is to be published is a difference, between the files and what the engine has. No
//     queue can be lost: whatever is forgotten, or killed in between, is found again.
//   - One process publishes a folder at a time, and a branch is published by the machine that
//     has its lease.
//   - The bytes that are published are those whose hash goes with them.
//   - A document that cannot be published keeps no other back.
//   - Another checkout's branch is removed only under its lease, by the machine with the main branch,
//     and when it has had no heartbeat for 14 days. Nothing is published on a branch other than the
//     main one before its heartbeat stands at the engine, which counts the time.
package publish

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// Options say what is published, and to whom.
type Options struct {
	Team      share.Team
	Index     *index.Current
	Workspace string // by which name the team knows it, as mirror.IsName has it
	// Branch is the name of the branch that is published. "" is the main branch for a checkout of
	// the default branch, as long as no other machine publishes it, and for others a branch of
	// their own.
	Branch string
	// MainOnly leaves the branch of their own out: nothing but the main branch is published.
	MainOnly bool
	Version  string // of the program, for the team to see
	// Answer answers calls to the branch, if it is not nil.
	Answer func(ctx context.Context, request []byte) []byte
	// Log defaults to no log.
	Log *slog.Logger
	// Now defaults to time.Now.
	Now func() time.Time
}

// A Publisher publishes one workspace. Its methods may be called from several goroutines at
// once.
type Publisher struct {
	Options
	host      string
	intervals intervals

	turn chan struct{} // has a value while a goroutine uses the loop
	loop *publishLoop  // that publishes now, nil for none

	mu     sync.Mutex
	status PublisherStatus
	isBusy bool // another process publishes the folder
}

// The intervals say how often something is done.
type intervals struct {
	tick      time.Duration // the longest pause between rounds: leases, git, what differs
	reconcile time.Duration // a comparison with all that the engine has
	retry     time.Duration // the first try after a failure; each further one waits twice as long
	maxRetry  time.Duration
	reopen    time.Duration // a look whether the workspace can be published now
	abandoned time.Duration // how long a branch stays without a heartbeat
}

// usual are the intervals outside of tests. A tick is a third of the time of a lease and of a
// presence, so that a renewal may be late.
var usual = intervals{
	tick: 20 * time.Second, reconcile: time.Hour, retry: 100 * time.Millisecond, maxRetry: 10 * time.Second,
	reopen: 2 * time.Second, abandoned: 14 * 24 * time.Hour,
}

// New returns a publisher that does nothing yet.
func New(o Options) *Publisher {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return &Publisher{
		Options: o, host: cmp.Or(host, "machine"), intervals: usual, turn: make(chan struct{}, 1),
		status: PublisherStatus{Workspace: o.Workspace},
	}
}

// branch is a branch of the workspace.
func (p *Publisher) branch(name string) mirror.Branch {
	return mirror.Branch{Workspace: p.Workspace, Name: name}
}

// wall is the time by the clock on the wall, which goes on while a machine sleeps.
func (p *Publisher) wall() time.Time { return p.Now().Round(0) }
