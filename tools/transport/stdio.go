package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"time"

	"issues-index/tools"
)

// StdioOptions configure ServeStdio.
type StdioOptions struct {
	Handler  Handler
	MaxLine  int // longest message in bytes; 0 is 32 MiB
	MaxCalls int // tool calls that run at once, and as many other requests; 0 is 256
	MaxHeld  int // bytes of requests that wait for their answers; 0 is 16 MiB
	Patience Patience
	Log      *slog.Logger // nil discards
}

// Patience is how long a write may block once ServeStdio has to end: a client that does not
// read must not keep the server running for ever.
type Patience struct {
	AtEnd     time.Duration // of the input; 0 is 5 s
	Cancelled time.Duration // the context; 0 is 1 s
}

const (
	defaultMaxLine  = 32 << 20
	defaultMaxCalls = 256
	defaultMaxHeld  = 16 << 20

	// maxQuestions is how many requests may wait for the client's answer.
	maxQuestions = 16
)

// ErrBlocked is returned when the client does not read the last answers.
var ErrBlocked = errors.New("the client does not read its answers; those that are left are dropped")

// ServeStdio answers messages, one a line, until the input ends, ctx is cancelled or the output is closed;
// none of these is an error. It leaves a goroutine in a Read of in, which ends with that
// Read, and after ErrBlocked one in a Write of out. A process that serves its standard
// streams must ignore SIGPIPE, or a closed output kills it.
func ServeStdio(ctx context.Context, in io.Reader, out io.Writer, o StdioOptions) error {
	o = o.withDefaults()
	// Calls outlive ctx, because they are answered before ServeStdio returns.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	d := &dispatcher{
		handler: o.Handler,
		log:     o.Log,
		over:    ctx.Done(),
		running: running,
		out:     newLineWriter(out),
		room:    make(chan struct{}, 1),
		maxHeld: o.MaxHeld,
		tools:   lane{free: o.MaxCalls},
		others:  lane{free: o.MaxCalls},
		calls:   make(map[string]*pendingCall),
		asked:   questions{most: maxQuestions},
	}
	d.streaming, d.endStreams = context.WithCancel(running)
	defer d.endStreams()
	d.client = &tools.Client{Life: d.streaming, Notify: d.notify}
	readErr := d.readAll(ctx, in, o.Patience, &splitter{max: o.MaxLine, line: d.receive, tooLong: func() {
		d.reject(nil, tools.InvalidRequest("The line is longer than %d bytes.", o.MaxLine))
	}})
	d.mu.Lock()
	d.unread = true
	d.mu.Unlock()
	d.asked.endAll()
	d.endStreams()
	err := d.finish(ctx, o.Patience)
	if failed := d.out.failed(); failed != nil {
		return fmt.Errorf("write output: %w", failed)
	}
	if readErr != nil {
		return fmt.Errorf("read input: %w", readErr)
	}
	return err
}

func (o StdioOptions) withDefaults() StdioOptions {
	o.MaxLine = cmp.Or(o.MaxLine, defaultMaxLine)
	o.MaxCalls = cmp.Or(o.MaxCalls, defaultMaxCalls)
	o.MaxHeld = cmp.Or(o.MaxHeld, defaultMaxHeld)
	o.Patience.AtEnd = cmp.Or(o.Patience.AtEnd, 5*time.Second)
	o.Patience.Cancelled = cmp.Or(o.Patience.Cancelled, time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// readAll splits the input into lines until it ends, ctx is cancelled or the output is
// closed. It pauses while waiting requests take too much memory.
func (d *dispatcher) readAll(ctx context.Context, in io.Reader, p Patience, lines *splitter) error {
	stop := make(chan struct{})
	defer close(stop)
	chunks := pump(in, stop)
	for {
		select {
		case c := <-chunks:
			lines.feed(c.data)
			if errors.Is(c.err, io.EOF) {
				lines.end()
				return nil
			}
			if c.err != nil {
				return c.err
			}
			if !d.waitForRoom(ctx, in, p) {
				return nil
			}
		case <-d.out.closed:
			return nil
		case <-ctx.Done():
			select {
			case c := <-chunks: // it was read before the end
				lines.feed(c.data)
			default:
			}
			return nil
		}
	}
}

// waitForRoom waits while waiting requests take too much memory. It returns false when
// ServeStdio has to end, or when the client neither writes requests nor reads answers any
// more.
func (d *dispatcher) waitForRoom(ctx context.Context, in io.Reader, p Patience) bool {
	for d.full() {
		before := d.out.blockedIn()
		look := time.NewTimer(p.AtEnd)
		select {
		case <-d.room:
		case <-d.out.closed:
			return false
		case <-ctx.Done():
			return false
		case <-look.C:
			// The end of the input cannot be read: there are unread requests before it.
			if before != 0 && d.out.blockedIn() == before && writersGone(in) {
				return false
			}
		}
		look.Stop()
	}
	return true
}

// finish waits until all requests are answered, the output is closed, or a write has
// blocked for longer than p allows.
func (d *dispatcher) finish(ctx context.Context, p Patience) error {
	answered := make(chan struct{})
	go func() { d.pending.Wait(); close(answered) }()
	over := ctx.Done()
	for {
		wait := p.AtEnd
		if ctx.Err() != nil {
			over, wait = nil, p.Cancelled
		}
		before := d.out.blockedIn()
		timer := time.NewTimer(wait)
		select {
		case <-answered:
			timer.Stop()
			return nil
		case <-d.out.closed:
			timer.Stop()
			return nil
		case <-over:
			timer.Stop()
		case <-timer.C:
			if before != 0 && d.out.blockedIn() == before {
				return ErrBlocked
			}
		}
	}
}

// A readResult is what one Read gave.
type readResult struct {
	data []byte
	err  error
}

// pump reads in its own goroutine, because a Read cannot be interrupted. The data of a
// result is valid until the next one is received.
func pump(in io.Reader, stop <-chan struct{}) <-chan readResult {
	const size = 64 << 10
	chunks := make(chan readResult)
	go func() {
		// Two buffers: one is filled while the other is processed.
		buffers := [2][]byte{make([]byte, size), make([]byte, size)}
		for i := 0; ; i++ {
			buffer := buffers[i%2]
			n, err := in.Read(buffer)
			select {
			case chunks <- readResult{buffer[:n], err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
			// What was read is worked on by this thread, and the next Read blocks another one: else the
			// work would wait until another thread has woken up.
			runtime.Gosched()
		}
	}()
	return chunks
}
