package stdio_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools/stdio"
)

// What belongs to no call is sent for as long as the client is read, whole and after all that
// was sent before it.
func TestNotificationsBesideCalls(t *testing.T) {
	var send func(method string, params map[string]any)
	var ids []string
	handler := func(ctx context.Context, message json.RawMessage) any {
		send = stdio.Sender(ctx)
		ids = append(ids, string(stdio.MessageID(ctx)))
		send("notifications/early", map[string]any{"n": len(ids)})
		return mcp.JSONRPCResponse{JSONRPC: "2.0", Result: struct{}{}}
	}
	c := converse(t, stdio.Options{Handler: handler})
	c.send(`{"jsonrpc":"2.0","id":12345678901234567890,"method":"initialize"}`)
	if early := c.receive(); early != `{"jsonrpc":"2.0","method":"notifications/early","params":{"n":1}}` {
		t.Errorf("the client is sent %s", early)
	}
	wantID(t, c.receive(), "12345678901234567890")
	send("notifications/late", nil)
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
	send("notifications/too-late", nil) // of no effect
	if stdio.Sender(t.Context()) != nil || stdio.MessageID(t.Context()) != nil {
		t.Error("there is a client without a message")
	}
}

// A request that lasts ends with the input, and is answered.
func TestARequestThatLastsEndsWithTheInput(t *testing.T) {
	begun := make(chan struct{}, 300)
	handler := func(ctx context.Context, message json.RawMessage) any {
		if strings.Contains(string(message), "listen") {
			begun <- struct{}{}
			<-ctx.Done()
		}
		return mcp.JSONRPCResponse{JSONRPC: "2.0", Result: struct{}{}}
	}
	// More than run at once: those that wait have to end, too.
	const requests = 5
	c := converse(t, stdio.Options{Handler: handler, MaxCalls: 2, MaxHeld: 4 << 20})
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
