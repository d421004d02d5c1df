// Package telemetry records the calls that a server answers, in an SQLite file on
// this machine, and answers questions about them.
//
// It knows nothing of MCP, of documents or of how an answer is made. Its
// invariants:
//
//   - recording never waits and never fails: calls that cannot be written are dropped, with
//     one line in the log;
//   - arguments of calls and texts of documents are never recorded;
//   - the file is bounded by age and by size, and several processes may write
//     to it;
//   - every figure comes from one table with a row for each call.
package telemetry

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"issues-index/index/sqlfile"
	"issues-index/store/cachedir"
	"issues-index/tools"
)

// RecorderSettings are what an operator sets.
type RecorderSettings struct {
	Enabled    bool
	MaxAge     time.Duration // of a recorded call
	MaxSize    int           // of the file, in bytes
	SampleRate float64       // share of the calls whose tokens are counted
}

// Options configure a [Recorder].
type Options struct {
	// Place returns the folder of the file, which the recorder closes, and the
	// file's name. It is called in the background each time the file is opened, and
	// may block.
	Place func(context.Context) (*cachedir.Dir, string, error)
	// Settings returns the current settings. It is called for each call.
	Settings func() RecorderSettings
	Log      *slog.Logger     // nil discards
	Now      func() time.Time // nil is time.Now

	pragmas []string // for the writer, in tests
}

// Limits on what a recorder keeps in memory and how long it waits.
const (
	maxClient    = 100                    // bytes of a client's name, which the client chooses
	queueSize    = 4096                   // calls that wait to be written; further ones are dropped
	maxTexts     = 128                    // queued calls from which on no tokens are counted: answers fill the memory
	flushDelay   = 500 * time.Millisecond // how long a call waits for others to be written with it
	closeTimeout = 700 * time.Millisecond // how long Close waits for queued calls
)

// A callRecord is a call with its tokens.
type callRecord struct {
	tools.Call
	n          int64 // distinguishes calls of the same millisecond
	realTokens int   // counted by a tokenizer; 0 when they were not counted
}

// estimateError returns how far off the estimated tokens are, in thousandths of the
// counted ones.
func (c *callRecord) estimateError() int {
	if c.realTokens == 0 {
		return 0
	}
	return (c.Tokens - c.realTokens) * 1000 / c.realTokens
}

// A Recorder writes calls to a telemetry file, in the background. It is safe for
// concurrent use.
type Recorder struct {
	settings func() RecorderSettings
	now      func() time.Time

	mu     sync.Mutex
	queued []tools.Call
	texts  int // of queued calls

	// arrived tells the writer of the first call of a queue, and of one that fills a batch: to be told
	// of each would wake a thread for each.
	arrived chan struct{}
	flushes chan chan struct{}
	closing chan struct{}
	life    context.Context
	end     context.CancelFunc
	once    sync.Once
	done    chan struct{} // closed when the writer has ended
}

// New starts a recorder. It opens no file before there is a call to write.
func New(options Options) *Recorder {
	r := &Recorder{
		settings: options.Settings, now: options.Now,
		arrived: make(chan struct{}, 1), flushes: make(chan chan struct{}),
		closing: make(chan struct{}), done: make(chan struct{}),
	}
	r.life, r.end = context.WithCancel(context.Background())
	if r.now == nil {
		r.now = time.Now
	}
	log := options.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	w := &queueWriter{Recorder: r, log: log, n: int64(rand.Uint32N(1 << 22))}
	w.keeper = sqlfile.Keeper{Format: format, Place: options.Place, MovedAside: func(path, kept string, reason error) {
		log.Warn("the telemetry file was damaged, a new one is begun", "path", path, "kept", kept, "error", reason)
	}}
	w.keeper.Pragmas = options.pragmas
	go func() {
		defer close(r.done)
		w.run()
	}()
	return r
}

// Record records a call. It never blocks, and never reports a failure.
func (r *Recorder) Record(call tools.Call) {
	settings := r.settings()
	if !settings.Enabled {
		return
	}
	call.Original = max(call.Original, call.Bytes)
	call.Oversized = call.Oversized || call.Over
	call.Client = call.Client[:min(len(call.Client), maxClient)]
	if call.Outcome == "" {
		call.Outcome = tools.OutcomePlain
	}
	if rand.Float64() >= settings.SampleRate {
		call.Text = nil
	}
	if n := r.enqueue(call); n == 1 || n == maxBatch {
		select {
		case r.arrived <- struct{}{}:
		default: // the writer is about to look
		}
	}
}

// enqueue adds a call to the queue and returns how many wait, 0 where they come faster than they can
// be written.
func (r *Recorder) enqueue(call tools.Call) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queued) >= queueSize {
		return 0
	}
	if call.Text != nil {
		if r.texts++; r.texts > maxTexts {
			call.Text = nil
		}
	}
	r.queued = append(r.queued, call)
	return len(r.queued)
}

// dequeue empties the queue.
func (r *Recorder) dequeue() []tools.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	queued := r.queued
	r.queued, r.texts = nil, 0
	return queued
}

// Flush waits until the calls recorded so far are written, or cannot be.
func (r *Recorder) Flush(ctx context.Context) error {
	written := make(chan struct{})
	select {
	case r.flushes <- written:
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

// Close writes the queued calls and stops the recorder. Calls that cannot be written
// within closeTimeout are lost.
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

// PathFor returns the path of the telemetry file for an index file: telemetry.db next
// to the index inside a workspace, and NAME.telemetry.db next to any other NAME.db.
func PathFor(index string) string {
	dir, name := filepath.Split(index)
	if name == "issues-index.db" {
		return filepath.Join(dir, "telemetry.db")
	}
	if ext := filepath.Ext(name); ext == ".db" {
		name = name[:len(name)-len(ext)]
	}
	return filepath.Join(dir, name+".telemetry.db")
}
