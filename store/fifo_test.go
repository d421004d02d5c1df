//go:build linux || darwin

package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A FIFO without a writer would hold whoever opens it for ever.
func TestFIFOIsNoDocument(t *testing.T) {
	w := newWorkspace(t, map[string]string{".wrangler/issues/a.md": ""})
	for _, name := range []string{"pipe.md", "dir"} {
		if err := unix.Mkfifo(filepath.Join(w.Root, ".wrangler/issues", name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(w.Root, ".wrangler/ideas"), 0o644); err != nil {
		t.Fatal(err)
	}
	symlink(t, "pipe.md", filepath.Join(w.Root, ".wrangler/issues/link.md"))
	for _, name := range []string{"pipe.md", "link.md"} {
		p := ".wrangler/issues/" + name
		if _, _, err := w.Read(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Read %s: %v", name, err)
		}
		if _, err := w.Stat(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Stat %s: %v", name, err)
		}
	}
	for _, name := range []string{"pipe.md/a.md", "dir/a.md", "link.md/a.md"} {
		p := ".wrangler/issues/" + name
		if _, _, err := w.Load(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Load %s: %v", name, err)
		}
		if _, err := w.Stat(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Stat %s: %v", name, err)
		}
	}
	l := list(t, w)
	wantPaths(t, "files", paths(l), ".wrangler/issues/a.md")
	wantPaths(t, "problems", problemPaths(l), ".wrangler/ideas", ".wrangler/issues/link.md", ".wrangler/issues/pipe.md")
}
