package store

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// holdOpen opens a file as a program does that lets nobody delete or replace it meanwhile.
func holdOpen(t *testing.T, full string) (letGo func()) {
	t.Helper()
	name, err := windows.UTF16PtrFromString(full)
	if err != nil {
		t.Fatal(err)
	}
	share := uint32(windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE)
	h, err := windows.CreateFile(name, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return func() { _ = windows.CloseHandle(h) }
}

func TestWindowsFileHeld(t *testing.T) {
	w := newWorkspace(t, map[string]string{aPath: openIssue})
	ctx := context.Background()
	if _, err := w.Update(ctx, aPath, project("before")); err != nil { // makes the cache
		t.Fatal(err)
	}
	before := tree(t, w.Root)
	letGo := holdOpen(t, filepath.Join(w.Root, aPath))
	closed := func(*Document) (Fields, error) { return Fields{Status: new("closed")}, nil }
	for name, change := range map[string]func() error{
		"edit":   func() error { _, err := w.Update(ctx, aPath, project("P")); return err },
		"close":  func() error { _, err := w.Update(ctx, aPath, closed); return err },
		"delete": func() error { _, err := w.Delete(ctx, aPath, nil); return err },
	} {
		err := change()
		var refused *DiskError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "another program has the file open: close it there") {
			t.Errorf("%s: %v", name, err)
		}
		now := tree(t, w.Root)
		for p := range now {
			if strings.Contains(p, "archived") { // the folder may stay
				delete(now, p)
			}
		}
		for p, text := range before {
			if now[p] != text {
				t.Errorf("%s: %s is %q now", name, p, now[p])
			}
		}
		if len(now) != len(before) {
			t.Errorf("%s leaves %v, was %v", name, now, before)
		}
	}
	letGo()
	done, err := w.Update(ctx, aPath, closed)
	if err != nil || done.Path != ".wrangler/issues/archived/a.md" {
		t.Errorf("let go: %q, %v", done.Path, err)
	}
}

func TestWindowsFileLetGoInTime(t *testing.T) {
	tries := 0
	err := patiently(func() error {
		if tries++; tries < 4 {
			return &os.PathError{Err: windows.ERROR_SHARING_VIOLATION}
		}
		return nil
	})
	if err != nil || tries != 4 {
		t.Errorf("%d tries, %v", tries, err)
	}
}

func TestWindowsReservedNames(t *testing.T) {
	w := newWorkspace(t, nil)
	for i, title := range []string{"con", "nul", "COM1", "ends in a dot.", "ends in a space ", "a:stream", "..."} {
		doc, err := w.Create(context.Background(), NewDocument{Type: TypeIssue, Title: title}, CreateOptions{})
		if err != nil {
			t.Errorf("%q: %v", title, err)
			continue
		}
		names, err := w.Names(".wrangler/issues")
		if err != nil || len(names) != i+1 || !slices.Contains(names, path.Base(doc.Path)) {
			t.Errorf("%q: %v, %v", title, names, err)
		}
		if _, _, err := w.Load(doc.Path); err != nil {
			t.Errorf("%q: %v", title, err)
		}
	}
	for _, name := range []string{"con", "con.md", "NUL.md", "a.md:stream"} {
		p := ".wrangler/issues/" + name
		if _, err := w.Update(context.Background(), p, project("P")); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

func TestWindowsCaseOfNames(t *testing.T) {
	w := newWorkspace(t, map[string]string{aPath: openIssue})
	const upper = ".wrangler/issues/A.md"
	between := filepath.Join(w.Root, "between") // Wine 8 keeps the old case where there is none
	err := errors.Join(os.Rename(filepath.Join(w.Root, aPath), between), os.Rename(between, filepath.Join(w.Root, upper)))
	if err != nil {
		t.Fatal(err)
	}
	l, err := w.List(context.Background())
	if err != nil || len(l.Files) != 1 || l.Files[0].Path != upper {
		t.Fatalf("%+v, %v", l.Files, err)
	}
	if done, err := w.Update(context.Background(), upper, project("P")); err != nil || done.Path != upper {
		t.Errorf("%q, %v", done.Path, err)
	}
	if l, err = w.List(context.Background()); err != nil || len(l.Files) != 1 || l.Files[0].Path != upper {
		t.Errorf("%+v, %v", l.Files, err)
	}
}

func TestWindowsLongPaths(t *testing.T) {
	p := ".wrangler/issues/" + strings.Repeat("a-long-folder-name/", 15) + "a.md"
	w := newWorkspace(t, map[string]string{p: openIssue})
	if len(w.Root)+len(p) < 300 {
		t.Fatal("the path is short")
	}
	closed := func(*Document) (Fields, error) { return Fields{Status: new("closed")}, nil }
	done, err := w.Update(context.Background(), p, closed)
	if err != nil {
		t.Fatal(err)
	}
	back, err := w.Update(context.Background(), done.Path, project("P"))
	if err != nil || readFile(t, w, back.Path) == "" {
		t.Error(err)
	}
	if l, err := w.List(context.Background()); err != nil || len(l.Files) != 1 {
		t.Errorf("%+v, %v", l.Files, err)
	}
}

func TestWindowsCRLF(t *testing.T) {
	w := newWorkspace(t, map[string]string{aPath: strings.ReplaceAll(openIssue, "\n", "\r\n")})
	if _, err := w.Update(context.Background(), aPath, project("P")); err != nil {
		t.Fatal(err)
	}
	text := readFile(t, w, aPath)
	if strings.Count(text, "\n") != strings.Count(text, "\r\n") || !strings.Contains(text, "project: P\r\n") {
		t.Errorf("%q", text)
	}
}
