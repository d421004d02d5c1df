package transport_test

import (
	"context"
	"strings"
	"testing"

	"issues-index/tools/transport"
)

func TestCancellation(t *testing.T) {
	cancelled := func(id string) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"changed my mind"}}`
	}
	t.Run("a running call is stopped and not answered", func(t *testing.T) {
		started, stopped := make(chan struct{}), make(chan struct{})
		c := converse(t, transport.StdioOptions{Handler: newHandler(t, func(ctx context.Context, _ string) error {
			close(started)
			<-ctx.Done()
			close(stopped)
			return ctx.Err()
		})})
		c.send(toolCall("a\u00e9", "wait", "x"))
		<-started
		c.send(cancelled(`"a\u00e9"`)) // the same id, escaped
		<-stopped
		c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		wantID(t, c.receive(), "2")
		c.in.Close()
		if rest := c.ended(); len(rest) != 0 {
			t.Errorf("a cancelled call is answered: %q", rest)
		}
	})
	t.Run("a queued call never runs", func(t *testing.T) {
		started, release := make(chan string, 2), make(chan struct{})
		c := converse(t, transport.StdioOptions{MaxCalls: 1, Handler: newHandler(t, func(_ context.Context, text string) error {
			started <- text
			<-release
			return nil
		})})
		c.send(toolCall(1, "wait", "first"))
		<-started
		c.send(toolCall(2, "wait", "second"), cancelled("2"), `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		wantID(t, c.receive(), "3") // what was sent before it is read
		close(release)
		wantID(t, c.receive(), "1")
		c.in.Close()
		if rest := c.ended(); len(rest) != 0 || len(started) != 0 {
			t.Errorf("answered %q, started %d more", rest, len(started))
		}
	})
	t.Run("a call that does not listen holds nothing up", func(t *testing.T) {
		started, release := make(chan struct{}), make(chan struct{})
		defer close(release)
		c := converse(t, transport.StdioOptions{Handler: newHandler(t, func(context.Context, string) error {
			close(started)
			<-release
			return nil
		})})
		c.send(toolCall(1, "wait", "x"))
		<-started
		c.send(cancelled("1"))
		c.in.Close()
		if rest := c.ended(); len(rest) != 0 {
			t.Errorf("answered %q", rest)
		}
	})
	t.Run("unknown ids and other nonsense are ignored", func(t *testing.T) {
		got := serve(t, strings.Join([]string{
			cancelled("77"), cancelled("null"), `{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`, toolCall(1, "echo", "x"),
		}, "\n"), transport.StdioOptions{Handler: newHandler(t, nobodyWaits)})
		if len(got) != 1 {
			t.Errorf("got %q", got)
		}
	})
}
