package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// A fixture is a workspace under test, outside any git repository, and a client
// of its tools.
type fixture struct {
	*toolstest.Client
	root string
	ws   *store.Workspace
}

const spec = ".wrangler/specifications/SPEC-000001-sort-by-relevance.md"

// open serves a new workspace with one specification.
func open(t *testing.T) fixture {
	t.Helper()
	return openWith(t, lockWait)
}

// openWith serves one whose writers wait so long for each other.
func openWith(t *testing.T, wait time.Duration) fixture {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(root))
	write(t, root, spec, "---\nid: SPEC-000001\ntitle: Sort by relevance\n---\n")
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }, Getwd: os.Getwd})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	return fixture{toolstest.NewClient(t, tools.Config{Toolsets: []tools.Toolset{toolset(ws, wait)}}), root, ws}
}

// begin starts a session and returns its id.
func (f fixture) begin(t *testing.T) string {
	t.Helper()
	answer, _ := must[beginning](t, f, "session_start", map[string]any{"specFile": spec})
	return answer.SessionID
}

// must calls a tool, fails the test on an error and decodes the answer.
func must[A any](t *testing.T, f fixture, tool string, arguments map[string]any) (A, string) {
	t.Helper()
	var answer A
	called := f.Call(t, tool, arguments)
	if called.IsError {
		t.Fatalf("%s %v: %s", tool, arguments, called.Text())
	}
	if err := json.Unmarshal(called.Structured, &answer); err != nil {
		t.Fatal(err)
	}
	return answer, called.Text()
}

// refused calls a tool, fails the test unless the answer is an error with this
// code, and returns its text.
func refused(t *testing.T, f fixture, code tools.Code, tool string, arguments map[string]any) string {
	t.Helper()
	called := f.Call(t, tool, arguments)
	if !called.IsError || called.Meta.Error.Code != string(code) {
		t.Fatalf("%s %v: want %s, got %s", tool, arguments, code, called.Text())
	}
	return called.Text()
}

// write writes a file below a directory.
func write(t *testing.T, root, path, content string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
