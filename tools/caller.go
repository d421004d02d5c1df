package tools

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A Caller is who sends a message over a transport that many clients share. A server keeps
// no state of such a client: what it has to know of one comes with every message. A
// transport of one client, such as standard input, has no Caller.
type Caller struct {
	// Client is who it says it is; a request that says so itself goes before it.
	Client mcp.Implementation
	// Session tells the callers of one program apart. Claims are held under both.
	Session string
}

type callerKey struct{}

// WithCaller returns the context of a message that this caller sends.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// callerOf returns the caller of a message, and whether its transport is shared.
func callerOf(ctx context.Context) (c Caller, shared bool) {
	c, shared = ctx.Value(callerKey{}).(Caller)
	return c, shared
}

// HTTPHandler returns a handler of MCP's streamable HTTP with the tools of this server.
// Its requests need a context of [WithCaller].
func (s *Server) HTTPHandler(options ...server.StreamableHTTPOption) http.Handler {
	options = append(options,
		server.WithStreamableHTTPLogger(slog.New(transportLog{s.log.Handler()})),
		server.WithHTTPContextFunc(func(ctx context.Context, _ *http.Request) context.Context {
			return WithNotifier(ctx, answerOf(ctx).notify)
		}))
	return s.withAnswers(server.NewStreamableHTTPServer(s.mcp, options...))
}

// A transportLog has what mcp-go's transport logs: most of it is what clients do, who go away
// and answer late, and must not fill the log with errors. Only a panic is one.
type transportLog struct{ slog.Handler }

// Enabled is decided when the message is known.
func (transportLog) Enabled(context.Context, slog.Level) bool { return true }

// Handle logs a record.
func (l transportLog) Handle(ctx context.Context, r slog.Record) error {
	if !strings.HasPrefix(r.Message, "panic") {
		r.Level = slog.LevelDebug
	}
	if !l.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return l.Handler.Handle(ctx, r)
}
