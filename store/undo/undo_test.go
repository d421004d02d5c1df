package undo_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store"
	_ "issues-index/store/storetest" // sizes, and rarer collections of garbage
	"issues-index/store/undo"
)

// Whatever a command does to documents, and also if it dies, taking it back gives every file the
// place and the bytes that it had.
func TestEveryChangeCanBeTakenBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root, err := os.MkdirTemp("", "undo")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(root) }()
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		for i := range 4 {
			text := fmt.Sprintf("---\nid: ISS-%d\ntitle: T%d # kept\nstatus: open\n---\n- [ ] a\n", i+1, i+1)
			put(t, root, fmt.Sprintf(".wrangler/issues/ISS-%d.md", i+1), strings.ReplaceAll(text, "\n", end))
		}
		put(t, root, "docs/linked.md", "---\nid: ISS-9\n---\nElsewhere.\n")
		if err := os.Symlink("../../docs/linked.md", filepath.Join(root, ".wrangler/issues/ISS-9.md")); err != nil {
			t.Fatal(err)
		}
		taking := open(t, root, store.Options{})
		defer func() { _ = taking.Close() }()

		var states []map[string]string
		for range rapid.IntRange(1, 3).Draw(t, "commands") {
			states = append(states, files(t, root))
			e := &undo.Undoable{Command: strconv.Itoa(len(states) - 1)}
			ws := open(t, root, store.Options{Changing: e.Changing})
			for range rapid.IntRange(1, 4).Draw(t, "changes") {
				change(t, ws)
			}
			if rapid.Bool().Draw(t, "dies") {
				err = e.Die()
			} else {
				err = e.Keep()
			}
			if err := errors.Join(err, ws.Close()); err != nil {
				t.Fatal(err)
			}
		}
		for {
			var command string
			err := undo.TakeBack(t.Context(), taking, func(e *undo.Undoable) error {
				command = e.Command
				return taking.Revert(t.Context(), e.Changes)
			})
			now := files(t, root)
			if errors.Is(err, undo.ErrNothing) {
				if !maps.Equal(now, states[0]) {
					t.Fatalf("before all changes\n%q\nafter they were taken back\n%q", states[0], now)
				}
				break
			}
			i, errNumber := strconv.Atoi(command)
			if err := errors.Join(err, errNumber); err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(now, states[i]) {
				t.Fatalf("before the change\n%q\nafter it was taken back\n%q", states[i], now)
			}
		}
	})
}

// change makes a random change of a random document.
func change(t *rapid.T, ws *store.Workspace) {
	ctx := t.Context()
	listing, err := ws.List(ctx)
	if err != nil || len(listing.Files) == 0 {
		return
	}
	at := rapid.SampledFrom(listing.Files).Draw(t, "document").Path
	set := func(f store.Fields) error {
		_, err := ws.Update(ctx, at, func(*store.Document) (store.Fields, error) { return f, nil })
		return err
	}
	switch rapid.IntRange(0, 6).Draw(t, "change") {
	case 0:
		_, err = ws.Create(ctx, store.NewDocument{Title: "New"}, store.CreateOptions{})
	case 1:
		_, err = ws.Delete(ctx, at, nil)
	case 2:
		err = set(store.Fields{Status: new("closed")})
	case 3:
		err = set(store.Fields{Status: new("open"), Append: "A note."})
	case 4:
		err = set(store.Fields{Type: new(store.TypeIdea)})
	case 5:
		_, err = ws.Rewrite(ctx, at, func(_ *store.Document, text []byte) ([]byte, error) {
			return append(text, "More.\n"...), nil
		})
	case 6:
		data, _, failed := ws.Read(at)
		if failed != nil {
			t.Fatal(failed)
		}
		err = ws.Fix(ctx, store.NewFix(at, filepath.ToSlash(filepath.Dir(at))+"/moved-"+filepath.Base(at), data, data))
	}
	if conflict := (*store.ConflictError)(nil); err != nil && !errors.As(err, &conflict) {
		t.Fatal(err)
	}
}

// A link that was moved and then deleted by one command leads to its file again.
func TestADeletedLinkComesBackToItsPlace(t *testing.T) {
	root := t.TempDir()
	put(t, root, "docs/linked.md", "---\nid: ISS-9\n---\nElsewhere.\n")
	put(t, root, ".wrangler/issues/ISS-1.md", "---\nid: ISS-1\n---\n")
	if err := os.Symlink("../../docs/linked.md", filepath.Join(root, ".wrangler/issues/ISS-9.md")); err != nil {
		t.Fatal(err)
	}
	e := &undo.Undoable{Command: "test"}
	ws := open(t, root, store.Options{Changing: e.Changing})
	defer func() { _ = ws.Close() }()
	taking := open(t, root, store.Options{})
	defer func() { _ = taking.Close() }()
	before := files(t, root)
	done, err := ws.Update(t.Context(), ".wrangler/issues/ISS-9.md", func(*store.Document) (store.Fields, error) {
		return store.Fields{Status: new("closed")}, nil
	})
	if err != nil || done.Path != ".wrangler/issues/archived/ISS-9.md" {
		t.Fatal(done.Path, err)
	}
	if _, err := ws.Delete(t.Context(), done.Path, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Keep(); err != nil {
		t.Fatal(err)
	}
	if err := takeBack(t.Context(), taking); err != nil {
		t.Fatal(err)
	}
	if now := files(t, root); !maps.Equal(now, before) {
		t.Errorf("before\n%q\nafter\n%q", before, now)
	}
}

func TestAChangedDocumentIsNotTakenBack(t *testing.T) {
	for name, meddle := range map[string]func(t *testing.T, root string){
		"edited":  func(t *testing.T, root string) { put(t, root, ".wrangler/issues/ISS-1.md", "Mine.") },
		"deleted": func(t *testing.T, root string) { remove(t, root, ".wrangler/issues/ISS-1.md") },
		"moved": func(t *testing.T, root string) {
			put(t, root, ".wrangler/issues/other.md", "---\nid: ISS-1\n---\n")
			remove(t, root, ".wrangler/issues/ISS-1.md")
		},
		"of several, edited": func(t *testing.T, root string) { put(t, root, ".wrangler/issues/ISS-2.md", "Mine.") },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			put(t, root, ".wrangler/issues/ISS-1.md", "---\nid: ISS-1\n---\n")
			put(t, root, ".wrangler/issues/ISS-2.md", "---\nid: ISS-2\n---\n")
			e := &undo.Undoable{Command: "set"}
			ws := open(t, root, store.Options{Changing: e.Changing})
			t.Cleanup(func() { _ = ws.Close() })
			for _, p := range []string{".wrangler/issues/ISS-1.md", ".wrangler/issues/ISS-2.md"} {
				if _, err := ws.Update(t.Context(), p, func(*store.Document) (store.Fields, error) { return store.Fields{Project: new("P")}, nil }); err != nil {
					t.Fatal(err)
				}
			}
			if err := e.Keep(); err != nil {
				t.Fatal(err)
			}
			meddle(t, root)
			before := files(t, root)
			var conflict *store.ConflictError
			if err := takeBack(t.Context(), ws); !errors.As(err, &conflict) {
				t.Error(err)
			}
			if now := files(t, root); !maps.Equal(now, before) {
				t.Errorf("%q became %q", before, now)
			}
			if last, err := undo.Last(t.Context(), ws); err != nil || len(last.Changes) != 2 {
				t.Error("the entry is gone:", last, err)
			}
		})
	}
}

func TestEntriesAreBounded(t *testing.T) {
	root := t.TempDir()
	put(t, root, ".wrangler/cache/undo-0000000007.json.gz", "of an older version")
	put(t, root, ".wrangler/issues/ISS-1.md", "---\nid: ISS-1\n---\n")
	ws := open(t, root, store.Options{})
	t.Cleanup(func() { _ = ws.Close() })
	keep := func(c store.DocumentChange) {
		t.Helper()
		e := &undo.Undoable{Command: c.Is}
		note(t, e, ws, c)
		if err := e.Keep(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 25 {
		keep(store.DocumentChange{OldPath: ".wrangler/issues/ISS-1.md", Path: ".wrangler/issues/ISS-1.md", Is: fmt.Sprint(i)})
	}
	kept, err := filepath.Glob(filepath.Join(root, store.CacheDir, "undo-*.undo"))
	if err != nil || len(kept) != 20 {
		t.Errorf("%d entries are kept, %v", len(kept), err)
	}
	if old, err := filepath.Glob(filepath.Join(root, store.CacheDir, "undo-*.gz")); err != nil || len(old) > 0 {
		t.Error(old, err)
	}
	if last, err := undo.Last(t.Context(), ws); err != nil || last.Command != "24" {
		t.Error(last, err)
	}
}

// What was kept of a change before it became too large takes no room from the changes before.
func TestATooLargeChangeLeavesTheOneBefore(t *testing.T) {
	root := t.TempDir()
	ws := open(t, root, store.Options{})
	t.Cleanup(func() { _ = ws.Close() })
	half := make([]byte, 50<<20)
	for _, command := range [][]store.DocumentChange{{{OldPath: "ISS-1.md", Was: half}}, {{OldPath: "ISS-1.md", Was: half}, {OldPath: "ISS-2.md", Was: half}}} {
		e := &undo.Undoable{Command: fmt.Sprint(len(command))}
		for _, c := range command {
			note(t, e, ws, c)
		}
		if err := e.Keep(); err != nil {
			t.Fatal(err)
		}
	}
	if err := takeBack(t.Context(), ws); !errors.Is(err, undo.ErrTooLarge) {
		t.Error("the change before the last was taken for it:", err)
	}
	err := undo.Skip(t.Context(), ws, func(e *undo.Undoable) error {
		if !e.TooLarge || e.Command != "2" {
			t.Errorf("%+v", e)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if last, err := undo.Last(t.Context(), ws); err != nil || last.Command != "1" {
		t.Error(last, err)
	}
}

func TestTheLastEntryIsThatOfTheHighestNumber(t *testing.T) {
	root := t.TempDir()
	put(t, root, ".wrangler/cache/undo-9999999999.undo", "a stranger's")
	ws := open(t, root, store.Options{})
	t.Cleanup(func() { _ = ws.Close() })
	for i := range 2 {
		e := &undo.Undoable{Command: fmt.Sprint(i)}
		note(t, e, ws, store.DocumentChange{OldPath: "ISS-1.md", Was: []byte("a")})
		if err := e.Keep(); err != nil {
			t.Fatal(err)
		}
	}
	if last, err := undo.Last(t.Context(), ws); err != nil || last.Command != "1" {
		t.Error(last, err)
	}
}

func TestAStrangersEntryIsRefused(t *testing.T) {
	for name, changes := range map[string]store.DocumentChange{
		"outside":       {OldPath: "../secret.md", Was: []byte("x")},
		"absolute":      {OldPath: "/tmp/secret.md", Was: []byte("x")},
		"no collection": {OldPath: ".git/config.md", Was: []byte("x")},
		"no document":   {OldPath: ".wrangler/issues/run.sh", Was: []byte("x")},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			put(t, root, ".wrangler/issues/ISS-1.md", "---\nid: ISS-1\n---\n")
			ws := open(t, root, store.Options{})
			t.Cleanup(func() { _ = ws.Close() })
			e := &undo.Undoable{}
			note(t, e, ws, changes)
			if err := e.Keep(); err != nil {
				t.Fatal(err)
			}
			before := files(t, root)
			if err := takeBack(t.Context(), ws); err == nil {
				t.Error("it was taken back")
			}
			if now := files(t, root); !maps.Equal(now, before) {
				t.Errorf("%q became %q", before, now)
			}
		})
	}
}

// A power failure may leave an entry empty, cut or with anything in it.
func TestADamagedEntryIsNamedAndCanBeSkipped(t *testing.T) {
	root := t.TempDir()
	ws := open(t, root, store.Options{})
	t.Cleanup(func() { _ = ws.Close() })
	const was = "---\nid: ISS-1\n---\n"
	for name, damaged := range map[string]string{"emptied": "", "cut": `{"at`, "overwritten": "no JSON"} {
		t.Run(name, func(t *testing.T) {
			put(t, root, ".wrangler/issues/ISS-1.md", "---\nid: ISS-1\ntitle: New\n---\n")
			for range 2 {
				e := &undo.Undoable{}
				note(t, e, ws, store.DocumentChange{OldPath: ".wrangler/issues/ISS-1.md", Was: []byte(was)})
				if err := e.Keep(); err != nil {
					t.Fatal(err)
				}
			}
			put(t, root, ".wrangler/cache/undo-0000000002.undo", damaged)
			if err := takeBack(t.Context(), ws); !errors.Is(err, undo.ErrDamaged) {
				t.Error(err)
			}
			if err := undo.Skip(t.Context(), ws, func(*undo.Undoable) error { return nil }); err != nil {
				t.Error(err)
			}
			if last, err := undo.Last(t.Context(), ws); err != nil || len(last.Changes) != 1 {
				t.Errorf("the change before is %v, %v", last, err)
			}
			if err := undo.Skip(t.Context(), ws, func(*undo.Undoable) error { return nil }); err != nil {
				t.Error(err)
			}
		})
	}
}

// A server of an older version may still run in the workspace: its entries stay for it, and this
// version says that it cannot read them. The older one does not see those of this version.
func TestEntriesOfAnOlderVersionAreSkippedAloud(t *testing.T) {
	root := t.TempDir()
	ws := open(t, root, store.Options{})
	t.Cleanup(func() { _ = ws.Close() })
	for _, older := range []string{".wrangler/cache/undo-0000000004.json.gz", ".wrangler/cache/undo-0000000005.journal"} {
		put(t, root, older, `{"at":"2026-11-01T12:00:00Z","command":"older"}`+"\n")
	}
	e := &undo.Undoable{Command: "newer"}
	note(t, e, ws, store.DocumentChange{OldPath: "ISS-1.md", Was: []byte("a")})
	if err := e.Keep(); err != nil {
		t.Fatal(err)
	}
	skip := func(seen **undo.Undoable) error {
		return undo.Skip(t.Context(), ws, func(e *undo.Undoable) error { *seen = e; return nil })
	}
	var seen *undo.Undoable
	if err := skip(&seen); err != nil || seen.Command != "newer" {
		t.Fatal(seen, err)
	}
	for range 2 {
		if err := takeBack(t.Context(), ws); !errors.Is(err, undo.ErrDamaged) {
			t.Error(err)
		}
		if err := skip(&seen); err != nil {
			t.Fatal(err)
		}
	}
	if err := skip(&seen); !errors.Is(err, undo.ErrNothing) {
		t.Error(err)
	}
}

func takeBack(ctx context.Context, ws *store.Workspace) error {
	return undo.TakeBack(ctx, ws, func(e *undo.Undoable) error { return ws.Revert(ctx, e.Changes) })
}

// note writes down a change that no mutation makes.
func note(t failer, e *undo.Undoable, ws *store.Workspace, c store.DocumentChange) {
	t.Helper()
	if _, err := e.Changing(ws, c); err != nil {
		t.Fatal(err)
	}
}

// failer is a test or a check of a property.
type failer interface {
	Helper()
	Fatal(...any)
}

func open(t failer, root string, o store.Options) *store.Workspace {
	t.Helper()
	o.Root = root
	ws, err := store.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func put(t failer, root, path, text string) {
	t.Helper()
	at := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t failer, root, path string) {
	t.Helper()
	if err := os.Remove(filepath.Join(root, filepath.FromSlash(path))); err != nil {
		t.Fatal(err)
	}
}

// files are all files but those of the cache, with their bytes or where they lead, and
// their permissions.
func files(t failer, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == "cache" {
				return fs.SkipDir
			}
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			all[path], err = os.Readlink(path)
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = info.Mode().String() + " " + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
