package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

func TestInstructions(t *testing.T) {
	lead := []string{
		"issues, specifications and ideas",          // what is here
		"issues_stats", "issues_list", "issues_get", // find first, then read
		"ISS-000042", "AMBIGUOUS_ID", "path", // how documents are named and told apart
		"typed filters", "cursor", "Narrow",
	}
	t.Run("those of the service alone", func(t *testing.T) {
		toolstest.CheckInstructions(t, tools.Instructions(), lead...)
	})
	t.Run("a toolset adds its guide at the end", func(t *testing.T) {
		text := tools.Instructions(tools.Toolset{Guide: "Guide of one."}, tools.Toolset{}, tools.Toolset{Guide: "Guide of three."})
		if !strings.HasSuffix(text, "\nGuide of one.\nGuide of three.") {
			t.Errorf("got %q", text)
		}
	})
	t.Run("initialize sends them", func(t *testing.T) {
		server, err := tools.NewServer(tools.Config{Name: "test", Version: "0"})
		if err != nil {
			t.Fatal(err)
		}
		response, err := json.Marshal(server.HandleMessage(t.Context(), json.RawMessage(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(response), `"instructions":"This service holds`) {
			t.Errorf("got %s", response)
		}
	})
}
