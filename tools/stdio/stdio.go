// Package stdio carries MCP messages over a pair of streams: JSON-RPC, one
// message a line. It stands in for mcp-go's own loop, and hands every message
// to a handler such as tools.Server's HandleMessage.
//
// It knows nothing about tools or documents. Its invariants:
//
//   - the output carries responses, and notifications of calls that are not answered
//     yet, each written whole;
//   - every request that was read is answered exactly once under the very id
//     it came with, unless its client cancels it; whatever else was read gets a
//     JSON-RPC error if it is no notification, and the reading goes on;
//   - initialize is handled before anything after it; everything else runs
//     beside everything else, tool calls and other requests up to a bound each;
//   - requests that wait for their answers take a bounded amount of memory: beyond
//     it nothing more is read until some are answered;
//   - when the input ends or the context is cancelled, what was read is
//     answered before Serve returns, as long as the client reads the answers;
//   - there is no state outside one call of Serve.
package stdio

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// A Handler answers one JSON-RPC message: a request with an
// mcp.JSONRPCResponse or an mcp.JSONRPCError, a notification with nil. It is
// called concurrently, and its context is cancelled when the client cancels.
type Handler func(ctx context.Context, message json.RawMessage) any

// Options configure Serve.
type Options struct {
	Handler  Handler
	MaxLine  int // longest message in bytes; 0 is 32 MiB
	MaxCalls int // tool calls that run at once, and other requests likewise; more wait; 0 is 256
	MaxHeld  int // bytes of requests that wait for their answers; 0 is 16 MiB
	Patience Patience
	Log      *slog.Logger // nil discards
}

// Patience is how long one write may block when the serving is over: a client that
// reads no answers must not keep the server for ever.
type Patience struct {
	AtEnd     time.Duration // of the input; 0 is 5 s
	Cancelled time.Duration // the context; 0 is 1 s
}

const (
	defaultMaxLine  = 32 << 20
	defaultMaxCalls = 256
	defaultMaxHeld  = 16 << 20
)

// ErrBlocked says that the client did not read its answers when the serving was over.
var ErrBlocked = errors.New("the client does not read its answers; those that are left are dropped")

// Serve answers messages until the input ends, ctx is cancelled or the output
// is closed, all three of which are no error. It leaves a goroutine in a Read
// of in, which ends with that Read, and after ErrBlocked one in a Write of out. A
// process that serves its standard streams ignores SIGPIPE, or a closed output
// kills it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	o = o.withDefaults()
	// The calls outlive ctx: they are answered first.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s := &session{
		handler: o.Handler,
		log:     o.Log,
		running: running,
		over:    ctx.Done(),
		out:     newOutput(out),
		room:    make(chan struct{}, 1),
		maxHeld: o.MaxHeld,
		tools:   lane{free: o.MaxCalls},
		others:  lane{free: o.MaxCalls},
		calls:   make(map[string]*call),
	}
	readErr := s.readAll(ctx, in, o.Patience, &splitter{max: o.MaxLine, line: s.receive, tooLong: func() {
		s.reject(nil, invalid("The line is longer than %d bytes.", o.MaxLine))
	}})
	err := s.finish(ctx, o.Patience)
	if failed := s.out.failed(); failed != nil {
		return fmt.Errorf("write output: %w", failed)
	}
	if readErr != nil {
		return fmt.Errorf("read input: %w", readErr)
	}
	return err
}

func (o Options) withDefaults() Options {
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

// readAll splits the input into lines until it ends, ctx is cancelled or the
// output is closed. It reads no further while too much waits for its answers.
func (s *session) readAll(ctx context.Context, in io.Reader, p Patience, lines *splitter) error {
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
			if !s.waitForRoom(ctx, in, p) {
				return nil
			}
		case <-s.out.closed:
			return nil
		case <-ctx.Done():
			select {
			case c := <-chunks: // it was read before
				lines.feed(c.data)
			default:
			}
			return nil
		}
	}
}

// waitForRoom waits while too much is held. It returns false when that is for ever:
// the serving is over, or nobody is left who writes requests or reads answers.
func (s *session) waitForRoom(ctx context.Context, in io.Reader, p Patience) bool {
	for s.full() {
		before := s.out.blockedIn()
		look := time.NewTimer(p.AtEnd)
		select {
		case <-s.room:
		case <-s.out.closed:
			return false
		case <-ctx.Done():
			return false
		case <-look.C:
			// The end of the input cannot be read behind what waits before it.
			if before != 0 && s.out.blockedIn() == before && writersGone(in) {
				return false
			}
		}
		look.Stop()
	}
	return true
}

// finish waits until what was read is answered, the output is closed, or the client
// has read nothing for as long as patience goes.
func (s *session) finish(ctx context.Context, p Patience) error {
	answered := make(chan struct{})
	go func() { s.pending.Wait(); close(answered) }()
	over := ctx.Done()
	for {
		wait := p.AtEnd
		if ctx.Err() != nil {
			over, wait = nil, p.Cancelled
		}
		before := s.out.blockedIn()
		timer := time.NewTimer(wait)
		select {
		case <-answered:
			timer.Stop()
			return nil
		case <-s.out.closed:
			timer.Stop()
			return nil
		case <-over:
			timer.Stop()
		case <-timer.C:
			if before != 0 && s.out.blockedIn() == before {
				return ErrBlocked
			}
		}
	}
}

// A chunk is what one Read gave.
type chunk struct {
	data []byte
	err  error
}

// pump reads in a goroutine of its own, since a Read cannot be interrupted. A
// chunk's data is valid until the next one is received.
func pump(in io.Reader, stop <-chan struct{}) <-chan chunk {
	const size = 64 << 10
	chunks := make(chan chunk)
	go func() {
		// Two buffers: one is read into while the other is looked at.
		buffers := [2][]byte{make([]byte, size), make([]byte, size)}
		for i := 0; ; i++ {
			buffer := buffers[i%2]
			n, err := in.Read(buffer)
			select {
			case chunks <- chunk{buffer[:n], err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return chunks
}
