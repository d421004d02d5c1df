package publish

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"issues-index/index/team/share"
)

// A PublisherStatus is what a publisher says about itself.
type PublisherStatus struct {
	Workspace string `json:"workspace"`
	Branch    string `json:"line,omitempty"` // that is published, "" for none
	// Idle says why nothing is published, "" while something is.
	Idle string `json:"idle,omitempty"`
	// MainHolder is the other machine that publishes the main branch, "" for none.
	MainHolder string    `json:"mainHolder,omitempty"`
	Connected  bool      `json:"connected"`
	Since      time.Time `json:"since,omitzero"`   // connected, or not
	Reason     string    `json:"reason,omitempty"` // why not connected
	// Waiting is how many documents are to be published, WaitingSince from when there were some.
	Waiting      int       `json:"waiting"`
	WaitingSince time.Time `json:"waitingSince,omitzero"`
	Position     uint64    `json:"position"` // of the newest version of the branch
	// Published is when the last version was published.
	Published time.Time            `json:"published,omitzero"`
	Problems  []PublicationProblem `json:"problems,omitempty"`
	// Unused are messages in the place of documents of the branch that are no versions, the oldest
	// ones when there are many. They are skipped.
	Unused    []UnusedMessage `json:"unused,omitempty"`
	LastError string          `json:"lastError,omitempty"` // "" when the last try went well
	// Refused says that LastError stays until a person ends its cause, and that nothing is
	// published until then.
	Refused bool `json:"refused,omitempty"`
	// Process is the process that publishes the workspace's folder, nil when it is this one.
	Process *PublishingProcess `json:"process,omitempty"`
}

// A PublicationProblem says why a document is not published as its file is.
type PublicationProblem struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// Conflict says that another machine publishes other versions of the document.
	Conflict bool `json:"conflict,omitempty"`
}

// An UnusedMessage is a message at the engine that is skipped.
type UnusedMessage struct {
	Branch   string `json:"line"`           // of a workspace, as far as it is known
	Path     string `json:"path,omitempty"` // likewise
	Position uint64 `json:"position"`
	Reason   string `json:"reason"` // such as "its hash is not one"
}

// Status returns the state of the publisher.
func (p *Publisher) Status() PublisherStatus {
	connection := p.Team.Connection()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.status
	s.Connected, s.Since, s.Reason = connection.Connected, connection.Since, connection.Reason
	return s
}

// set has Status return a state. Where another process publishes the folder, FolderStatus asks that
// one.
func (p *Publisher) set(s PublisherStatus, isBusy bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status, p.isBusy = s, isBusy
}

// publicationProblems are the problems by path.
func (l *publishLoop) publicationProblems() []PublicationProblem {
	all := make([]PublicationProblem, 0, len(l.problems))
	for _, p := range l.problems {
		all = append(all, p.PublicationProblem)
	}
	slices.SortFunc(all, func(a, b PublicationProblem) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

// A BusyError says that another process publishes the workspace.
type BusyError struct {
	Host string
	PID  int
}

func (e *BusyError) Error() string {
	if e.PID == 0 {
		return "another process publishes this workspace"
	}
	return fmt.Sprintf("process %d on %s publishes this workspace", e.PID, e.Host)
}

// A HeldBranchError says that another machine publishes the branch.
type HeldBranchError struct {
	Branch string
	Lease  share.TeamLease
}

func (e *HeldBranchError) Error() string {
	return fmt.Sprintf("the line %s is published by %s", e.Branch, e.Lease.Holder)
}
