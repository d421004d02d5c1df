//go:build !windows

package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"issues-index/index"
	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/issues"
	"issues-index/tools/session"
	"issues-index/tools/toolstest"
)

// A witness is a client that holds every answer to its budget.
type witness struct {
	*toolstest.Client
	output   tools.Output
	settings *answer.Settings
	calls    int
	largest  int // tokens, by tokenizer

	over map[string]int // answers over their budget

	mu       sync.Mutex
	squeezed map[string]int // answers that a tool made too large, and the server cut
	cut      bool           // the last answer was
}

// toolsetsOf opens a workspace as a server does.
func toolsetsOf(t *testing.T, root string, mode index.Mode) []tools.Toolset {
	t.Helper()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(root))
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }, Getwd: os.Getwd})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(t.Context(), ws, index.Options{Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ix.Close(); err != nil {
			t.Error(err)
		}
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	return []tools.Toolset{issues.Toolset(ix), session.Toolset(ws)}
}

// newWitness serves toolsets to a witness.
func newWitness(t *testing.T, output tools.Output, settings *answer.Settings, sets []tools.Toolset) *witness {
	t.Helper()
	w := &witness{output: output, settings: settings, squeezed: make(map[string]int), over: make(map[string]int)}
	watched := slices.Clone(sets)
	for i, set := range sets {
		watched[i].Tools = slices.Clone(set.Tools)
		for j, tool := range set.Tools {
			watched[i].Tools[j] = w.watch(tool)
		}
	}
	w.Client = toolstest.NewClient(t, tools.Config{
		Output: output, Toolsets: watched, Settings: func() *answer.Settings { return settings },
	})
	t.Cleanup(func() {
		t.Logf("output %s: %d calls, the largest answer has %d tokens", output, w.calls, w.largest)
		if len(w.squeezed) > 0 {
			t.Logf("output %s: cut by the server: %v", output, w.squeezed)
		}
	})
	return w
}

// watch counts the answers that their tool makes larger than it may.
func (w *witness) watch(tool tools.Tool) tools.Tool {
	handle := tool.Handle
	tool.Handle = func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		result, err := handle(ctx, args)
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.cut = err == nil && !args.Fits(result); w.cut {
			w.squeezed[tool.Name]++
		}
		return result, err
	}
	return tool
}

// ask calls a tool and holds the answer to what it may cost. Of a tool that
// breaks its budget often, only the first answers are shown.
func (w *witness) ask(t *testing.T, tool string, arguments map[string]any) toolstest.Answer {
	t.Helper()
	w.cut = false
	reply := w.Call(t, tool, arguments)
	w.calls++
	maxTokens, _ := arguments["maxTokens"].(int)
	budget := w.settings.Budget(tool, maxTokens)
	channels := map[string]string{"text": reply.Text(), "structured": string(reply.Structured)}
	for _, name := range slices.Sorted(maps.Keys(channels)) {
		channel := channels[name]
		complaint := w.exceeds(t, budget, channel)
		if complaint == "" {
			continue
		}
		if w.over[tool]++; w.over[tool] <= 3 {
			t.Errorf("%s %s: %s has %s:\n%s", tool, brief(arguments), name, complaint, headOf(channel))
		}
	}
	return reply
}

// exceeds says what a channel has too much of, "" when it keeps to the budget.
func (w *witness) exceeds(t *testing.T, b answer.Budget, channel string) string {
	t.Helper()
	size := answer.Measure(channel)
	tokens := size.Tokens()
	w.largest = max(w.largest, tokens)
	if b.Fits(size) {
		return ""
	}
	return fmt.Sprintf("%d bytes, %d lines, %d tokens; allowed are %d, %d, %d", size.Bytes, size.Lines, tokens, b.Bytes, b.Lines, b.Tokens)
}

// brief is a value short enough for a failure.
func brief(value any) string { return headOf(fmt.Sprint(value)) }

func headOf(text string) string {
	if len(text) <= 300 {
		return text
	}
	return strings.ToValidUTF8(text[:200]+" … "+text[len(text)-100:], "?")
}
