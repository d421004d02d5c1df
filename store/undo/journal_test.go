package undo_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"issues-index/store"
	"issues-index/store/undo"
)

const (
	one, two   = ".wrangler/issues/ISS-1.md", ".wrangler/issues/ISS-2.md"
	oneJournal = ".wrangler/cache/undo-0000000002.undo"
)

// begun is a workspace in which a command ended that changed the project of a document, and
// another one runs that has changed the projects of two.
func begun(t *testing.T) (root string, running *undo.Undoable, before []map[string]string) {
	t.Helper()
	root = t.TempDir()
	put(t, root, one, "---\nid: ISS-1\n---\n")
	put(t, root, two, "---\nid: ISS-2\n---\n")
	for _, paths := range [][]string{{one}, {one, two}} {
		before = append(before, files(t, root))
		running = &undo.Undoable{Command: "set"}
		ws := open(t, root, store.Options{Changing: running.Changing})
		t.Cleanup(func() { _ = ws.Close() })
		for _, p := range paths {
			project := filepath.Base(p) + paths[len(paths)-1]
			_, err := ws.Update(t.Context(), p, func(*store.Document) (store.Fields, error) { return store.Fields{Project: &project}, nil })
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(paths) == 1 {
			if err := running.Keep(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root, running, before
}

// dead is a workspace of begun, open, whose running command has died.
func dead(t *testing.T) (root string, ws *store.Workspace, before []map[string]string) {
	t.Helper()
	root, running, before := begun(t)
	if err := running.Die(); err != nil {
		t.Fatal(err)
	}
	ws = open(t, root, store.Options{})
	t.Cleanup(func() { _ = ws.Close() })
	return root, ws, before
}

func TestADeadCommandIsTakenBackBeforeTheOneBefore(t *testing.T) {
	root, ws, before := dead(t)
	if last, err := undo.Last(t.Context(), ws); err != nil || !last.Unfinished || last.Torn || len(last.Changes) != 2 {
		t.Error(last, err)
	}
	for _, want := range []map[string]string{before[1], before[0]} {
		if err := takeBack(t.Context(), ws); err != nil {
			t.Fatal(err)
		}
		if now := files(t, root); !maps.Equal(now, want) {
			t.Errorf("%q, want %q", now, want)
		}
	}
}

// A change that was written down and then not made is none.
func TestAChangeThatWasNotMadeIsNotTakenBack(t *testing.T) {
	root, ws, before := dead(t)
	put(t, root, two, "---\nid: ISS-2\n---\n")
	if last, err := undo.Last(t.Context(), ws); err != nil || len(last.Changes) != 1 || last.Changes[0].Path != one {
		t.Error(last, err)
	}
	if err := takeBack(t.Context(), ws); err != nil {
		t.Fatal(err)
	}
	if now := files(t, root); !maps.Equal(now, before[1]) {
		t.Errorf("%q, want %q", now, before[1])
	}
}

// What a power failure leaves of a journal is said to be torn or damaged, and never hides the
// command.
func TestATornJournalSaysSo(t *testing.T) {
	root, ws, _ := dead(t)
	whole, err := os.ReadFile(filepath.Join(root, oneJournal))
	if err != nil {
		t.Fatal(err)
	}
	for size := range len(whole) {
		put(t, root, oneJournal, string(whole[:size]))
		last, err := undo.Last(t.Context(), ws)
		switch {
		case errors.Is(err, undo.ErrDamaged):
		case err != nil:
			t.Fatalf("%d bytes: %v", size, err)
		case bytes.IndexByte(whole, '\n') == size || bytes.IndexByte(whole, '\n') == size-1: // nothing was changed
			if last.Unfinished {
				t.Fatalf("%d bytes: %v", size, last)
			}
		case !last.Unfinished || !last.Torn && whole[size] != '\n' && whole[size-1] != '\n':
			t.Fatalf("%d bytes: %v", size, last)
		}
	}
}

// Else the documents of a command that is still running would not all be taken back.
func TestARunningCommandIsNotTakenBack(t *testing.T) {
	root, running, _ := begun(t)
	ws := open(t, root, store.Options{})
	t.Cleanup(func() { _ = ws.Close() })
	before := files(t, root)
	waiting, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := takeBack(waiting, ws); !errors.Is(err, undo.ErrRunning) {
		t.Error(err)
	}
	if now := files(t, root); !maps.Equal(now, before) {
		t.Errorf("%q became %q", before, now)
	}
	if err := running.Die(); err != nil {
		t.Fatal(err)
	}
	err := undo.TakeBack(t.Context(), ws, func(*undo.Undoable) error {
		e := &undo.Undoable{Command: "set"}
		changing := open(t, root, store.Options{Changing: e.Changing})
		defer func() { _ = changing.Close() }()
		_, err := changing.Create(t.Context(), store.NewDocument{Title: "New"}, store.CreateOptions{})
		return err
	})
	if !errors.Is(err, undo.ErrUndoing) {
		t.Error("a command changes documents while a change is taken back:", err)
	}
	if now := files(t, root); !maps.Equal(now, before) {
		t.Errorf("%q became %q", before, now)
	}
}
