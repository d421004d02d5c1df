//go:build !windows

package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Links in a circle are refused in words of our own, wherever they stand.
func TestLinksInACircleAreRefused(t *testing.T) {
	root := t.TempDir()
	for name, target := range map[string]string{"one": "two", "two": "one", ".wrangler/issues/ISS-000007-circle.md": "ISS-000007-circle.md"} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, file); err != nil {
			t.Fatal(err)
		}
	}
	open := func(dir, issues string) (*Workspace, error) {
		return Open(Options{Root: dir, Getenv: func(name string) string {
			return map[string]string{"WRANGLER_ISSUES_DIRECTORY": issues}[name]
		}})
	}
	w, err := open(root, "")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for name, try := range map[string]func() error{
		"the workspace":       func() error { _, err := open(filepath.Join(root, "one"), ""); return err },
		"a configured folder": func() error { _, err := open(root, "one"); return err },
		"a document":          func() error { _, _, err := w.Load(".wrangler/issues/ISS-000007-circle.md"); return err },
		"what the walk tells": func() error {
			listing, err := w.List(t.Context())
			if err != nil || len(listing.Problems) != 1 {
				t.Fatalf("%+v, %v", listing, err)
			}
			return errors.New(listing.Problems[0].Reason())
		},
	} {
		err := try()
		if err == nil || strings.Contains(err.Error(), "EvalSymlinks") || !strings.Contains(err.Error(), "circle") && !strings.Contains(err.Error(), "levels of symbolic links") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
