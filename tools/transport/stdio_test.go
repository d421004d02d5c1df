package transport_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/transport"
)

func TestSlowCallDelaysNoOther(t *testing.T) {
	const slow = 100 // far more than mcp-go's five workers
	started, release := make(chan struct{}, slow), make(chan struct{})
	c := converse(t, transport.StdioOptions{Handler: newHandler(t, func(context.Context, string) error {
		started <- struct{}{}
		<-release
		return nil
	})})
	for i := range slow {
		c.send(toolCall(fmt.Sprint("slow", i), "wait", "x"))
	}
	for range slow {
		<-started
	}
	c.send(toolCall("fast", "echo", "x"), `{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
	first, second := c.receive(), c.receive()
	if strings.Contains(first, "ping") {
		first, second = second, first
	}
	wantID(t, first, `"fast"`)
	wantID(t, second, `"ping"`)
	close(release)
	for range slow {
		if line := c.receive(); !strings.Contains(line, `"id":"slow`) {
			t.Errorf("unexpected %s", line)
		}
	}
}

func TestCallsBeyondTheBoundWait(t *testing.T) {
	const queued = 300 // mcp-go runs calls on its read loop after a hundred
	started, release := make(chan string, 3), make(chan struct{})
	c := converse(t, transport.StdioOptions{MaxCalls: 2, Handler: newHandler(t, func(_ context.Context, text string) error {
		started <- text
		<-release
		return nil
	})})
	c.send(toolCall("a", "wait", "a"), toolCall("b", "wait", "b"))
	<-started
	<-started
	for i := range queued {
		c.send(toolCall(i, "echo", "c"))
	}
	c.send(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
	wantID(t, c.receive(), `"ping"`) // what is no tool call does not wait
	select {
	case line := <-c.lines:
		t.Errorf("answered beyond the bound: %s", line)
	default:
	}
	close(release)
	c.in.Close()
	if rest := c.ended(); len(rest) != queued+2 {
		t.Errorf("%d responses, want %d", len(rest), queued+2)
	}
}

func TestConcurrentServesAreIndependent(t *testing.T) {
	started, release := make(chan struct{}, 2), make(chan struct{})
	handler := newHandler(t, func(ctx context.Context, _ string) error {
		started <- struct{}{}
		<-release
		return ctx.Err()
	})
	one, two := converse(t, transport.StdioOptions{Handler: handler}), converse(t, transport.StdioOptions{Handler: handler})
	for _, c := range []*conversation{one, two} {
		c.send(toolCall(1, "wait", "x"))
		<-started
	}
	one.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	one.in.Close()
	if rest := one.ended(); len(rest) != 0 {
		t.Errorf("the cancelled call is answered: %q", rest)
	}
	close(release)
	if line := two.receive(); !strings.Contains(line, `"structuredContent"`) {
		t.Errorf("the other client's call of the same id is cancelled too: %s", line)
	}
}

func TestEndOfInputLosesNoAnswer(t *testing.T) {
	const calls = 200
	started, release := make(chan struct{}, calls), make(chan struct{})
	c := converse(t, transport.StdioOptions{Handler: newHandler(t, func(context.Context, string) error {
		started <- struct{}{}
		<-release
		return nil
	})})
	for i := range calls {
		c.send(toolCall(i, "wait", "x"))
	}
	c.in.Close()
	for range calls {
		<-started
	}
	close(release) // all calls are in flight, and the input has ended
	seen := make(map[string]bool)
	for _, line := range c.ended() {
		var response struct{ ID json.Number }
		if err := json.Unmarshal([]byte(line), &response); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		seen[response.ID.String()] = true
	}
	if len(seen) != calls {
		t.Errorf("%d of %d calls are answered", len(seen), calls)
	}
}

func TestPipedInputIsAnsweredWhole(t *testing.T) {
	lines := []string{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`}
	for i := range 300 {
		lines = append(lines, toolCall(i+1, "echo", "x"))
	}
	got := serve(t, strings.Join(lines, "\n"), transport.StdioOptions{Handler: newHandler(t, nobodyWaits)})
	if len(got) != len(lines) {
		t.Fatalf("%d of %d requests are answered", len(got), len(lines))
	}
	if !strings.Contains(got[0], `"protocolVersion"`) {
		t.Errorf("initialize is not answered first: %s", got[0])
	}
}

func TestCancelledContextDrains(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	c := converse(t, transport.StdioOptions{Handler: newHandler(t, func(ctx context.Context, _ string) error {
		started <- struct{}{}
		<-release
		return ctx.Err() // the call must not see the signal
	})})
	c.send(toolCall(1, "wait", "x"))
	<-started
	c.cancel()
	close(release)
	rest := c.ended()
	if len(rest) != 1 || !strings.Contains(rest[0], `"structuredContent"`) {
		t.Errorf("got %q", rest)
	}
}

func TestInitializeIsHandledBeforeAnythingAfterIt(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	inner := newHandler(t, nobodyWaits)
	c := converse(t, transport.StdioOptions{Handler: func(ctx context.Context, conn tools.Conn, m tools.Message) *tools.Response {
		if m.Method == "initialize" {
			close(entered)
			<-release
		}
		return inner(ctx, conn, m)
	}})
	c.send(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		toolCall(2, "echo", "x"))
	<-entered
	select {
	case line := <-c.lines:
		t.Errorf("a call overtook initialize: %s", line)
	default:
	}
	close(release)
	wantID(t, c.receive(), "1")
	wantID(t, c.receive(), "2")
}
