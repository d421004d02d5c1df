package transport_test

import (
	"context"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/transport"
)

// What belongs to no call is sent for as long as the client is read, whole and after all that
// was sent before it.
func TestNotificationsBesideCalls(t *testing.T) {
	var client *tools.Client
	var ids []string
	handler := func(_ context.Context, conn tools.Conn, m tools.Message) *tools.Response {
		client = conn.Client()
		ids = append(ids, string(m.ID))
		client.Notify("notifications/early", map[string]any{"n": len(ids)})
		return &tools.Response{JSONRPC: "2.0", ID: m.ID, Result: struct{}{}}
	}
	c := converse(t, transport.StdioOptions{Handler: handler})
	c.send(`{"jsonrpc":"2.0","id":12345678901234567890,"method":"initialize"}`)
	if early := c.receive(); early != `{"jsonrpc":"2.0","method":"notifications/early","params":{"n":1}}` {
		t.Errorf("the client is sent %s", early)
	}
	wantID(t, c.receive(), "12345678901234567890")
	client.Notify("notifications/late", nil)
	if late := c.receive(); !strings.Contains(late, "notifications/late") {
		t.Errorf("the client is sent %s", late)
	}
	if len(ids) != 1 || ids[0] != "12345678901234567890" {
		t.Errorf("the handler sees the ids %q", ids)
	}
	c.in.Close()
	if rest := c.ended(); rest != nil {
		t.Errorf("there is %q at the end", rest)
	}
	client.Notify("notifications/too-late", nil) // of no effect
}

// A request that lasts ends with the input, and is answered.
func TestARequestThatLastsEndsWithTheInput(t *testing.T) {
	begun := make(chan struct{}, 300)
	handler := func(ctx context.Context, _ tools.Conn, m tools.Message) *tools.Response {
		if m.Method == "subscriptions/listen" {
			begun <- struct{}{}
			<-ctx.Done()
		}
		return &tools.Response{JSONRPC: "2.0", ID: m.ID, Result: struct{}{}}
	}
	// More than run at once: those that wait have to end, too.
	const requests = 5
	c := converse(t, transport.StdioOptions{Handler: handler, MaxCalls: 2, MaxHeld: 4 << 20})
	// One that is long takes no room for as long as it lasts.
	long := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`
	for range requests {
		c.send(long)
	}
	<-begun
	<-begun
	c.send(`{"jsonrpc":"2.0","id":"long","method":"subscriptions/listen","params":{"x":"` + strings.Repeat("x", 2<<20) + `"}}`)
	for range requests {
		c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call"}`)
	}
	c.in.Close()
	if rest := c.ended(); len(rest) != 2*requests+1 {
		t.Errorf("%d answers to %d requests: %q", len(rest), requests, rest)
	}
}
