package tools_test

import (
	"encoding/json"
	"testing"

	"issues-index/tools"
)

func BenchmarkCall(b *testing.B) {
	server, err := tools.NewServer(tools.Config{Name: "test", Version: "0", Toolsets: set(named("echo", echo))})
	if err != nil {
		b.Fatal(err)
	}
	message := json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"id":"x"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(server.HandleMessage(b.Context(), message)); err != nil {
			b.Fatal(err)
		}
	}
}
