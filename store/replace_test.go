package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store/cachedir"
)

func TestReplaceKeeps(t *testing.T) {
	change := Fields{Project: new("P")}
	t.Run("the mode", func(t *testing.T) {
		for _, mode := range []os.FileMode{0o600, 0o644, 0o664, 0o777, 0o200 | 0o040, 0o2664} {
			mode = mode&os.ModePerm | map[bool]os.FileMode{true: os.ModeSetgid}[mode&0o2000 != 0]
			w := clocked(t, map[string]string{aPath: openIssue})
			full := filepath.Join(w.Root, aPath)
			if err := os.Chmod(full, mode); err != nil {
				t.Fatal(err)
			}
			was, err := os.Stat(full)
			if err != nil {
				t.Fatal(err)
			}
			if mode&0o400 == 0 && os.Getuid() != 0 {
				continue // not even readable
			}
			if _, err := update(w, change); err != nil {
				t.Fatal(err)
			}
			if now, err := os.Stat(full); err != nil || now.Mode() != was.Mode() {
				t.Errorf("%v, was %v, %v", now.Mode(), was.Mode(), err)
			}
		}
	})
	t.Run("the mode of a file that moves", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: openIssue})
		if err := os.Chmod(filepath.Join(w.Root, aPath), 0o640); err != nil {
			t.Fatal(err)
		}
		was, err := os.Stat(filepath.Join(w.Root, aPath)) // Windows keeps only the right to write
		if err != nil {
			t.Fatal(err)
		}
		done, err := update(w, Fields{Status: new("closed")})
		if err != nil {
			t.Fatal(err)
		}
		if now, err := os.Stat(filepath.Join(w.Root, done.Path)); err != nil || now.Mode() != was.Mode() {
			t.Error(now.Mode(), err)
		}
	})
	t.Run("a symbolic link, and writes to the file that it leads to", func(t *testing.T) {
		w := clocked(t, map[string]string{"docs/a.md": openIssue})
		symlink(t, "middle.md", filepath.Join(w.Root, aPath))
		symlink(t, "../../docs/a.md", filepath.Join(w.Root, ".wrangler/issues/middle.md"))
		if _, err := update(w, change); err != nil {
			t.Fatal(err)
		}
		all := tree(t, w.Root)
		if all[aPath] != "-> middle.md" || all[".wrangler/issues/middle.md"] != "-> ../../docs/a.md" || !strings.Contains(all["docs/a.md"], "project: P") {
			t.Error(all)
		}
	})
	t.Run("a file in a linked folder in its place", func(t *testing.T) {
		w := clocked(t, map[string]string{"docs/a.md": openIssue})
		symlink(t, filepath.Join(w.Root, "docs"), filepath.Join(w.Root, ".wrangler/issues"))
		if _, err := update(w, change); err != nil {
			t.Fatal(err)
		}
		if all := tree(t, w.Root); !strings.Contains(all["docs/a.md"], "project: P") || len(temporaries(all)) > 0 {
			t.Error(all)
		}
	})
	t.Run("the other names of a hard-linked file as they were: the link is broken", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: openIssue})
		other := filepath.Join(t.TempDir(), "outside.md")
		if err := os.Link(filepath.Join(w.Root, aPath), other); err != nil {
			t.Skip("hard links cannot be made here:", err)
		}
		if _, err := update(w, change); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(other)
		if err != nil || string(data) != openIssue || !strings.Contains(readFile(t, w, aPath), "project: P") {
			t.Errorf("%s, %v", data, err)
		}
	})
}

func TestTemporaryFilesAreNeverDocumentsAndNeverShared(t *testing.T) {
	w := clocked(t, nil)
	seen := map[string]bool{}
	for range 1000 {
		name := cachedir.TemporaryName()
		if seen[name] || !cachedir.IsTemporary(name) || documentName(name) {
			t.Fatal(name)
		}
		seen[name] = true
	}
	root := t.TempDir()
	writeFiles(t, root, map[string]string{aPath: openIssue})
	met := 0
	w, d := openFaulty(t, root, never)
	d.strike = func(_ int, op string) (bool, error) {
		if op == "rename" || op == "sync" {
			met += len(temporaries(tree(t, root)))
			if l := list(t, w); len(l.Files) != 1 || len(l.Problems) > 0 {
				t.Errorf("listed beside a temporary file: %v", l)
			}
		}
		return false, nil
	}
	if _, err := w.Update(context.Background(), aPath, project("P")); err != nil || met == 0 {
		t.Error(met, err)
	}
}
