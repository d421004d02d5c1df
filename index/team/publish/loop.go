package publish

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/mirror"
)

// A publishLoop publishes one folder while it holds the folder's lock. One goroutine uses it.
type publishLoop struct {
	p  *Publisher
	ix *index.Index
	ws *store.Workspace
	db database

	folder   *cachedir.Dir
	lock     *flock.Flock
	identity string // of the workspace's folder
	ownLine  string // the name of the line of this checkout alone
	once     bool   // what changes later is not published

	// Each publication has the origin {epoch, rev}.
	epoch     string
	rev       uint64
	republish bool // what stands at the engine from other origins is published again, see Rebuild

	git gitState

	line             string // that is published, "" for none
	lease            share.TeamLease
	renewAt          time.Time // the lease
	tryMainAt        time.Time // again
	announced        time.Time
	announcedWaiting int

	reconciles bool         // the next round reads what the engine has of the line
	removes    bool         // the next round looks for lines that no machine publishes any more
	published  indexVersion // whose documents are published
	position   uint64       // of the newest version of the line
	documents  int          // of the line that stand at the engine
	log        share.LogState
	problems   map[string]problem // by path
	conflicts  map[string]int     // how often other machines published a document instead
	waiting    int
	saved      savedStatus

	sent, removed int // documents since the loop began

	requests chan chan<- flushed
	ended    chan struct{}
	endCalls context.CancelFunc // ends the answering of calls to the line
}

// An indexVersion is a state of the index.
type indexVersion struct {
	generation string
	rev        int64
}

// A problem is why a document is not published.
type problem struct {
	reason   string
	hash     string // of the file that cannot be published: another one is tried
	conflict bool   // other machines publish the document, whatever the file is
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
	folder, err := openFolder(ws)
	if err != nil {
		return nil, fmt.Errorf("open the folder of what is published: %w", err)
	}
	l := &publishLoop{
		p: p, ix: ix, ws: ws, folder: folder, db: openDatabase(ws), lock: folder.Lock(lockName), epoch: rand.Text(),
		problems: map[string]problem{}, conflicts: map[string]int{},
		requests: make(chan chan<- flushed), ended: make(chan struct{}), endCalls: func() {},
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
		publisher, err := l.db.publisher(ctx)
		if err != nil { // the other process has just begun
			publisher = BusyError{}
		}
		return &publisher
	}
	if l.identity, err = l.ws.RootIdentity(); err != nil {
		return err
	}
	l.ownLine = ownLineName(l.p.host, l.identity)
	return l.register(ctx)
}

// register notes that this process publishes the folder.
func (l *publishLoop) register(ctx context.Context) error {
	l.saved = savedStatus{}
	return l.db.register(ctx, l.identity, l.p.host, os.Getpid())
}

// close ends the loop. The lease is kept until it lapses: a server that is started again goes on
// with it.
func (l *publishLoop) close() {
	l.endCalls()
	close(l.ended)
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

// maxAgain is how often a round begins again because something has changed meanwhile.
const maxAgain = 5

// publish publishes what is to be published, in as many rounds as changes meanwhile ask for.
func (l *publishLoop) publish(ctx context.Context) (err error) {
	for range maxAgain {
		if err = l.round(ctx); errors.Is(err, errForgotten) {
			l.compareAgain()
			if err = l.register(ctx); err == nil {
				err = errAgain
			}
		}
		if !errors.Is(err, errAgain) {
			break
		}
	}
	refused := isRefusal(err)
	if refused || errors.Is(err, share.ErrAway) {
		l.countWaiting(ctx)
	}
	position, line, problems := l.position, l.line, l.publicationProblems()
	l.p.note(func(s *PublisherStatus) {
		s.Line, s.Position, s.Problems, s.LastError, s.Refused = line, position, problems, "", refused
		if err != nil {
			s.LastError = err.Error()
		}
	})
	l.saveStatus(ctx)
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
	if err := l.holdLine(ctx); err != nil || l.line == "" {
		return err
	}
	if l.reconciles {
		if err := l.reconcile(ctx); err != nil {
			return err
		}
	}
	found, err := l.difference(ctx)
	if err != nil {
		return err
	}
	l.setWaiting(countDocuments(found.changes))
	if err := l.send(ctx, found); err != nil {
		return err
	}
	l.published = found.version
	l.removeOldLines(ctx)
	return nil
}

// compareAgain has the next round compare everything with the engine, and try again what could not
// be published.
func (l *publishLoop) compareAgain() {
	l.reconciles, l.removes = true, true
}

// reconcile learns what the engine has of the line. It comes before the first publication on a
// line and is repeated hourly, and so is the sign of life.
func (l *publishLoop) reconcile(ctx context.Context) error {
	if !isMain(l.line) {
		if err := l.keep(ctx, l.line); err != nil {
			return err
		}
	}
	state, err := l.p.Team.LogState(ctx)
	if err != nil {
		return err
	}
	engine, unused, err := l.p.engineHeads(ctx, l.line)
	if err != nil {
		return err
	}
	l.p.note(func(s *PublisherStatus) { s.Unused = unused })
	heads := make(map[string]publishedHead, len(engine))
	l.position, l.documents = 0, 0
	for path, h := range engine {
		l.position = max(l.position, h.Position)
		if !h.Gone && path != mirror.ManifestPath {
			l.documents++
		}
		if l.republish && h.Origin.Epoch != l.epoch {
			h.Hash = share.Hash{}
		}
		heads[path] = headOf(h)
	}
	if err := l.db.replace(ctx, l.line, heads); err != nil {
		return err
	}
	l.log, l.published, l.reconciles = state, indexVersion{}, false
	clear(l.problems)
	clear(l.conflicts)
	return nil
}

// lookAtLog finds out whether the engine's log is an older one than it was: it was restored.
func (l *publishLoop) lookAtLog(ctx context.Context) error {
	if l.line == "" || l.reconciles {
		return nil
	}
	state, err := l.p.Team.LogState(ctx)
	if err != nil {
		return err
	}
	if !state.Born.Equal(l.log.Born) || state.Last < max(l.log.Last, l.position) {
		l.p.Log.Warn("the team's log was set back; everything is compared with it", "workspace", l.p.Workspace)
		l.compareAgain()
	}
	l.log = state
	return nil
}

// countWaiting counts what is to be published while it cannot be. A line that this process
// never had is compared with what was published before.
func (l *publishLoop) countWaiting(ctx context.Context) {
	if l.line == "" {
		if l.line, l.published = l.wantedLine(), (indexVersion{}); l.line == "" {
			return
		}
		defer func() { l.line, l.published = "", indexVersion{} }()
	}
	if found, err := l.difference(ctx); err == nil {
		l.setWaiting(countDocuments(found.changes))
	}
}

func (l *publishLoop) setWaiting(n int) {
	l.waiting = n
	l.p.noteWaiting(n)
}
