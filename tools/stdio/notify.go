package stdio

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

type notifyKey struct{}

// Notifier returns what sends notifications to the client whose request a handler
// answers, nil in a context that is not of a request. Nothing is sent once the
// request is answered or cancelled.
func Notifier(ctx context.Context) func(method string, params any) {
	notify, _ := ctx.Value(notifyKey{}).(func(method string, params any))
	return notify
}

// notifying is the context of a call, with what sends notifications for it.
func (s *session) notifying(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, notifyKey{}, func(method string, params any) {
		line, err := marshal(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": method, "params": params})
		if err != nil {
			s.log.Error("notification has no JSON form", "method", method, "error", err)
			return
		}
		s.mu.Lock()
		open := c.key != ""
		s.mu.Unlock()
		if open {
			s.out.write(line)
		}
	})
}
