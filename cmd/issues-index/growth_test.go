//go:build !windows

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// growthDocument is a document of every workspace, by its path.
const growthDocument = ".wrangler/issues/ISS-000001-doc.md"

// growthCommands are commands of every kind. Those that change documents come last.
var growthCommands = []string{
	"list", "ready", "blocked", "search word", "list --order-by title", "show " + growthDocument, "deps " + growthDocument, "deps --json " + growthDocument,
	"stats --by label", "stats", "prime", "sessions", "health", "sql SELECT*FROM(broken_links)", "sql SELECT*FROM(ready)", "check", "check --json",
	"check --fix duplicate-id --dry-run", "check --fix --dry-run", "list --where is:ready", "list --tree", "history " + growthDocument, "diff",
	"set " + growthDocument + " priority=high", "append " + growthDocument + " More", "dep add " + growthDocument + " ISS-900000",
	"claim " + growthDocument, "release " + growthDocument, "tick " + growthDocument + " 1", "new A-title", "done " + growthDocument, "undo",
}

// allocationsOf runs a command in this process and counts what it allocates.
func allocationsOf(t *testing.T, root, command string) uint64 {
	t.Helper()
	var out bytes.Buffer
	p := &program{in: os.Stdin, getwd: os.Getwd, out: &out, errOut: &out, getenv: func(string) string { return "" }}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p.run(t.Context(), append(strings.Fields(command), "--workspace", root))
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

// Every command's work grows as the workspace does, whatever a stranger has put there. It is counted
// in allocations: what grows with the square of a workspace makes four times as many when that
// doubles. The test is not parallel, since all of the process's are counted; without -long it has a
// sixth of the workspaces, and of the commands in turn.
func TestCommandsGrowAsTheWorkspaceDoes(t *testing.T) {
	small, large := 4, 8 // parts of 1,000
	if storetest.Long() {
		small, large = 60, 120
	}
	type pair struct{ one, two string }
	pairs := map[string]pair{}
	shapes := slices.Sorted(maps.Keys(growthShapes))
	for turn, shape := range shapes {
		if turn%6 == 0 || storetest.Long() {
			pairs[shape] = pair{newGrowthWorkspace(t, shape, small), newGrowthWorkspace(t, shape, large)}
		}
	}
	time.Sleep(2 * time.Second) // until then files are read again, once more in the end
	for turn, shape := range shapes {
		at, made := pairs[shape]
		if !made {
			continue
		}
		t.Run(shape, func(t *testing.T) {
			for i, command := range append([]string{"rebuild"}, growthCommands...) {
				if i > 0 && (i+turn/3)%3 != 0 && !storetest.Long() {
					continue
				}
				few, many := allocationsOf(t, at.one, command), allocationsOf(t, at.two, command)
				const start = 20_000 // of a program, whatever it does
				if many > 5*few/2+start {
					t.Errorf("%s: %d allocations, and %d when all is twice as large", command, few, many)
				}
			}
		})
	}
}

// No command, reading tool or page takes more than 3 s of processor on any document of 2 MiB, or
// 5,000 documents in any form, once they are indexed.
func TestCommandsTakeThreeSecondsOfProcessor(t *testing.T) {
	if !storetest.Long() {
		t.Skip("measures processor time; -long")
	}
	const most = 3 * time.Second
	took := func(t *testing.T, root, command string) time.Duration {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, "issues-index", append(strings.Fields(command), "--workspace", root)...)
		if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Fatal(err)
		}
		return processorOf(c)
	}
	for _, shape := range slices.Sorted(maps.Keys(growthShapes)) {
		t.Run(shape, func(t *testing.T) {
			root := newGrowthWorkspace(t, shape, 1000)
			t.Logf("the first index takes %v", took(t, root, "rebuild").Round(10*time.Millisecond))
			worst, of := time.Duration(0), ""
			for _, command := range growthCommands {
				if d := took(t, root, command); d > worst {
					worst, of = d, command
				}
			}
			for _, call := range growthCalls {
				if a, err := newAgent("growth", exec.Command("issues-index", "serve", "--workspace", root)); err != nil {
					t.Error(err)
				} else {
					_, _ = a.call(call.tool, call.arguments)
					_ = a.end()
					if d := processorOf(a.process); d > worst {
						worst, of = d, call.tool
					}
				}
			}
			for _, page := range growthPages {
				if d := pageTook(t, root, page); d > worst {
					worst, of = d, page
				}
			}
			t.Logf("worst: %v, %s", worst.Round(10*time.Millisecond), of)
			if worst > most {
				t.Errorf("%s: %v of processor", of, worst)
			}
		})
	}
}

// processorOf is how much processor a command took that has ended.
func processorOf(c *exec.Cmd) time.Duration {
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// growthCalls are calls of the reading tools.
var growthCalls = []smallCall{
	{"issues_list", map[string]any{"format": "full", "limit": 100}},
	{"issues_search", map[string]any{"query": "word OR t1", "includeDescription": true}},
	{"issues_get", map[string]any{"id": growthDocument}},
	{"issues_get_batch", map[string]any{"ids": []string{growthDocument, "ISS-000002"}}},
	{"issues_stats", map[string]any{"groupBy": "label"}},
	{"issues_labels", map[string]any{"operation": "list"}},
	{"issues_all_complete", map[string]any{}},
	{"issues_history", map[string]any{"id": growthDocument}},
}

// growthPages are pages of the dashboard.
var growthPages = []string{
	"", "list", "list?where=is:blocked", "search?q=word", "board", "graph", "graph?under=ISS-000001", "new", "agents", "problems",
	"d?path=" + growthDocument, "edit?path=" + growthDocument, "history?path=" + growthDocument,
}

// pageTook returns how much processor a server takes that shows one page.
func pageTook(t *testing.T, root, page string) time.Duration {
	t.Helper()
	s := serveOverHTTP(t, root)
	answer, err := s.requests.Get(s.at("/" + page))
	if err == nil {
		_, err = io.Copy(io.Discard, answer.Body)
		err = errors.Join(err, answer.Body.Close(), s.process.Process.Signal(syscall.SIGTERM))
	}
	if err != nil {
		t.Fatal(err)
	}
	<-s.ended
	_ = s.process.Wait() // its log may have been full
	return processorOf(s.process)
}
