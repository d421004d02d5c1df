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
		ws := open(t, root)
		var states []map[string]string
		for range rapid.IntRange(1, 3).Draw(t, "commands") {
			states = append(states, files(t, root))
			ctx, r := undo.Record(t.Context(), "ann", strconv.Itoa(len(states)-1))
			for range rapid.IntRange(1, 4).Draw(t, "changes") {
				change(t, ctx, ws)
			}
			if rapid.Bool().Draw(t, "dies") {
				err = r.Die()
			} else {
				err = r.End()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for {
			e, err := undo.TakeBack(t.Context(), ws, all, false)
			now := files(t, root)
			if errors.Is(err, undo.ErrNothing) {
				if !maps.Equal(now, states[0]) {
					t.Fatalf("before all changes\n%q\nafter they were taken back\n%q", states[0], now)
				}
				break
			}
			i, errNumber := strconv.Atoi(e.Command)
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
func change(t *rapid.T, ctx context.Context, ws *store.Workspace) { //nolint:revive // as rapid has it
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
	ctx, r := undo.Record(t.Context(), "ann", "test")
	ws := open(t, root)
	before := files(t, root)
	done, err := ws.Update(ctx, ".wrangler/issues/ISS-9.md", func(*store.Document) (store.Fields, error) {
		return store.Fields{Status: new("closed")}, nil
	})
	if err != nil || done.Path != ".wrangler/issues/archived/ISS-9.md" {
		t.Fatal(done.Path, err)
	}
	if _, err := ws.Delete(ctx, done.Path, nil); err != nil {
		t.Fatal(err)
	}
	if err := r.End(); err != nil {
		t.Fatal(err)
	}
	if err := takeBack(t.Context(), ws); err != nil {
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
			ctx, r := undo.Record(t.Context(), "ann", "set")
			ws := open(t, root)
			for _, p := range []string{one, two} {
				set(t, ctx, ws, p, "P")
			}
			if err := r.End(); err != nil {
				t.Fatal(err)
			}
			meddle(t, root)
			before := files(t, root)
			var refused *undo.ChangedError
			if err := takeBack(t.Context(), ws); !errors.As(err, &refused) || store.HashOf(refused.Change.Now) != refused.Change.Is {
				t.Error(err)
			}
			if now := files(t, root); !maps.Equal(now, before) {
				t.Errorf("%q became %q", before, now)
			}
			if last, err := undo.TakeBack(t.Context(), ws, all, true); err != nil || len(last.Changes) != 2 {
				t.Error("the entry is gone:", last, err)
			}
		})
	}
}

// The last thousand changes of usual documents can be taken back, and the files stay small. What older
// versions kept goes with the first rotation.
func TestTheJournalIsBounded(t *testing.T) {
	root := t.TempDir()
	put(t, root, ".wrangler/cache/undo-0000000007.undo", "of an older version")
	ws := open(t, root)
	text := make([]byte, 10<<10)
	const most = 5000
	for i := range most {
		keep(t, ws, fmt.Sprint(i), store.DocumentChange{OldPath: one, Path: one, Was: text, Now: text, Is: store.HashOf(text)})
	}
	kept, err := filepath.Glob(filepath.Join(root, store.CacheDir, "undo*.*"))
	if err != nil || len(kept) != 3 {
		t.Error(kept, err)
	}
	size := 0
	for _, name := range kept {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size += int(info.Size())
	}
	if size > 33<<20 {
		t.Errorf("the journal has %d bytes", size)
	}
	entries, err := undo.List(ws, all, 5000)
	if err != nil || len(entries) < 1000 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for i, e := range entries {
		if e.Command != fmt.Sprint(most-1-i) {
			t.Fatalf("entry %d is %s", i, e.Command)
		}
	}
}

// A journal that is being written stays where it is.
func TestARunningEntryIsNotRotatedAway(t *testing.T) {
	ws := open(t, t.TempDir())
	ctx, running := undo.Record(t.Context(), "ann", "running")
	if _, err := ws.Create(ctx, store.NewDocument{Title: "One"}, store.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	keep(t, ws, "large", store.DocumentChange{OldPath: one, Was: make([]byte, 20<<20)})
	keep(t, ws, "next", store.DocumentChange{OldPath: one, Was: []byte("a")})
	if _, err := ws.Create(ctx, store.NewDocument{Title: "Two"}, store.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := running.End(); err != nil {
		t.Fatal(err)
	}
	keep(t, ws, "rotates", store.DocumentChange{OldPath: one, Was: []byte("a")})
	entries, err := undo.List(ws, all, 5000)
	if err != nil || len(entries) != 4 || len(entries[1].Changes) != 2 || entries[1].Unfinished {
		t.Error(entries, err)
	}
}

// What was kept of a change before it became too large takes no room from the changes before.
func TestATooLargeChangeLeavesTheOneBefore(t *testing.T) {
	root := t.TempDir()
	ws := open(t, root)
	half := make([]byte, 50<<20)
	keep(t, ws, "1", store.DocumentChange{OldPath: one, Was: half})
	keep(t, ws, "2", store.DocumentChange{OldPath: one, Was: half}, store.DocumentChange{OldPath: two, Was: half})
	if err := takeBack(t.Context(), ws); !errors.Is(err, undo.ErrTooLarge) {
		t.Error("the change before the last was taken for it:", err)
	}
	if e, err := undo.Skip(t.Context(), ws, all); err != nil || !e.TooLarge || e.Command != "2" {
		t.Errorf("%+v, %v", e, err)
	}
	if last, err := undo.TakeBack(t.Context(), ws, all, true); err != nil || last.Command != "1" {
		t.Error(last, err)
	}
}

func TestAStrangersEntryIsRefused(t *testing.T) {
	for name, change := range map[string]store.DocumentChange{
		"outside":       {OldPath: "../secret.md", Was: []byte("x")},
		"absolute":      {OldPath: "/tmp/secret.md", Was: []byte("x")},
		"no collection": {OldPath: ".git/config.md", Was: []byte("x")},
		"no document":   {OldPath: ".wrangler/issues/run.sh", Was: []byte("x")},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			put(t, root, ".wrangler/issues/ISS-1.md", "---\nid: ISS-1\n---\n")
			ws := open(t, root)
			keep(t, ws, "set", change)
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

// A stranger may have written anything into the journal.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(`a begun {}`+"\n"+`a change {"path":"x.md","head":9,"tail":-1}`+"\n"+`a dropped`), "")
	f.Add([]byte(`a begun {"by":"b"}`+"\n"+`a change {"oldPath":"a","was":"AAAA","tail":3,"head":1}`), `a ended`)
	f.Fuzz(func(t *testing.T, journal []byte, more string) {
		root := t.TempDir()
		put(t, root, ".wrangler/cache/undo.old.jsonl", string(journal))
		put(t, root, ".wrangler/cache/undo.jsonl", more)
		ws := open(t, root)
		if _, err := undo.List(ws, all, 5000); err != nil {
			t.Error(err)
		}
		keep(t, ws, "set", store.DocumentChange{OldPath: one, Was: []byte("x")})
		if last, err := undo.TakeBack(t.Context(), ws, all, true); err != nil || last.Command != "set" {
			t.Error(last, err)
		}
	})
}

// What was overwritten by a power failure hides nothing else, and can be skipped.
func TestADamagedEntryIsNamedAndCanBeSkipped(t *testing.T) {
	ws := open(t, t.TempDir())
	for range 2 {
		keep(t, ws, "set", store.DocumentChange{OldPath: one, Was: []byte("a")})
	}
	whole := strings.TrimSpace(string(get(t, ws.Root, journal)))
	ended := strings.LastIndex(whole, "\n\n")
	changed := strings.LastIndex(whole[:ended], "\n\n") + 2
	for name, damaged := range map[string]string{"cut": whole[changed : changed+20], "overwritten": strings.Repeat("\x00", 100)} {
		t.Run(name, func(t *testing.T) {
			put(t, ws.Root, journal, whole[:changed]+damaged)
			if err := takeBack(t.Context(), ws); !errors.Is(err, undo.ErrDamaged) {
				t.Error(err)
			}
			if _, err := undo.Skip(t.Context(), ws, all); err != nil {
				t.Error(err)
			}
			if last, err := undo.TakeBack(t.Context(), ws, all, true); err != nil || len(last.Changes) != 1 {
				t.Errorf("the change before is %v, %v", last, err)
			}
		})
	}
}

// Each takes back what is its own, whatever the others have written since.
func TestOneTakesBackOnesOwn(t *testing.T) {
	root := t.TempDir()
	put(t, root, one, "---\nid: ISS-1\n---\n")
	put(t, root, two, "---\nid: ISS-2\n---\n")
	ws := open(t, root)
	by := func(name string) func(*undo.Entry) bool { return func(e *undo.Entry) bool { return e.By == name } }
	start := files(t, root)
	for _, w := range [][3]string{{"ann", one, "A"}, {"bob", two, "B"}, {"ann", two, "C"}} {
		ctx, r := undo.Record(t.Context(), w[0], "set "+w[2])
		set(t, ctx, ws, w[1], w[2])
		if err := r.End(); err != nil {
			t.Fatal(err)
		}
	}
	before := files(t, root)
	_, err := undo.TakeBack(t.Context(), ws, by("bob"), false)
	var refused *undo.ChangedError
	if !errors.As(err, &refused) || refused.Path != two || len(refused.Since) != 1 || refused.Since[0].By != "ann" {
		t.Errorf("%+v", err)
	}
	if now := files(t, root); !maps.Equal(now, before) {
		t.Errorf("%q became %q", before, now)
	}
	for _, who := range []string{"ann", "bob", "ann"} {
		if e, err := undo.TakeBack(t.Context(), ws, by(who), false); err != nil || e.By != who {
			t.Error(e, err)
		}
	}
	if now := files(t, root); !maps.Equal(now, start) {
		t.Errorf("%q became %q", start, now)
	}
	if _, err := undo.TakeBack(t.Context(), ws, by("ann"), false); !errors.Is(err, undo.ErrNothing) {
		t.Error(err)
	}
}

// all chooses every entry.
func all(*undo.Entry) bool { return true }

func takeBack(ctx context.Context, ws *store.Workspace) error {
	_, err := undo.TakeBack(ctx, ws, all, false)
	return err
}

// keep writes down changes that no mutation makes.
func keep(t failer, ws *store.Workspace, command string, changes ...store.DocumentChange) {
	t.Helper()
	_, r := undo.Record(context.Background(), "ann", command)
	for _, c := range changes {
		r.Change(ws, c)
	}
	if err := r.End(); err != nil && !errors.Is(err, undo.ErrTooLarge) {
		t.Fatal(err)
	}
}

// set changes the project of a document.
func set(t failer, ctx context.Context, ws *store.Workspace, p, project string) { //nolint:revive // as all here
	t.Helper()
	_, err := ws.Update(ctx, p, func(*store.Document) (store.Fields, error) { return store.Fields{Project: &project}, nil })
	if err != nil {
		t.Fatal(err)
	}
}

// failer is a test or a check of a property.
type failer interface {
	Helper()
	Fatal(...any)
	Cleanup(func())
}

func open(t failer, root string) *store.Workspace {
	t.Helper()
	ws, err := store.Open(store.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return ws
}

func get(t failer, root, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return data
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
