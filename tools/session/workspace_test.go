package session

import (
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
	toolstest.Write(t, root, spec, "---\nid: SPEC-000001\ntitle: Sort by relevance\n---\n")
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
	answer, _ := toolstest.Must[startAnswer](t, f.Client, "session_start", map[string]any{"specFile": spec})
	return answer.SessionID
}
