package tools_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// BenchmarkBinding is what it costs a call to be bound to a workspace, beside a call of a tool
// that is over none.
func BenchmarkBinding(b *testing.B) {
	over := tools.PerWorkspace(nil, false, func(*index.Index) tools.Toolset { return set(named("over", echo))[0] })
	server, err := tools.NewServer(tools.Config{
		Name: "test", Version: "0", Toolsets: []tools.Toolset{over, {Name: "site", Tools: []tools.Tool{named("free", echo)}}},
		Workspaces: func(context.Context, workspaces.Ask) (tools.WorkspaceBinding, error) {
			return tools.WorkspaceBinding{Settings: answer.Defaults(), Lease: time.Hour, Release: func() {}}, nil
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"free", "over"} {
		b.Run(name, func(b *testing.B) {
			message := json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":{"id":"x"}}}`)
			b.ReportAllocs()
			for b.Loop() {
				toolstest.Send(b.Context(), server, message)
			}
		})
	}
}
