package telemetry

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"issues-index/store/cachedir"
	"issues-index/tools"
)

// Settings are what an operator sets.
type Settings struct {
	Enabled    bool
	MaxAge     time.Duration // of a call on record
	MaxSize    int64         // of the file, in bytes
	SampleRate float64       // share of the calls whose tokens are counted
}

// DefaultSettings are those of a server that is told nothing.
func DefaultSettings() Settings {
	return Settings{Enabled: true, MaxAge: 30 * 24 * time.Hour, MaxSize: 50_000_000, SampleRate: 0.01}
}

// Options say how to record.
type Options struct {
	// Place returns the folder that the file is to be in, which the recorder closes,
	// and its name. It may take its time: it is asked in the background each time the
	// file is opened.
	Place func(context.Context) (*cachedir.Dir, string, error)
	// Settings returns those of the moment; nil is [DefaultSettings]. It is asked
	// at each call.
	Settings func() Settings
	Log      *slog.Logger     // nil discards
	Now      func() time.Time // nil is time.Now

	pragmas []string // for the writer, in tests
}

// The bounds of what a recorder holds and waits for.
const (
	maxClient    = 100                    // bytes of a client's name, which is its own choice
	queueSize    = 4096                   // calls that wait to be written; those beyond are dropped
	sampleSize   = 16                     // calls that wait to be counted; those beyond are written uncounted
	flushDelay   = 500 * time.Millisecond // how long a call waits for others to be written with it
	closeTimeout = 700 * time.Millisecond // how long Close waits for what is queued
)

// A Recorder writes calls to a telemetry file, in the background. It is safe for
// concurrent use.
type Recorder struct {
	settings func() Settings
	now      func() time.Time
	place    func(context.Context) (*cachedir.Dir, string, error)

	queue   chan entry
	samples chan sample
	flushes chan chan struct{}
	closing chan struct{}
	life    context.Context
	end     context.CancelFunc
	once    sync.Once
	done    chan struct{} // closed when the writer has ended

	recorded, written, dropped, lost atomic.Int64
	problem                          atomic.Pointer[string]
}

// New starts a recorder. It opens no file before there is something to write.
func New(options Options) *Recorder {
	r := &Recorder{
		settings: options.Settings, now: options.Now, place: options.Place,
		queue: make(chan entry, queueSize), samples: make(chan sample, sampleSize),
		flushes: make(chan chan struct{}), closing: make(chan struct{}), done: make(chan struct{}),
	}
	r.life, r.end = context.WithCancel(context.Background())
	if r.now == nil {
		r.now = time.Now
	}
	if r.settings == nil {
		r.settings = DefaultSettings
	}
	log := options.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	w := &writer{Recorder: r, log: log, pragmas: options.pragmas, n: int64(rand.Uint32N(1 << 22))}
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		r.count(&tokenizer{}, log)
	}()
	go func() {
		defer close(r.done)
		w.run(counted)
	}()
	return r
}

// Record takes a call. It does not wait for anything, and nothing that goes wrong
// is seen here.
func (r *Recorder) Record(call tools.Call) {
	settings := r.settings()
	if !settings.Enabled {
		return
	}
	r.recorded.Add(1)
	call.Original = max(call.Original, call.Bytes)
	call.Oversized = call.Oversized || call.Over
	call.Client = call.Client[:min(len(call.Client), maxClient)]
	if call.Outcome == "" {
		call.Outcome = tools.OutcomePlain
	}
	text := call.Text
	call.Text = nil // the answer must not be kept by the queue
	if text != nil && rand.Float64() < settings.SampleRate {
		select {
		case r.samples <- sample{entry: entry{Call: call}, text: text}:
			return
		default: // too many at once: it is kept uncounted
		}
	}
	r.enqueue(entry{Call: call})
}

func (r *Recorder) enqueue(e entry) {
	select {
	case r.queue <- e:
	default:
		r.dropped.Add(1)
	}
}

// Flush returns when what was recorded before is written, or cannot be.
func (r *Recorder) Flush(ctx context.Context) error {
	written := make(chan struct{})
	select {
	case r.samples <- sample{flush: written}:
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-written:
	case <-r.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Close writes what is queued and ends the recorder. It waits no longer than
// closeTimeout; what is not written then is lost.
func (r *Recorder) Close() {
	r.once.Do(func() { close(r.closing) })
	select {
	case <-r.done:
	case <-time.After(closeTimeout):
	}
	r.end()
}

func (r *Recorder) isClosing() bool {
	select {
	case <-r.closing:
		return true
	default:
		return false
	}
}

// A State is how a recorder does.
type State struct {
	Enabled  bool
	Recorded int64 // calls since it began
	Written  int64
	Dropped  int64  // they came faster than they could be written
	Lost     int64  // the file could not be written to
	Problem  string // why, "" when it can be
}

// State tells how it does.
func (r *Recorder) State() State {
	s := State{
		Enabled: r.settings().Enabled, Recorded: r.recorded.Load(), Written: r.written.Load(),
		Dropped: r.dropped.Load(), Lost: r.lost.Load(),
	}
	if problem := r.problem.Load(); problem != nil {
		s.Problem = *problem
	}
	return s
}

// Beside is where the telemetry of an index lies: telemetry.db beside the one of
// a workspace's own, and NAME.telemetry.db beside NAME.db.
func Beside(index string) string {
	dir, name := filepath.Split(index)
	if name == "issues-index.db" {
		return filepath.Join(dir, "telemetry.db")
	}
	if ext := filepath.Ext(name); ext == ".db" {
		name = name[:len(name)-len(ext)]
	}
	return filepath.Join(dir, name+".telemetry.db")
}
