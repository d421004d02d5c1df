// Package stdio carries MCP messages over a pair of streams: JSON-RPC, one
// message a line. It stands in for mcp-go's own loop, and hands every message
// to a handler such as tools.Server's HandleMessage.
//
// It knows nothing about tools or documents. Its invariants:
//
//   - the output carries responses only, each written whole;
//   - every request that was read is answered exactly once under the very id
//     it came with, unless its client cancels it; whatever else was read gets a
//     JSON-RPC error if it is no notification, and the reading goes on;
//   - initialize is handled before anything after it; everything else runs
//     beside everything else, and only the number of tool calls is bounded;
//   - when the input ends or the context is cancelled, what was read is
//     answered before Serve returns;
//   - there is no state outside one call of Serve.
package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// A Handler answers one JSON-RPC message: a request with an
// mcp.JSONRPCResponse or an mcp.JSONRPCError, a notification with nil. It is
// called concurrently, and its context is cancelled when the client cancels.
type Handler func(ctx context.Context, message json.RawMessage) any

// Options configure Serve.
type Options struct {
	Handler  Handler
	MaxLine  int          // longest message in bytes; 0 is 32 MiB
	MaxCalls int          // tool calls that run at once, more wait; 0 is 256
	Log      *slog.Logger // nil discards
}

const (
	defaultMaxLine  = 32 << 20
	defaultMaxCalls = 256
)

// Serve answers messages until the input ends, ctx is cancelled or the output
// is closed, all three of which are no error. It leaves a goroutine in a Read
// of in, which ends with that Read. A process that serves its standard streams
// ignores SIGPIPE, or a closed output kills it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if o.MaxLine == 0 {
		o.MaxLine = defaultMaxLine
	}
	if o.MaxCalls == 0 {
		o.MaxCalls = defaultMaxCalls
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	// The calls outlive ctx: they are answered first.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s := &session{
		handler: o.Handler,
		log:     o.Log,
		running: running,
		out:     newOutput(out),
		slots:   make(chan struct{}, o.MaxCalls),
		calls:   make(map[string]*call),
	}
	readErr := s.readAll(ctx, in, &splitter{max: o.MaxLine, line: s.receive, tooLong: func() {
		s.reject(nil, invalid("The line is longer than %d bytes.", o.MaxLine))
	}})

	answered := make(chan struct{})
	go func() { s.pending.Wait(); close(answered) }()
	select {
	case <-answered:
	case <-s.out.closed:
	}
	if err := s.out.failed(); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	if readErr != nil {
		return fmt.Errorf("read input: %w", readErr)
	}
	return nil
}

// readAll splits the input into lines until it ends, ctx is cancelled or the
// output is closed.
func (s *session) readAll(ctx context.Context, in io.Reader, lines *splitter) error {
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
