package repair

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/db"
	"issues-index/store"
)

// testTime is the time that changed documents get.
var testTime = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// A workspace is a workspace under test.
type workspace struct {
	testing.TB
	root string
	ix   *index.Index
}

// newWorkspace makes a workspace of files, by path, whose issues lie in a directory.
func newWorkspace(tb testing.TB, issues string, files map[string]string) *workspace {
	tb.Helper()
	root := tb.TempDir()
	writeFiles(tb, root, files)
	return openWorkspace(tb, root, issues)
}

func writeFiles(tb testing.TB, root string, files map[string]string) {
	tb.Helper()
	for p, text := range files {
		file := filepath.Join(root, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

// openWorkspace opens the workspace in a folder, whose issues lie in a directory.
func openWorkspace(tb testing.TB, root, issues string) *workspace {
	tb.Helper()
	return openIndex(tb, root, issues, index.Options{Mode: index.ModeVerify, Path: db.MemoryPath})
}

func openIndex(tb testing.TB, root, issues string, o index.Options) *workspace {
	tb.Helper()
	ws, err := store.Open(store.Options{Root: root, Getenv: func(name string) string {
		if name == "WRANGLER_ISSUES_DIRECTORY" {
			return issues
		}
		return ""
	}})
	if err != nil {
		tb.Fatal(err)
	}
	ix, err := index.Open(context.Background(), ws, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := ix.Close(); err != nil {
			tb.Error(err)
		}
		if err := ws.Close(); err != nil {
			tb.Error(err)
		}
	})
	return &workspace{tb, root, ix}
}

func (w *workspace) check() *Report {
	w.Helper()
	r, err := Check(context.Background(), w.ix, testTime)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// fix makes the changes of a report, all of which have to succeed.
func (w *workspace) fix(r *Report) {
	w.Helper()
	errs, behind := Fix(context.Background(), w.ix, r.Changes)
	if behind != nil {
		w.Fatal(behind)
	}
	for i, err := range errs {
		if err != nil {
			w.Errorf("%s: %v", r.Changes[i].From, err)
		}
	}
}

// files reads every Markdown file, by path.
func (w *workspace) files() map[string]string {
	w.Helper()
	return markdownFiles(w, w.root)
}

func markdownFiles(tb testing.TB, root string) map[string]string {
	tb.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".md") {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		files[filepath.ToSlash(relative)] = string(data)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// sameFiles compares two workspaces.
func sameFiles(tb testing.TB, got, want map[string]string) {
	tb.Helper()
	if maps.Equal(got, want) {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(want)) {
		if text, ok := got[p]; !ok {
			tb.Errorf("%s is gone", p)
		} else if text != want[p] {
			tb.Errorf("%s is %q, want %q", p, text, want[p])
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			tb.Errorf("%s is new", p)
		}
	}
}
