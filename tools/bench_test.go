package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// BenchmarkCall is a whole call without its tool's own work: of a word, of a page
// of rows, and of an answer of 100 KB that its tool does not make smaller. What a
// page costs more with limits on is their overhead.
func BenchmarkCall(b *testing.B) {
	page := func(rows int) func(context.Context, *tools.Args) (tools.Result, error) {
		type row struct {
			ID, Title, Status string
			Labels            []string
		}
		list := make([]row, rows)
		var text strings.Builder
		fmt.Fprintf(&text, "Showing %d issues.", rows)
		for i := range list {
			list[i] = row{fmt.Sprintf("ISS-%06d", i), "Fix the watcher that misses a rename", "open", []string{"bug", "watcher"}}
			fmt.Fprintf(&text, "\n%s open %s [bug,watcher] 2026-02-15", list[i].ID, list[i].Title)
		}
		result := tools.Result{Text: text.String(), Structured: map[string]any{"id": "", "issues": list}}
		return func(_ context.Context, args *tools.Args) (tools.Result, error) {
			args.Fits(result)
			return result, nil
		}
	}
	off := answer.Defaults()
	off.Off = true
	for _, bench := range []struct {
		name     string
		handle   func(context.Context, *tools.Args) (tools.Result, error)
		settings *answer.Settings
	}{
		{"word", echo, answer.Defaults()},
		{"page", page(25), answer.Defaults()},
		{"page, limits off", page(25), off},
		{"100 KB", page(900), answer.Defaults()},
		{"100 KB, limits off", page(900), off},
	} {
		b.Run(bench.name, func(b *testing.B) {
			server, err := tools.NewServer(tools.Config{Name: "test", Version: "0", Toolsets: set(named("echo", bench.handle)),
				Settings: func() *answer.Settings { return bench.settings }})
			if err != nil {
				b.Fatal(err)
			}
			message := json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"id":"x"}}}`)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := json.Marshal(toolstest.Send(b.Context(), server, message)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
