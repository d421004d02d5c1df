package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store"
	"issues-index/store/layout"
)

func TestOpenReadsTheLayout(t *testing.T) {
	open := func(t *testing.T, make func(file string) error) (*store.Workspace, error) {
		t.Helper()
		root := t.TempDir()
		file := filepath.Join(root, layout.File)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := make(file); err != nil {
			t.Skip(err)
		}
		w, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
		if err == nil {
			t.Cleanup(func() { _ = w.Close() })
		}
		return w, err
	}
	refused := func(t *testing.T, make func(file string) error, want string) {
		t.Helper()
		_, err := open(t, make)
		var invalid *layout.InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	t.Run("of its file", func(t *testing.T) {
		w, err := open(t, func(file string) error { return os.WriteFile(file, []byte("priorities: [p2, p1]\n"), 0o644) })
		if err != nil || w.Layout.DefaultPriority() != "p2" || w.Layout.DefaultStatus() != "open" {
			t.Errorf("%v, %+v", err, w)
		}
	})
	t.Run("of nothing", func(t *testing.T) {
		w, err := open(t, func(string) error { return nil })
		if err != nil || w.Layout.DefaultPriority() != "medium" {
			t.Errorf("%v, %+v", err, w)
		}
	})
	t.Run("not of a folder", func(t *testing.T) {
		if _, err := open(t, func(file string) error { return os.Mkdir(file, 0o755) }); err != nil {
			t.Error(err)
		}
	})
	t.Run("of a broken file with the line", func(t *testing.T) {
		refused(t, func(file string) error { return os.WriteFile(file, []byte("a: 1\npriorities: low\n"), 0o644) }, layout.File+":2: invalid priorities")
	})
	t.Run("of a huge file no more than the limit", func(t *testing.T) {
		refused(t, func(file string) error {
			f, err := os.Create(file)
			if err == nil {
				err = errors.Join(f.Truncate(1<<40), f.Close())
			}
			return err
		}, "over 65536 bytes")
	})
	t.Run("never from outside of the workspace", func(t *testing.T) {
		outside := filepath.Join(t.TempDir(), "outside.yaml")
		if err := os.WriteFile(outside, []byte("priorities: [p1]\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		refused(t, func(file string) error { return os.Symlink(outside, file) }, layout.File+": it cannot be read")
	})
}
