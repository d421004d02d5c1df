package publish

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/store"
	"issues-index/store/cachedir"
)

// A publishLoop publishes one folder while it holds the folder's lock. What it says about itself is
// its state: Branch is the branch that is published, "" for none. One goroutine at a time uses it.
type publishLoop struct {
	PublisherStatus

	p  *Publisher
	ix *index.Index
	ws *store.Workspace
	db database

	folder    *cachedir.Dir
	lock      *flock.Flock
	identity  string // of the workspace's folder
	ownBranch string // the name of the branch of this checkout alone
	once      bool   // what changes later is not published
	republish bool   // what stands at the engine from other origins is published again, see Rebuild

	git    gitState
	origin share.Origin // of the last publication

	lease    share.TeamLease    // of the branch
	renewAt  time.Time          // the lease
	endCalls context.CancelFunc // ends the answering of calls to the branch

	reconcileAt time.Time                // what the engine has is read in the next round after it
	isNew       bool                     // the branch was not compared with the engine yet
	heads       map[string]publishedHead // of the branch at the engine, by path, as far as known
	unsaved     map[string]publishedHead // those of heads that the database does not have yet
	others      []string                 // branches that may be abandoned
	published   indexVersion             // whose documents are published
	problems    map[string]problem       // by path
	isLastTry   bool                     // a document in conflict is left to people
	saved       PublisherStatus          // that other processes can read

	sent, removed int // documents since the loop began
}

// An indexVersion is a state of the index.
type indexVersion struct {
	generation string
	rev        int64
	documents  int
}

// A problem is why a document is not published.
type problem struct {
	PublicationProblem
	hash string // of the file that cannot be published; a file of another hash is tried; "" stays until reconcile
}

// Another process that looks at the lock has it for a moment.
const (
	lockPatience = 50 * time.Millisecond
	lockRetry    = 5 * time.Millisecond
)

// open begins a loop. The error is a *BusyError while another process has one.
func (p *Publisher) open(ctx context.Context) (*publishLoop, error) {
	ix, release, err := p.Index.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	ws := ix.Workspace()
	if ws.Mirror() {
		return nil, errMirror
	}
	folder, err := ws.OpenOwnCache()
	if err != nil {
		return nil, fmt.Errorf("open the folder of what is published: %w", err)
	}
	l := &publishLoop{
		PublisherStatus: PublisherStatus{Workspace: p.Workspace},
		p:               p, ix: ix, ws: ws, db: openDatabase(ws), folder: folder, lock: folder.Lock(lockName),
		origin: share.Origin{Epoch: rand.Text()}, problems: map[string]problem{},
		unsaved: map[string]publishedHead{}, endCalls: func() {},
	}
	if err := l.begin(ctx); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *publishLoop) begin(ctx context.Context) error {
	patient, done := context.WithTimeout(ctx, lockPatience)
	defer done()
	free, err := l.lock.TryLockContext(patient, lockRetry)
	if err != nil && patient.Err() == nil {
		return fmt.Errorf("lock what is published: %w", err)
	}
	if !free {
		return l.db.publisher(ctx)
	}
	if l.identity, err = l.ws.RootIdentity(); err != nil {
		return err
	}
	l.ownBranch = ownBranchName(l.p.host, l.identity)
	if err = l.db.register(ctx, l.identity, l.p.host); err == nil {
		l.heads, err = l.db.heads(ctx)
	}
	return err
}

// close ends the loop. The lease is kept until it lapses: a server that is started again goes on
// with it.
func (l *publishLoop) close() {
	l.endCalls()
	_ = l.db.Close()   // it can be opened again
	_ = l.lock.Close() // the lock is released in any case
	_ = l.folder.Close()
}

var (
	errMirror = errors.New("the documents of a hub are copies: the machines that have the files publish them")
	// errReplaced says that another folder is served, or that the layout has changed.
	errReplaced = errors.New("the workspace was opened again")
	// errAgain says that what was compared has changed meanwhile.
	errAgain = errors.New("something has changed while it was being published")
	// errGitBusy says that the files are on their way from one commit to another.
	errGitBusy = errors.New("git is writing to the files: its index is locked")
)

// mostTries is how often a round begins again because something has changed meanwhile.
const mostTries = 3

// publish publishes what is to be published, in as many rounds as changes meanwhile ask for.
func (l *publishLoop) publish(ctx context.Context) (err error) {
	for try := range mostTries {
		l.isLastTry = try == mostTries-1
		if err = l.round(ctx); !errors.Is(err, errAgain) {
			break
		}
	}
	l.LastError, l.Refused = "", isRefusal(err)
	if err != nil {
		l.LastError = err.Error()
	}
	if l.Refused || errors.Is(err, share.ErrAway) {
		l.countWaiting(ctx)
	}
	l.Problems = l.publicationProblems()
	l.save(ctx, nil)
	return err
}

// isRefusal reports whether an error stays until a person ends its cause.
func isRefusal(err error) bool {
	passing := []error{share.ErrAway, errAgain, errGitBusy, errReplaced, context.Canceled, context.DeadlineExceeded}
	isPassing := func(one error) bool { return errors.Is(err, one) }
	return err != nil && !errors.As(err, new(*HeldBranchError)) && !slices.ContainsFunc(passing, isPassing)
}

// round publishes what is to be published now.
func (l *publishLoop) round(ctx context.Context) error {
	ix, release, err := l.p.Index.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if ix != l.ix {
		return errReplaced
	}
	if err := l.git.look(ctx, l.ws.Root); err != nil {
		return err
	}
	if err := l.holdBranch(ctx); err != nil || l.Branch == "" {
		return err
	}
	if !l.p.wall().Before(l.reconcileAt) {
		if err := l.reconcile(ctx); err != nil {
			return err
		}
	}
	found, err := l.difference(ctx)
	if err != nil {
		return err
	}
	l.setWaiting(found.documents())
	if err := l.send(ctx, found); err != nil {
		return err
	}
	l.published = found.version
	l.removeAbandoned(ctx)
	return nil
}

// reconcile learns what the engine has of the branch, and of those that may be abandoned. It comes
// before the first publication on a branch, a minute later, then hourly, and after the engine was
// away. Each time, a branch other than the main one gives a heartbeat.
func (l *publishLoop) reconcile(ctx context.Context) error {
	of := slices.Compact([]string{l.Branch, l.ownBranch})
	if isMain(l.Branch) {
		of = nil
	} else if err := l.beat(ctx); err != nil {
		return err
	}
	stand, others, unused, err := l.p.engineHeads(ctx, l.Branch, of)
	if err != nil {
		return err
	}
	heads := make(map[string]publishedHead, len(stand))
	l.Position = 0
	for path, h := range stand {
		l.Position = max(l.Position, h.Position)
		if l.republish && h.Origin.Epoch != l.origin.Epoch {
			h.Hash = share.Hash{}
		}
		heads[path] = headOf(h)
	}
	if err := l.db.replace(ctx, l.Branch, heads); err != nil {
		return err
	}
	clear(l.unsaved)
	l.heads, l.others, l.Unused = heads, others, unused
	// The machine that had the branch before may still send until its lease has lapsed.
	next := l.p.intervals.reconcile
	if l.isNew {
		next = min(next, leaseLasts)
	}
	l.isNew, l.published, l.reconcileAt = false, indexVersion{}, l.p.wall().Add(next)
	clear(l.problems)
	return nil
}

// countWaiting counts what is to be published while it cannot be, by what was published last.
func (l *publishLoop) countWaiting(ctx context.Context) {
	if l.Branch == "" && l.wantedBranch() == "" {
		return
	}
	if found, err := l.difference(ctx); err == nil {
		l.setWaiting(found.documents())
	}
}

// setWaiting notes how many documents are to be published.
func (l *publishLoop) setWaiting(n int) {
	switch {
	case n == 0:
		l.WaitingSince = time.Time{}
	case l.Waiting == 0:
		l.WaitingSince = l.p.Now()
	}
	l.Waiting = n
}

// save has callers of Status and other processes see the state of the loop, and notes heads of the
// branch that have changed.
func (l *publishLoop) save(ctx context.Context, heads map[string]publishedHead) {
	l.p.set(l.PublisherStatus, false)
	maps.Copy(l.unsaved, heads)
	if err := l.db.save(ctx, l, l.unsaved); err != nil { // the next round tries again
		l.p.Log.Debug("save how the workspace is published", "workspace", l.p.Workspace, "error", err)
		return
	}
	clear(l.unsaved)
}
