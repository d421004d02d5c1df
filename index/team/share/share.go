// Package share is what the machines of a team share through an engine of theirs: the versions
// of their documents in one order, leases, numbers, and calls from one machine to another.
//
// It knows nothing about the index or MCP, and of the engine only the headers of messages, which are
// written and read in message.go. Package nats is the one implementation; sharetest has a fake and
// the tests that both pass. Its invariants:
//   - The files are the truth. Everything shared can be lost and published again.
//   - A decision is made by comparing and setting at the engine, never by what was read.
//   - While the engine is away, calls fail at once with ErrAway. Nothing is kept to be sent
//     later by itself.
package share

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"time"

	"issues-index/store/mirror"
)

var (
	// ErrAway says that the engine could not be reached, or did not answer in time: whether
	// it has done what was asked is not known.
	ErrAway = errors.New("the team's engine cannot be reached")
	// ErrUnreached is an ErrAway: there is no connection, and nothing was asked.
	ErrUnreached = fmt.Errorf("%w", ErrAway)
	// ErrForbidden says that the credentials do not allow it.
	ErrForbidden = errors.New("the team's engine does not allow this with these credentials")
	// ErrTooLarge says that a document is larger than MaxDocument or, packed, than MaxPacked.
	ErrTooLarge = errors.New("it is too large to be shared: more than 16 MiB, or than 1,000,000 bytes when it is " +
		"packed; split the document, or link files in place of what is large in it")
	// ErrLost says that a lease is no longer held: it has lapsed, or another has taken it.
	ErrLost = errors.New("the lease is no longer held")
	// ErrBusy says that the machine with the branch's files has as many calls waiting as it takes, and
	// did not do this one.
	ErrBusy = errors.New("the machine with these files has too many calls waiting")
	// ErrNoOwner says that no machine serves the branch's files at the moment.
	ErrNoOwner = errors.New("no machine with these files is connected")
)

const (
	// MaxDocument is the most bytes of a document that is shared: larger files are not read.
	MaxDocument = 16 << 20
	// MaxPacked is the most bytes of a packed document. A server of the engine takes messages of 1
	// MiB, with their headers.
	MaxPacked = 1_000_000
	// MaxBatchBytes is the most that the documents have together that Follow yields at once. Each
	// may have MaxDocument, whatever of that the engine keeps.
	MaxBatchBytes = 2 * MaxDocument
)

// A Hash is the first half of the SHA-256 of a file's bytes.
type Hash [16]byte

// HashOf returns the hash of a file's bytes.
func HashOf(data []byte) Hash {
	sum := sha256.Sum256(data)
	return Hash(sum[:16])
}

// An Origin tells one publication from all others. The same message sent twice is stored once.
type Origin struct {
	Epoch string // random, new each time a publisher begins
	Rev   uint64 // counts the publications of the epoch
}

// A DocumentVersion is one state of one document.
type DocumentVersion struct {
	Branch mirror.Branch
	Path   string // in the workspace, slash-separated
	Origin Origin
	Fence  uint64 // of the branch's lease, for older programs: this one neither reads nor checks it
	Commit string // that was checked out, "" when not known
	Gone   bool   // the document was deleted: there is no Data
	Data   []byte // of the file
	Hash   Hash   // of Data
	// Replaces is the position of the version that this one takes the place of, 0 for none.
	// When another stands there, Publish fails with a *VersionConflictError: so a holder whose lease
	// is lost overwrites nothing newer.
	Replaces uint64
	// Position is the place in the order of all versions, from 1; 0 before it is published.
	Position uint64
}

// ID names the publication.
func (v DocumentVersion) ID() string {
	return fmt.Sprintf("%s/%s/%s/%d", v.Branch.Workspace, v.Branch.Name, v.Origin.Epoch, v.Origin.Rev)
}

// An Ack is what became of the publication of one version.
type Ack struct {
	Position uint64 // where it stands now
	Err      error  // ErrAway, a *VersionConflictError, ErrForbidden, ErrTooLarge or another
}

// A VersionConflictError says that another machine has published a version since.
type VersionConflictError struct {
	Stands DocumentVersion // without its Data; its Position is 0 when no version stands there
}

func (e *VersionConflictError) Error() string {
	const published = "another machine has published this document since"
	return fmt.Sprintf("%s: version %d of %s stands", published, e.Stands.Position, e.Stands.Path)
}

// Pause waits, such as between two tries. The error is that of ctx.
func Pause(ctx context.Context, lasts time.Duration) error {
	select {
	case <-time.After(lasts):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// A LogState tells how far the order of versions has come.
type LogState struct {
	Last uint64    // position of the newest version, 0 for none
	Born time.Time // when the log was made: another time is another log
}

// A BranchSelection is which branches are meant: all workspaces when none is named, all branches when
// Branches is nil.
type BranchSelection struct {
	Workspaces []string
	Branches   []string
	// Refused, if not nil, is told of each message there that is no version. Such a message is
	// left out.
	Refused func(*MessageError)
}

// Refuse tells of a message that is left out.
func (of BranchSelection) Refuse(e *MessageError) {
	if of.Refused != nil {
		of.Refused(e)
	}
}

// A MessageError reports a message that is not a version: a path that does not belong to
// its place, another hash, too many bytes, a format that is not known.
type MessageError struct {
	Branch   mirror.Branch // as far as it is known
	Path     string        // likewise
	Position uint64
	Reason   string
}

func (e *MessageError) Error() string {
	return fmt.Sprintf("message %d of %s is not used: %s", e.Position, e.Branch, e.Reason)
}

// A TeamLease is what one owner alone has for some time: a clone has a claim, a checkout a branch.
// Nonce says which owner, Holder says it for people.
type TeamLease struct {
	Workspace string    `json:"-"`
	Key       string    `json:"key"`    // such as the folded id of a document, or line-main
	Holder    string    `json:"holder"` // in the words of people
	Nonce     string    `json:"nonce"`  // tells the owner, who may take the lease again, from all others
	Since     time.Time `json:"since"`
	Until     time.Time `json:"until"` // by the clock of the holder: for people
	Fence     uint64    `json:"-"`     // larger than that of each lease of the key before it
}

// BranchLeaseKey is the key of the lease of a branch: its holder publishes the branch.
func BranchLeaseKey(branch string) string { return "line-" + branch }

// A HeldError says which holder has a lease.
type HeldError struct{ Lease TeamLease }

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s is held by %s", e.Lease.Key, e.Lease.Holder)
}

// A Presence says that a machine publishes a branch. It is gone a minute after it was announced. Its
// texts come from any user of the engine.
type Presence struct {
	Branch  mirror.Branch `json:"-"`
	Machine string        `json:"machine"`
	Version string        `json:"version"` // of the program
	Commit  string        `json:"commit,omitempty"`
	Waiting int           `json:"waiting"` // documents that are to be published
	At      time.Time     `json:"-"`       // when the engine got it
}

// A ConnectionState tells whether the engine can be reached.
type ConnectionState struct {
	Connected bool
	Since     time.Time // of this state
	Server    string    // name of the node, or of the last node while away
	Reason    string    // why it is away, "" while connected
}

// A Team is a connection to the engine of a team. Its methods may be called from several
// goroutines at once. A method that returns an error returns ErrAway, ErrForbidden or that of the
// context; where there are others, it names them.
type Team interface {
	// The newest version of each document is kept, in one order over all workspaces.

	// Publish publishes versions, and returns what became of each in the same order. A
	// version that stands already is acknowledged again; an overtaken one is refused.
	Publish(ctx context.Context, versions []DocumentVersion) []Ack
	// Heads yields the newest versions of all documents of the selected branches without their Data,
	// deleted ones among them, in the order of their positions. A member of a cluster has the right to
	// ask for all branches of its workspace, or for one; a hub may ask for any.
	Heads(ctx context.Context, of BranchSelection) iter.Seq2[DocumentVersion, error]
	// Follow yields versions after a position in their order, as many at a time as have
	// come, at most 500 and MaxBatchBytes, and waits for more until the context ends. Versions
	// that were replaced before they were read are left out. An empty batch says that all up to
	// now were yielded, or that there is nothing new. After an error Follow ends.
	Follow(ctx context.Context, after uint64, of BranchSelection) iter.Seq2[[]DocumentVersion, error]
	// LogState returns how far the order has come.
	LogState(ctx context.Context) (LogState, error)

	// Leases are given to one holder at a time. The engine counts their time.

	// Take takes a lease for a time. Errors: *HeldError, ErrAway, ErrForbidden. A lease whose
	// Nonce is that of the lease that is held already is renewed.
	Take(ctx context.Context, l TeamLease, lasts time.Duration) (TeamLease, error)
	// Renew makes a lease last from now. Its Fence is that which Take, Renew or Lease returned for
	// this Nonce: the lease with that fence is replaced unread. Errors: ErrLost, ErrAway, ErrForbidden.
	Renew(ctx context.Context, l TeamLease, lasts time.Duration) (TeamLease, error)
	// Release gives a lease back. It does nothing when the lease is not held any more.
	Release(ctx context.Context, l TeamLease) error
	// Lease returns the lease of a key that stands now, a zero one for none.
	Lease(ctx context.Context, workspace, key string) (TeamLease, error)

	// NextNumber returns a number of a series of a workspace that was never given out, at
	// least atLeast.
	NextNumber(ctx context.Context, workspace, series string, atLeast int) (int, error)

	// Calls go to a machine that serves a branch's files.

	// ServeCalls answers calls to a branch until the context ends. One of the machines that
	// serve a branch gets each call.
	ServeCalls(ctx context.Context, branch mirror.Branch, answer func(ctx context.Context, request []byte) []byte) error
	// Call sends a request once and returns the answer. Errors: ErrNoOwner, ErrUnreached,
	// ErrBusy, ErrAway, ErrForbidden; a context without a deadline has one of 30 s.
	Call(ctx context.Context, branch mirror.Branch, request []byte) ([]byte, error)

	// Announce says that this machine publishes a branch. That counts for a minute, see Presence.
	Announce(ctx context.Context, p Presence) error
	// Presences returns which machines have announced that within the last minute.
	Presences(ctx context.Context) ([]Presence, error)

	// Connection returns the state of the connection.
	Connection() ConnectionState
	// Reconnected returns a channel that receives a value after the engine was away, when it
	// can be reached again. It was not away where the connection goes on at another node.
	Reconnected() (again <-chan struct{}, done func())
	// Close ends the connection.
	Close() error
}
