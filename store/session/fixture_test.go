package session

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"issues-index/store"
	"issues-index/store/storetest"
)

var (
	writeFiles = storetest.WriteFiles
	realDir    = storetest.RealDir
	tree       = storetest.Tree
)

// tick is a clock for tests: it stands still.
func tick() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// openWorkspace opens root without settings from the environment.
func openWorkspace(t testing.TB, root string, now func() time.Time) Sessions {
	t.Helper()
	w, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return Sessions{w}
}

// newWorkspace opens a new workspace that holds files.
func newWorkspace(t testing.TB, files map[string]string) Sessions {
	t.Helper()
	root := t.TempDir()
	writeFiles(t, root, files)
	return openWorkspace(t, root, nil)
}

func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
}
