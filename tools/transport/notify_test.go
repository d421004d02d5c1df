package transport_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"issues-index/tools"
	"issues-index/tools/transport"
)

// progressing is a server with one tool that tells how far it is.
func progressing(t *testing.T) transport.Handler {
	t.Helper()
	schema := json.RawMessage(`{"type":"object","properties":{}}`)
	server, err := tools.NewServer(tools.Config{Name: "test", Version: "1.0", Instructions: "Call walk.", Output: tools.OutputText,
		Toolsets: []tools.Toolset{{Name: "test", Tools: []tools.Tool{{
			Name: "walk", Description: "Walks. Reads only.", ReadOnly: true, Input: schema, Output: schema,
			Handle: func(_ context.Context, args *tools.Args) (tools.Result, error) {
				args.Progress(1, 2, "one of two")
				args.Progress(1, 2, "still one of two")
				args.Progress(2, 2, "two of two")
				return tools.Result{Text: "done"}, nil
			},
		}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return server.Handle
}

func TestProgressIsSentWhenRequested(t *testing.T) {
	for name, c := range map[string]struct {
		meta string
		want []string
	}{
		"a token that is a text": {`,"_meta":{"progressToken":"p"}`, []string{
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"one of two","progress":1,"progressToken":"p","total":2}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"two of two","progress":2,"progressToken":"p","total":2}}`}},
		"a token that is a number": {`,"_meta":{"progressToken":70000000}`, []string{
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"one of two","progress":1,"progressToken":70000000,"total":2}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"two of two","progress":2,"progressToken":70000000,"total":2}}`}},
		"no token": {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			lines := serve(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"walk","arguments":{}`+c.meta+`}}`+"\n", transport.StdioOptions{Handler: progressing(t)})
			answer := lines[len(lines)-1]
			wantID(t, answer, "1")
			if got := lines[:len(lines)-1]; !slices.Equal(got, c.want) {
				t.Errorf("before the answer stands %q, want %q", got, c.want)
			}
		})
	}
}

func TestCancelledCallSendsNoNotifications(t *testing.T) {
	started, told := make(chan struct{}), make(chan struct{})
	c := converse(t, transport.StdioOptions{Handler: func(ctx context.Context, conn tools.Conn, m tools.Message) *tools.Response {
		if m.Method == "tools/call" {
			close(started)
			<-ctx.Done()
			conn.Notify("notifications/progress", nil)
			close(told)
		}
		return progressing(t)(ctx, conn, m)
	}})
	c.send(toolCall(1, "walk", ""))
	<-started
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	<-told
	c.send(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
	wantID(t, c.receive(), `"ping"`)
}
