package tools

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

// A Notifier sends a notification to the client whose message is being answered.
type Notifier func(method string, params any)

type notifierKey struct{}

// WithNotifier returns a context in which a call can tell its client how far it is.
// A transport that cannot send notifications has none.
func WithNotifier(ctx context.Context, n Notifier) context.Context {
	return context.WithValue(ctx, notifierKey{}, n)
}

// Progress tells a client that has asked for it how far a long call is: so much of a
// total is done, in whatever unit. What is not more than before is not told: MCP wants
// each notification to say more than the last one.
func (a *Args) Progress(done, total int, message string) {
	if a.call.progress != nil {
		a.call.progress(done, total, message)
	}
}

// progressOf returns what tells the client of a request how far it is, nil where the
// client did not ask or cannot be told.
func progressOf(ctx context.Context, request mcp.CallToolRequest) func(done, total int, message string) {
	notify, _ := ctx.Value(notifierKey{}).(Notifier)
	if notify == nil || request.Params.Meta == nil || request.Params.Meta.ProgressToken == nil {
		return nil
	}
	token := request.Params.Meta.ProgressToken
	told := -1
	return func(done, total int, message string) {
		if done <= told {
			return
		}
		told = done
		notify(string(mcp.MethodNotificationProgress), map[string]any{
			"progressToken": token, "progress": done, "total": total, "message": message,
		})
	}
}
