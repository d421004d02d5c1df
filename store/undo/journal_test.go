package undo_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"issues-index/store"
	"issues-index/store/undo"
)

const (
	one, two = ".wrangler/issues/ISS-1.md", ".wrangler/issues/ISS-2.md"
	journal  = ".wrangler/cache/undo.jsonl"
)

// begun is a workspace in which a command ended that changed the project of a document, and
// another one runs that has changed the projects of two. ended is what the journal had between.
func begun(t *testing.T) (root string, running *undo.Recording, before []map[string]string, ended []byte) {
	t.Helper()
	root = t.TempDir()
	put(t, root, one, "---\nid: ISS-1\n---\n")
	put(t, root, two, "---\nid: ISS-2\n---\n")
	ws := open(t, root)
	for _, paths := range [][]string{{one}, {one, two}} {
		before = append(before, files(t, root))
		var ctx context.Context
		ctx, running = undo.Record(t.Context(), "ann", "set")
		for _, p := range paths {
			set(t, ctx, ws, p, filepath.Base(p)+paths[len(paths)-1])
		}
		if len(paths) == 1 {
			if err := running.End(); err != nil {
				t.Fatal(err)
			}
			ended = get(t, root, journal)
		}
	}
	return root, running, before, ended
}

// dead is a workspace of begun, open, whose running command has died.
func dead(t *testing.T) (root string, ws *store.Workspace, before []map[string]string) {
	t.Helper()
	root, running, before, _ := begun(t)
	if err := running.Die(); err != nil {
		t.Fatal(err)
	}
	return root, open(t, root), before
}

func TestADeadCommandIsTakenBackBeforeTheOneBefore(t *testing.T) {
	root, ws, before := dead(t)
	if last, err := undo.TakeBack(t.Context(), ws, all, true); err != nil || !last.Unfinished || last.Torn || len(last.Changes) != 2 {
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
	if last, err := undo.TakeBack(t.Context(), ws, all, true); err != nil || len(last.Changes) != 1 || last.Changes[0].Path != one {
		t.Error(last, err)
	}
	if err := takeBack(t.Context(), ws); err != nil {
		t.Fatal(err)
	}
	if now := files(t, root); !maps.Equal(now, before[1]) {
		t.Errorf("%q, want %q", now, before[1])
	}
}

// What a power failure leaves of a journal hides no command before, and the one that it cuts is said
// to be torn or damaged.
func TestATornJournalSaysSo(t *testing.T) {
	root, running, _, ended := begun(t)
	if err := running.Die(); err != nil {
		t.Fatal(err)
	}
	ws, whole := open(t, root), get(t, root, journal)
	head := len(ended) + 1 + bytes.IndexByte(whole[len(ended)+1:], '\n') // where its first line ends
	for size := len(ended); size < len(whole); size++ {
		put(t, root, journal, string(whole[:size]))
		last, err := undo.TakeBack(t.Context(), ws, all, true)
		if errors.Is(err, undo.ErrDamaged) && size > head && !bytes.Contains(whole[head+2:size], []byte("\n")) {
			continue
		}
		lineEnd := whole[size] == '\n' || whole[size-1] == '\n'
		switch {
		case err != nil:
			t.Fatalf("%d bytes: %v", size, err)
		case size < head || size <= head+2: // nothing was changed yet
			if last.ID == running.ID {
				t.Fatalf("%d bytes: %v", size, last)
			}
		case last.ID != running.ID || !last.Unfinished || !last.Torn && !lineEnd:
			t.Fatalf("%d bytes: %v", size, last)
		}
	}
}

// The next line is not glued to what a killed program has left.
func TestHalfALineHidesNoOtherEntry(t *testing.T) {
	root, running, _, ended := begun(t)
	if err := running.Die(); err != nil {
		t.Fatal(err)
	}
	whole := get(t, root, journal)
	for size := len(ended); size < len(whole); size++ {
		put(t, root, journal, string(whole[:size]))
		put(t, root, one, "---\nid: ISS-1\n---\n")
		ws := open(t, root)
		ctx, next := undo.Record(t.Context(), "bob", "next")
		set(t, ctx, ws, one, "next")
		if err := next.End(); err != nil {
			t.Fatal(err)
		}
		e, err := undo.TakeBack(t.Context(), ws, all, false)
		if err != nil || e.ID != next.ID || e.Torn || e.Unfinished {
			t.Fatalf("%d bytes: %v, %v", size, e, err)
		}
		put(t, root, one, "---\nid: ISS-1\n---\n")
		if entries, err := undo.List(ws, all, 10); err != nil || entries[len(entries)-1].Unfinished {
			t.Fatalf("%d bytes: %v, %v", size, entries, err)
		}
	}
}

// Else the documents of a command that is still running would not all be taken back.
func TestARunningCommandIsNotTakenBack(t *testing.T) {
	root, running, _, _ := begun(t)
	ws := open(t, root)
	before := files(t, root)
	waiting, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := undo.TakeBack(waiting, ws, all, false); !errors.Is(err, undo.ErrRunning) {
		t.Error(err)
	}
	if now := files(t, root); !maps.Equal(now, before) {
		t.Errorf("%q became %q", before, now)
	}
	if err := running.Die(); err != nil {
		t.Fatal(err)
	}
	if _, err := undo.TakeBack(t.Context(), ws, all, false); err != nil {
		t.Error(err)
	}
}
