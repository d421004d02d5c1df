package issues

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/db"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// A fixture is a workspace under test and a client of its tools.
type fixture struct {
	*toolstest.Client
	root string
	ix   *index.Index
}

// open serves a copy of a workspace. Every file is as old as the next, so that
// answers do not depend on the checkout.
func open(t *testing.T, from string) fixture {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	then := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, then, then)
	})
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, root)
}

// serve serves the workspace in a directory, and compares all files with the
// index before each call.
func serve(t *testing.T, root string) fixture {
	t.Helper()
	return serveWith(t, root, index.Options{Mode: index.ModeVerify, Path: db.MemoryPath}, edit.LockWait)
}

// serveWith serves with an index of the server's own choice, whose writers wait
// so long for each other.
func serveWith(t *testing.T, root string, options index.Options, wait time.Duration) fixture {
	t.Helper()
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }, Getwd: os.Getwd})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(t.Context(), ws, options)
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
	set := toolset(ix, edit.New(ix, wait))
	return fixture{toolstest.NewClient(t, tools.Config{Toolsets: []tools.Toolset{set}}), root, ix}
}

// corpus serves a copy of a real workspace.
func corpus(t *testing.T) fixture {
	t.Helper()
	return open(t, filepath.FromSlash("../../testdata/corpora/wrangler"))
}

// foreignCorpus serves a folder of the real documents of another program as issues.
func foreignCorpus(t *testing.T, folder string) fixture {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, ".wrangler", "issues"), os.DirFS(filepath.FromSlash("../../testdata/corpora/"+folder))); err != nil {
		t.Fatal(err)
	}
	return serve(t, root)
}

// read returns a file of the workspace.
func (f fixture) read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(f.root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// documentPaths returns the paths of a workspace's documents, by a plain walk.
func documentPaths(t *testing.T, root string) []string {
	t.Helper()
	var paths []string
	for _, collection := range []string{"issues", "specifications", "ideas"} {
		err := filepath.WalkDir(filepath.Join(root, ".wrangler", collection), func(path string, entry fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err == nil && strings.HasSuffix(path, ".md") && !strings.EqualFold(entry.Name(), "README.md") {
				relative, err := filepath.Rel(root, path)
				if err != nil {
					return err
				}
				paths = append(paths, filepath.ToSlash(relative))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return paths
}
