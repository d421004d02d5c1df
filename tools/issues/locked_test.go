package issues

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// Another program that holds a write transaction on the index, as a person does who
// has typed BEGIN into sqlite3.
func TestALockedIndexIsNamedAndListsSayWhyTheyEnd(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("there is no sqlite3 program here:", err)
	}
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.FromSlash("../../testdata/sample"))); err != nil {
		t.Fatal(err)
	}
	f := serveWith(t, root, index.Options{LockWait: time.Millisecond}, edit.LockWait)
	toolstest.Must[listAnswer](t, f.Client, "issues_list", nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	person := exec.CommandContext(ctx, program, filepath.Join(root, filepath.FromSlash(index.DefaultPath)))
	in, err := person.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := person.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := person.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte("BEGIN IMMEDIATE;\nSELECT 'begun';\n")); err != nil {
		t.Fatal(err)
	}
	begun := make([]byte, 6)
	if _, err := out.Read(begun); err != nil || string(begun[:5]) != "begun" {
		t.Fatalf("%q, %v", begun, err)
	}

	const why = "There is no cursor: another program has locked the index."
	for tool, arguments := range map[string]map[string]any{"issues_list": {"limit": 3}, "issues_search": {"limit": 3, "query": "the"}} {
		page, text := toolstest.Must[listAnswer](t, f.Client, tool, arguments)
		if len(page.Issues) != 3 || page.NextCursor != "" || !strings.Contains(page.Note, why) || !strings.Contains(text, why) {
			t.Errorf("%s lists %d, cursor %q: %s", tool, len(page.Issues), page.NextCursor, text)
		}
	}
	_, text := toolstest.Must[map[string]any](t, f.Client, "issues_update", map[string]any{"id": "000001", "priority": "low"})
	if !strings.Contains(text, "the change is made, but the index could not follow it yet") {
		t.Errorf("a change is told as %s", text)
	}
	for tool, arguments := range map[string]map[string]any{
		"issues_list": {}, "issues_get": {"id": "000001"}, "issues_create": {"title": "New", "description": "x"},
	} {
		text := f.Refused(t, tools.CodeLocked, tool, arguments)
		if !strings.Contains(text, index.DefaultPath) || !strings.Contains(text, "sqlite3") {
			t.Errorf("%s: %s", tool, text)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := person.Wait(); err != nil {
		t.Fatal(err)
	}
	page, _ := toolstest.Must[listAnswer](t, f.Client, "issues_list", map[string]any{"limit": 3})
	if page.NextCursor == "" {
		t.Error("there is still no cursor")
	}
}
