package issues

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/tools/toolstest"
)

// TestWritesCostTheSameInAnyWorkspace counts what the process reads and writes
// for a change, in a small workspace and in one fifteen times as large. Time is
// no measure in a test; see the benchmarks.
func TestWritesCostTheSameInAnyWorkspace(t *testing.T) {
	if _, err := readIO(); err != nil {
		t.Skipf("the system does not count: %v", err)
	}
	small, large := costs(t, 100), costs(t, 700)
	for kind, few := range small {
		many := large[kind]
		t.Logf("%s: with 100 documents %v, with 700 %v", kind, few, many)
		if many.calls > 3*few.calls || many.bytes > 3*few.bytes { // the full-text index merges now and then
			t.Errorf("%s: the cost grows with the workspace", kind)
		}
	}
}

// An ioCost is what one change reads and writes.
type ioCost struct{ calls, bytes int }

func (c ioCost) String() string { return fmt.Sprintf("%d calls, %d bytes", c.calls, c.bytes) }

// costs is the mean of some changes of each kind.
func costs(t *testing.T, documents int) map[string]ioCost {
	t.Helper()
	const times = 25
	root := workspaceOf(t, documents)
	f := serveWith(t, root, index.Options{Mode: index.ModeWatch}, edit.LockWait)
	changes := map[string]func(i int){
		"create": func(i int) {
			toolstest.Must[createAnswer](t, f.Client, "issues_create", map[string]any{"title": fmt.Sprint("New ", i), "description": "Text."})
		},
		"update": func(i int) {
			toolstest.Must[revision](t, f.Client, "issues_update", map[string]any{"id": "ISS-000001", "assignee": fmt.Sprint("agent ", i)})
		},
		"move": func(i int) {
			toolstest.Must[revision](t, f.Client, "issues_update", map[string]any{"id": "ISS-000002", "status": []string{"closed", "open"}[i&1]})
		},
		"delete": func(i int) {
			toolstest.Must[deleteAnswer](t, f.Client, "issues_delete", map[string]any{"id": fmt.Sprintf("ISS-%06d", 3+i), "confirm": true})
		},
	}
	for i := range times { // files this new are read twice, once
		changes["create"](-1 - i)
	}
	result := make(map[string]ioCost)
	for _, kind := range []string{"create", "update", "move", "delete"} {
		changes[kind](0)
		before, err := readIO()
		if err != nil {
			t.Fatal(err)
		}
		for i := range times {
			changes[kind](1 + i)
		}
		after, err := readIO()
		if err != nil {
			t.Fatal(err)
		}
		result[kind] = ioCost{(after.calls - before.calls) / times, (after.bytes - before.bytes) / times}
	}
	return result
}

// readIO reads how many calls for reading and writing the process has made, and
// how many bytes went through them.
func readIO() (c ioCost, err error) {
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return c, err
	}
	for text := range strings.Lines(string(data)) {
		var name string
		var count int
		if _, err := fmt.Sscanf(text, "%s %d", &name, &count); err != nil {
			return c, err
		}
		switch name {
		case "rchar:", "wchar:":
			c.bytes += count
		case "syscr:", "syscw:":
			c.calls += count
		}
	}
	return c, nil
}
