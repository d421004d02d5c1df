package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"issues-index/index"
	"issues-index/index/share"
	"issues-index/store"
	"issues-index/store/cachedir"
)

// A duty is the publishing of one folder by this process, from when it has the folder's
// lock until another folder is served in its place. One goroutine uses it.
type duty struct {
	p  *Publisher
	ix *index.Index
	ws *store.Workspace
	db *outbox

	folder   *cachedir.Dir
	lock     *flock.Flock
	identity string // of the workspace's folder
	checkout
	once bool // it is not going to publish what changes later

	distrusted  bool         // what stands at the engine is published again, see Rebuild
	trustedFrom share.Origin // but for what was published from here on

	branch gitState

	line        string // that is published, "" for none
	lease       share.TeamLease
	renew       time.Time // from when it is to be renewed
	tryMain     time.Time // from when the main line is to be tried again
	announced   time.Time
	saidWaiting int // in the last sign of life

	whole      bool   // everything is to be compared with the engine
	tidying    bool   // lines that nobody publishes any more are to be looked for
	generation string // of the index, whose changes up to rev are published
	rev        int64
	live       [index.PathBuckets]int // documents of the line that stand at the engine
	position   uint64                 // of the newest version of the line
	log        share.LogState
	problems   map[string]obstacle
	conflicts  map[string]int    // how often others published a document instead
	strays     map[string]uint64 // positions of messages that are no versions, in the place of documents
	waiting    int
	kept       keptStatus

	published, removed int // since the duty began

	requests chan chan<- flushed
	ended    chan struct{}
	calls    context.CancelFunc // ends the answering of calls to the line
}

// An obstacle is why a document is not published.
type obstacle struct {
	reason   string
	live     bool // an older version stands at the engine
	conflict bool
}

// open begins a duty. The error is a *BusyError while another process has one.
func (p *Publisher) open(ctx context.Context) (*duty, error) {
	ix, release, err := p.Index.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	ws := ix.Workspace()
	if ws.Mirror() {
		return nil, errMirror
	}
	folder, err := openFolder(ws)
	if err != nil {
		return nil, fmt.Errorf("open the folder of what is published: %w", err)
	}
	s := &duty{
		p: p, ix: ix, ws: ws, folder: folder, db: openOutbox(ws), lock: folder.Lock(lockName),
		problems: map[string]obstacle{}, conflicts: map[string]int{}, strays: map[string]uint64{},
		requests: make(chan chan<- flushed), ended: make(chan struct{}), calls: func() {},
	}
	if err := s.begin(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// Somebody who looks whether a process publishes has its lock for a moment.
const (
	lockPatience = 50 * time.Millisecond
	lockRetry    = 5 * time.Millisecond
)

func (s *duty) begin(ctx context.Context) error {
	patient, done := context.WithTimeout(ctx, lockPatience)
	defer done()
	free, err := s.lock.TryLockContext(patient, lockRetry)
	if err != nil && patient.Err() == nil {
		return fmt.Errorf("lock what is published: %w", err)
	}
	if !free {
		who, err := s.db.publisher(ctx)
		if err != nil { // the other process has just begun
			who = BusyError{}
		}
		return &who
	}
	if s.identity, err = s.ws.RootIdentity(); err != nil {
		return err
	}
	return s.register(ctx)
}

// register makes this process the one that publishes the folder.
func (s *duty) register(ctx context.Context) (err error) {
	s.kept = keptStatus{}
	s.checkout, err = s.db.register(ctx, s.identity, s.p.host, os.Getpid())
	return err
}

// close ends the duty. The lease is kept until it lapses: a server that is started again
// goes on with it.
func (s *duty) close() {
	s.calls()
	close(s.ended)
	s.db.close()
	_ = s.lock.Close() // the lock is released in any case
	_ = s.folder.Close()
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

// maxAgain is how often a round begins again because something has changed meanwhile.
const maxAgain = 5

// publish publishes what is to be published, in as many rounds as changes meanwhile ask for.
func (s *duty) publish(ctx context.Context) (err error) {
	for range maxAgain {
		err = s.round(ctx)
		if errors.Is(err, errForgotten) {
			s.compareAgain()
			if err = s.register(ctx); err == nil {
				err = errAgain
			}
		}
		if !errors.Is(err, errAgain) {
			break
		}
	}
	refused := isRefusal(err)
	if refused || errors.Is(err, share.ErrAway) {
		s.countWaiting(ctx)
	}
	s.noteProblems()
	position, line := s.position, s.line
	s.p.note(func(st *PublisherStatus) {
		st.Line, st.Position, st.LastError, st.Refused = line, position, "", refused
		if err != nil {
			st.LastError = err.Error()
		}
	})
	s.keepStatus(ctx)
	return err
}

// isRefusal reports whether an error stays until somebody does something about it.
func isRefusal(err error) bool {
	passing := []error{share.ErrAway, errAgain, errGitBusy, errReplaced, context.Canceled, context.DeadlineExceeded}
	isPassing := func(one error) bool { return errors.Is(err, one) }
	return err != nil && !errors.As(err, new(*HeldLineError)) && !slices.ContainsFunc(passing, isPassing)
}

// round publishes what is to be published now.
func (s *duty) round(ctx context.Context) error {
	ix, release, err := s.p.Index.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if ix != s.ix {
		return errReplaced
	}
	if err := s.branch.look(ctx, s.ws.Root); err != nil {
		return err
	}
	if err := s.holdLine(ctx); err != nil || s.line == "" {
		return err
	}
	if s.whole {
		if err := s.reconcile(ctx); err != nil {
			return err
		}
	}
	found, err := s.compare(ctx)
	if err != nil {
		return err
	}
	s.setWaiting(countDocuments(found.changes))
	if err := s.send(ctx, found.changes); err != nil {
		return err
	}
	s.generation, s.rev = found.generation, found.rev
	s.tidy(ctx)
	return nil
}

// countWaiting counts what is to be published while it cannot be. A line that this process
// never had is compared with what was published before.
func (s *duty) countWaiting(ctx context.Context) {
	if s.line == "" {
		if s.line, s.generation = s.wantedLine(), ""; s.line == "" {
			return
		}
		defer func() { s.line, s.generation = "", "" }()
	}
	if found, err := s.compare(ctx); err == nil {
		s.setWaiting(countDocuments(found.changes))
	}
}

func (s *duty) setWaiting(n int) {
	s.waiting = n
	s.p.noteWaiting(n)
}
