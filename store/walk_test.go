package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func list(t *testing.T, w *Workspace) Listing {
	t.Helper()
	l, err := w.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func paths(l Listing) []string {
	var all []string
	for _, f := range l.Files {
		all = append(all, f.Path)
	}
	return all
}

func problemPaths(l Listing) []string {
	var all []string
	for _, p := range l.Problems {
		all = append(all, p.Path)
	}
	return all
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

func wantPaths(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestList(t *testing.T) {
	t.Run("finds the documents of all collections at any depth, in path order", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{
			".wrangler/issues/b.md":                  "b",
			".wrangler/issues/a.md":                  "a",
			".wrangler/issues/archived/old/c.md":     "c",
			".wrangler/issues/README.md":             "no document",
			".wrangler/issues/picture.png":           "no document",
			".wrangler/issues/.trash/d.md":           "hidden",
			".wrangler/issues/.e.md":                 "hidden",
			".wrangler/ideas/f.md":                   "f",
			".wrangler/memos/g.md":                   "no collection",
			".wrangler/issues/dir.md/inside.md":      "a directory may be named like a document",
			".wrangler/specifications/empty/.gitkip": "",
		})
		l := list(t, w)
		wantPaths(t, "files", paths(l),
			".wrangler/ideas/f.md", ".wrangler/issues/a.md", ".wrangler/issues/archived/old/c.md",
			".wrangler/issues/b.md", ".wrangler/issues/dir.md/inside.md")
		wantPaths(t, "directories", l.Dirs,
			".wrangler/ideas", ".wrangler/issues", ".wrangler/issues/archived", ".wrangler/issues/archived/old",
			".wrangler/issues/dir.md", ".wrangler/specifications", ".wrangler/specifications/empty")
		wantPaths(t, "problems", problemPaths(l))
		for _, f := range l.Files {
			if st, err := w.Stat(f.Path); err != nil || st != f.Stat {
				t.Errorf("%s: the listing says %+v, Stat says %+v, %v", f.Path, f.Stat, st, err)
			}
			if _, st, err := w.Read(f.Path); err != nil || st != f.Stat {
				t.Errorf("%s: the listing says %+v, Read says %+v, %v", f.Path, f.Stat, st, err)
			}
			if c, ok := w.CollectionOf(f.Path); !ok || c != *f.Collection {
				t.Errorf("%s: the listing says %v, CollectionOf says %v", f.Path, f.Collection, c)
			}
		}
	})

	t.Run("is empty where there is nothing", func(t *testing.T) {
		l := list(t, newWorkspace(t, nil))
		if len(l.Files)+len(l.Dirs)+len(l.Problems) > 0 {
			t.Errorf("%+v", l)
		}
	})

	t.Run("is empty again when the collections vanish", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{".wrangler/issues/a.md": "", ".wrangler/ideas/b.md": ""})
		if n := len(list(t, w).Files); n != 2 {
			t.Fatal(n)
		}
		if err := os.RemoveAll(filepath.Join(w.Root, ".wrangler")); err != nil {
			t.Fatal(err)
		}
		if l := list(t, w); len(l.Files)+len(l.Problems) > 0 {
			t.Errorf("%+v", l)
		}
	})

	t.Run("gives each file to one collection where they nest or coincide", func(t *testing.T) {
		root := t.TempDir()
		writeFiles(t, root, map[string]string{"a.md": "", "docs/b.md": "", "docs/ideas/c.md": ""})
		w := openWorkspace(t, root, map[string]string{
			"WRANGLER_ISSUES_DIRECTORY": ".", "WRANGLER_SPECIFICATIONS_DIRECTORY": "docs", "WRANGLER_IDEAS_DIRECTORY": "docs"})
		var got []string
		for _, f := range list(t, w).Files {
			got = append(got, f.Collection.Type+" "+f.Path)
		}
		wantPaths(t, "files", got, "issue a.md", "specification docs/b.md", "specification docs/ideas/c.md")
	})

	t.Run("gives each file to one collection where they nest in a linked folder", func(t *testing.T) {
		root := t.TempDir()
		writeFiles(t, root, map[string]string{"data/a.md": "", "data/ideas/b.md": ""})
		symlink(t, "data", filepath.Join(root, "docs"))
		w := openWorkspace(t, root, map[string]string{
			"WRANGLER_ISSUES_DIRECTORY": "docs", "WRANGLER_IDEAS_DIRECTORY": "docs/ideas"})
		l := list(t, w)
		var got []string
		for _, f := range l.Files {
			got = append(got, f.Collection.Type+" "+f.Path)
		}
		wantPaths(t, "files", got, "issue docs/a.md", "idea docs/ideas/b.md")
		wantPaths(t, "problems", problemPaths(l))
	})

	t.Run("refuses a collection that is a link to another one, and new documents there", func(t *testing.T) {
		root := t.TempDir()
		writeFiles(t, root, map[string]string{"docs/a.md": ""})
		symlink(t, "docs", filepath.Join(root, "notes"))
		w := openWorkspace(t, root, map[string]string{
			"WRANGLER_ISSUES_DIRECTORY": "docs", "WRANGLER_IDEAS_DIRECTORY": "notes"})
		l := list(t, w)
		wantPaths(t, "files", paths(l), "docs/a.md")
		wantPaths(t, "problems", problemPaths(l), "notes")
		_, err := w.Create(t.Context(), NewDocument{Type: TypeIdea, Title: "lost"}, CreateOptions{})
		if err == nil || !strings.Contains(err.Error(), "is a link to a folder of the collection docs") {
			t.Errorf("a document that no listing has was made: %v", err)
		}
	})

	t.Run("refuses a collection below another one that is a link into it", func(t *testing.T) {
		for _, target := range []string{"archive", "."} {
			root := t.TempDir()
			writeFiles(t, root, map[string]string{"docs/archive/a.md": ""})
			symlink(t, target, filepath.Join(root, "docs/specs"))
			w := openWorkspace(t, root, map[string]string{
				"WRANGLER_ISSUES_DIRECTORY": "docs", "WRANGLER_SPECIFICATIONS_DIRECTORY": "docs/specs"})
			l := list(t, w)
			wantPaths(t, "files", paths(l), "docs/archive/a.md")
			wantPaths(t, "problems", problemPaths(l), "docs/specs")
		}
	})

	t.Run("finds every file of a large folder", func(t *testing.T) {
		files := map[string]string{}
		for i := range 3*share + 7 {
			files[fmt.Sprintf(".wrangler/issues/%04d.md", i)] = ""
		}
		for i := range 200 {
			files[fmt.Sprintf(".wrangler/ideas/%04d/a.md", i)] = ""
		}
		if n := len(list(t, newWorkspace(t, files)).Files); n != len(files) {
			t.Errorf("%d of %d", n, len(files))
		}
	})

	t.Run("stops when its context ends", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{".wrangler/issues/a.md": ""})
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := w.List(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})

	t.Run("reports what it cannot read and lists the rest", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("a mode takes away no right to read there")
		}
		w := newWorkspace(t, map[string]string{".wrangler/issues/a.md": "", ".wrangler/issues/shut/b.md": "", ".wrangler/ideas": "a file"})
		want := []string{".wrangler/ideas"}
		if os.Getuid() != 0 {
			if err := os.Chmod(filepath.Join(w.Root, ".wrangler/issues/shut"), 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(filepath.Join(w.Root, ".wrangler/issues/shut"), 0o755) })
			want = append(want, ".wrangler/issues/shut")
		} else {
			t.Log("permissions do not bind root: the unreadable folder is left out")
		}
		l := list(t, w)
		wantPaths(t, "problems", problemPaths(l), want...)
		if !slices.Contains(paths(l), ".wrangler/issues/a.md") {
			t.Error("a.md is missing")
		}
	})

	t.Run("reports a name that is not UTF-8", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("names are UTF-16 there")
		}
		w := newWorkspace(t, map[string]string{".wrangler/issues/a.md": ""})
		if err := os.WriteFile(filepath.Join(w.Root, ".wrangler/issues/b\xff.md"), nil, 0o644); err != nil {
			t.Skip("the file system takes no such name:", err)
		}
		l := list(t, w)
		wantPaths(t, "files", paths(l), ".wrangler/issues/a.md")
		wantPaths(t, "problems", problemPaths(l), ".wrangler/issues/b\ufffd.md")
	})
}

func TestListFollowsLinks(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		".wrangler/issues/a.md":     "a",
		".wrangler/issues/sub/b.md": "b",
		"shared/c.md":               "cc",
		"shared/more/d.md":          "d",
		"target.txt":                "linked",
	})
	outside := t.TempDir()
	writeFiles(t, outside, map[string]string{"secret.md": "secret"})
	issues := filepath.Join(w.Root, ".wrangler/issues")
	symlink(t, "../../shared", filepath.Join(issues, "linked"))
	symlink(t, filepath.Join(w.Root, "shared"), filepath.Join(issues, "twice")) // absolute, and a second way to one folder
	symlink(t, "../../target.txt", filepath.Join(issues, "file.md"))
	symlink(t, filepath.Join(w.Root, "target.txt"), filepath.Join(issues, "absolute.md"))
	symlink(t, "sub", filepath.Join(issues, "dir.md"))
	symlink(t, "..", filepath.Join(issues, "sub", "up")) // a loop
	symlink(t, "self", filepath.Join(issues, "self"))    // a loop of links
	symlink(t, "gone", filepath.Join(issues, "note"))    // dangling, and not named like a document
	symlink(t, "gone.md", filepath.Join(issues, "dangling.md"))
	symlink(t, filepath.Join(outside, "secret.md"), filepath.Join(issues, "secret.md"))
	symlink(t, outside, filepath.Join(issues, "away"))

	l := list(t, w)
	t.Run("of files, and none of folders", func(t *testing.T) {
		wantPaths(t, "files", paths(l),
			".wrangler/issues/a.md", ".wrangler/issues/absolute.md", ".wrangler/issues/file.md",
			".wrangler/issues/sub/b.md")
		wantPaths(t, "directories", l.Dirs, ".wrangler/issues", ".wrangler/issues/sub")
	})
	t.Run("reports those to folders, and those that lead out, loop or dangle", func(t *testing.T) {
		wantPaths(t, "problems", problemPaths(l),
			".wrangler/issues/away", ".wrangler/issues/dangling.md", ".wrangler/issues/dir.md", ".wrangler/issues/linked",
			".wrangler/issues/secret.md", ".wrangler/issues/self", ".wrangler/issues/sub/up", ".wrangler/issues/twice")
		for _, p := range l.Problems {
			var refused *PathError
			if dangles := strings.HasSuffix(p.Path, "dangling.md"); errors.As(p.Err, &refused) == dangles {
				t.Errorf("%s: %v", p.Path, p.Err)
			}
			if text := p.Err.Error(); strings.Contains(text, outside) || strings.Contains(text, w.Root) {
				t.Errorf("%s: the error shows an absolute path: %s", p.Path, text)
			}
		}
	})
	t.Run("describes a linked file by its target", func(t *testing.T) {
		target, err := w.Stat("target.txt")
		if err != nil {
			t.Fatal(err)
		}
		target.Symlink = true
		for _, f := range l.Files {
			linked := strings.HasSuffix(f.Path, "/file.md") || strings.HasSuffix(f.Path, "/absolute.md")
			if f.Stat.Symlink != linked || linked && f.Stat != target {
				t.Errorf("%s: %+v", f.Path, f.Stat)
			}
			data, st, err := w.Read(f.Path)
			if err != nil || st != f.Stat || int64(len(data)) != st.Size {
				t.Errorf("%s: read %d bytes, %+v, %v", f.Path, len(data), st, err)
			}
			if st, err := w.Stat(f.Path); err != nil || st != f.Stat {
				t.Errorf("%s: Stat says %+v, %v", f.Path, st, err)
			}
		}
	})
	t.Run("always in the same way", func(t *testing.T) {
		for range 20 {
			again := list(t, w)
			if !reflect.DeepEqual(again.Files, l.Files) || !slices.Equal(again.Dirs, l.Dirs) {
				t.Fatalf("%v and %v", paths(l), paths(again))
			}
		}
	})
	t.Run("a collection that is itself a link", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{"elsewhere/a.md": ""})
		symlink(t, "../elsewhere", filepath.Join(w.Root, ".wrangler/issues"))
		symlink(t, outside, filepath.Join(w.Root, ".wrangler/ideas"))
		l := list(t, w)
		wantPaths(t, "files", paths(l), ".wrangler/issues/a.md")
		wantPaths(t, "problems", problemPaths(l), ".wrangler/ideas")
	})
	t.Run("a collection that is a link to another one", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{".wrangler/issues/a.md": "", ".wrangler/issues/sub/b.md": ""})
		symlink(t, "issues", filepath.Join(w.Root, ".wrangler/specifications"))
		symlink(t, "issues/sub", filepath.Join(w.Root, ".wrangler/ideas"))
		l := list(t, w)
		wantPaths(t, "files", paths(l), ".wrangler/issues/a.md", ".wrangler/issues/sub/b.md")
		wantPaths(t, "problems", problemPaths(l), ".wrangler/ideas", ".wrangler/specifications")
	})
}
