package edit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/db"
	"issues-index/store"
)

// A workspace under test: its files, its index and a writer.
type workspace struct {
	root string
	ix   *index.Index
	*Writer
}

// serve opens the workspace in a directory.
func serve(t *testing.T, root string, options index.Options) workspace {
	t.Helper()
	return serveBy(t, time.Now, root, options)
}

// serveBy opens it with a clock.
func serveBy(t testing.TB, now func() time.Time, root string, options index.Options) workspace {
	t.Helper()
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(t.Context(), ws, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(ix.Close(), ws.Close()); err != nil {
			t.Error(err)
		}
	})
	return workspace{root, ix, New(ix, LockWait)}
}

// fresh is a new workspace with open issues of these ids, always compared with
// its files.
func fresh(t *testing.T, ids ...string) workspace {
	t.Helper()
	root := t.TempDir()
	for _, id := range ids {
		put(t, root, issuePath(id), id, "open")
	}
	return serve(t, root, index.Options{Mode: index.ModeVerify, Path: db.MemoryPath})
}

func issuePath(id string) string { return ".wrangler/issues/" + id + "-name.md" }

func put(t testing.TB, root, path, id, status string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("---\nid: %s\ntitle: The title of %s\nstatus: %s\n---\nText.\n", id, id, status)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w workspace) file(path string) string { return filepath.Join(w.root, filepath.FromSlash(path)) }

func (w workspace) read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(w.file(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func urgent(*store.Document) (store.Fields, error) {
	priority := "critical"
	return store.Fields{Priority: &priority}, nil
}

// meanwhile makes something happen between the look-up of ISS-000001 and its
// change, which it returns the outcome of.
func meanwhile(t *testing.T, w workspace, id string, happens func()) BatchResult {
	t.Helper()
	outcomes, err := w.UpdateAll(t.Context(), []BatchItem{
		{DocumentRef{ID: "ISS-000009"}, func(*store.Document) (store.Fields, error) { happens(); return store.Fields{}, nil }},
		{DocumentRef{ID: id}, urgent},
	})
	if err != nil || outcomes[0].Err != nil {
		t.Fatal(err, outcomes[0].Err)
	}
	return outcomes[1]
}

func TestChangesMeanwhile(t *testing.T) {
	t.Run("a document that was moved is changed where it is now", func(t *testing.T) {
		w := fresh(t, "ISS-000001", "ISS-000009")
		o := meanwhile(t, w, "ISS-000001", func() {
			put(t, w.root, ".wrangler/issues/archived/ISS-000001-name.md", "ISS-000001", "closed")
			if err := os.Remove(w.file(issuePath("ISS-000001"))); err != nil {
				t.Fatal(err)
			}
		})
		if o.Err != nil || o.Written.Path != ".wrangler/issues/archived/ISS-000001-name.md" {
			t.Fatalf("%q, %v", o.Written.Path, o.Err)
		}
		if text := w.read(t, o.Written.Path); !strings.Contains(text, "priority: critical") {
			t.Error(text)
		}
	})
	t.Run("a document that was deleted is not found", func(t *testing.T) {
		w := fresh(t, "ISS-000001", "ISS-000009")
		o := meanwhile(t, w, "ISS-000001", func() {
			if err := os.Remove(w.file(issuePath("ISS-000001"))); err != nil {
				t.Fatal(err)
			}
		})
		if gone := (*index.NotFoundError)(nil); !errors.As(o.Err, &gone) {
			t.Error(o.Err)
		}
	})
	t.Run("another document at its path is left alone", func(t *testing.T) {
		w := fresh(t, "ISS-000001", "ISS-000009")
		var before string
		o := meanwhile(t, w, "ISS-000001", func() {
			put(t, w.root, issuePath("ISS-000001"), "ISS-000002", "open")
			before = w.read(t, issuePath("ISS-000001"))
		})
		if gone := (*index.NotFoundError)(nil); !errors.As(o.Err, &gone) {
			t.Error(o.Err)
		}
		if w.read(t, issuePath("ISS-000001")) != before {
			t.Error("it was changed")
		}
	})
	t.Run("an id that got a second document is ambiguous", func(t *testing.T) {
		w := fresh(t, "ISS-000001", "ISS-000009")
		o := meanwhile(t, w, "ISS-000001", func() {
			put(t, w.root, ".wrangler/issues/a.md", "ISS-000001", "open")
			put(t, w.root, ".wrangler/issues/b.md", "ISS-000001", "open")
			if err := os.Remove(w.file(issuePath("ISS-000001"))); err != nil {
				t.Fatal(err)
			}
		})
		if several := (*index.AmbiguousError)(nil); !errors.As(o.Err, &several) {
			t.Error(o.Err)
		}
	})
	t.Run("a document that keeps moving is a conflict", func(t *testing.T) {
		w := fresh(t, "ISS-000001")
		row, err := w.ix.Get(t.Context(), "ISS-000001")
		if err != nil {
			t.Fatal(err)
		}
		tries := 0
		err = w.attempt(t.Context(), "ISS-000001", row, nil, func(index.Row) error {
			tries++
			return fs.ErrNotExist
		})
		if conflict := (*store.ConflictError)(nil); !errors.As(err, &conflict) || tries != 2 {
			t.Errorf("%v after %d tries", err, tries)
		}
	})
	t.Run("a deletion of a document that is gone says so", func(t *testing.T) {
		w := serve(t, fresh(t, "ISS-000001").root, index.Options{Mode: index.ModePoll, CacheTTL: time.Hour})
		if _, err := w.ix.Get(t.Context(), "ISS-000001"); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(w.file(issuePath("ISS-000001"))); err != nil {
			t.Fatal(err)
		}
		_, err := w.Delete(t.Context(), DocumentRef{ID: "ISS-000001"})
		if gone := (*index.NotFoundError)(nil); !errors.As(err, &gone) {
			t.Error(err)
		}
	})
}

func TestAmbiguousIDChangesNothing(t *testing.T) {
	w := fresh(t)
	for _, path := range []string{".wrangler/issues/a.md", ".wrangler/issues/b.md"} {
		put(t, w.root, path, "ISS-000001", "open")
	}
	before := w.read(t, ".wrangler/issues/a.md") + w.read(t, ".wrangler/issues/b.md")
	_, updated := w.Update(t.Context(), DocumentRef{ID: "ISS-000001"}, urgent)
	_, completed := w.Complete(t.Context(), DocumentRef{ID: "ISS-000001"}, "note")
	_, deleted := w.Delete(t.Context(), DocumentRef{ID: "ISS-000001"})
	for _, err := range []error{updated, completed, deleted} {
		if several := (*index.AmbiguousError)(nil); !errors.As(err, &several) || len(several.Candidates) != 2 {
			t.Error(err)
		}
	}
	if w.read(t, ".wrangler/issues/a.md")+w.read(t, ".wrangler/issues/b.md") != before {
		t.Error("a file was changed")
	}
	if _, err := w.Update(t.Context(), DocumentRef{ID: ".wrangler/issues/a.md"}, urgent); err != nil {
		t.Errorf("by its path: %v", err)
	}
}

func TestTitles(t *testing.T) {
	t.Run("of many who create one title at once, one does", func(t *testing.T) {
		first := fresh(t)
		second := serve(t, first.root, index.Options{Mode: index.ModeVerify})
		const each = 4
		errs := make([]error, 2*each)
		var group sync.WaitGroup
		for i := range errs {
			w := []workspace{first, second}[i%2]
			group.Go(func() {
				_, errs[i] = w.Create(t.Context(), store.NewDocument{Title: "The one", Description: "x"}, false)
			})
		}
		group.Wait()
		created := 0
		for _, err := range errs {
			duplicate := (*DuplicateTitleError)(nil)
			switch {
			case err == nil:
				created++
			case !errors.As(err, &duplicate) || duplicate.Row.ID != "ISS-000001":
				t.Error(err)
			}
		}
		if created != 1 {
			t.Errorf("%d were created", created)
		}
	})
	for _, c := range []struct {
		name, title, docType string
		taken                bool
	}{
		{"case and blanks around it make no difference", "  the TITLE of iss-000001 ", "", true},
		{"another title is free", "The title", "", false},
		{"another type's title is free", "The title of ISS-000001", "idea", false},
		{"a finished document's title is free", "The title of ISS-000002", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := fresh(t, "ISS-000001")
			put(t, w.root, issuePath("ISS-000002"), "ISS-000002", "closed")
			_, err := w.Create(t.Context(), store.NewDocument{Title: c.title, Type: c.docType, Description: "x"}, false)
			if duplicate := (*DuplicateTitleError)(nil); errors.As(err, &duplicate) != c.taken || !c.taken && err != nil {
				t.Error(err)
			}
			if _, err := w.Create(t.Context(), store.NewDocument{Title: c.title, Type: c.docType, Description: "x"}, true); err != nil {
				t.Errorf("allowed: %v", err)
			}
		})
	}
}

func TestNumbersAreNotGivenOutAgain(t *testing.T) {
	w := fresh(t, "ISS-000007")
	for _, want := range []string{"ISS-000008", "ISS-000009"} {
		done, err := w.Create(t.Context(), store.NewDocument{Title: "x", Description: "x"}, true)
		if err != nil || done.After.ID != want {
			t.Fatalf("got %v, %v, want %s", done.After, err, want)
		}
		if _, err := w.Delete(t.Context(), DocumentRef{ID: want}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestIndexThatCannotFollow(t *testing.T) {
	w := fresh(t, "ISS-000001")
	done, err := w.Update(t.Context(), DocumentRef{ID: "ISS-000001"}, func(doc *store.Document) (store.Fields, error) {
		if err := w.ix.Close(); err != nil {
			t.Error(err)
		}
		return urgent(doc)
	})
	if err != nil || done.Behind == nil {
		t.Fatalf("behind: %v, error: %v", done.Behind, err)
	}
	if text := w.read(t, done.Path); !strings.Contains(text, "priority: critical") {
		t.Errorf("the change is not on disk: %s", text)
	}
}

func TestLocked(t *testing.T) {
	holder := fresh(t, "ISS-000001", "ISS-000002")
	other := serve(t, holder.root, index.Options{Mode: index.ModeVerify})
	impatient := New(other.ix, time.Millisecond)
	_, err := holder.Update(t.Context(), DocumentRef{ID: "ISS-000001"}, func(*store.Document) (store.Fields, error) {
		_, updated := impatient.Update(t.Context(), DocumentRef{ID: "ISS-000002"}, urgent)
		_, created := impatient.Create(t.Context(), store.NewDocument{Title: "New", Description: "x"}, false)
		_, deleted := impatient.Delete(t.Context(), DocumentRef{ID: "ISS-000002"})
		for _, err := range []error{updated, created, deleted} {
			if !errors.Is(err, store.ErrLocked) {
				t.Errorf("while another has the lock: %v", err)
			}
		}
		return store.Fields{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Update(t.Context(), DocumentRef{ID: "ISS-000002"}, urgent); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestCallerWhoGaveUp(t *testing.T) {
	t.Run("before the change, nothing happens", func(t *testing.T) {
		w := fresh(t, "ISS-000001")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := w.Update(ctx, DocumentRef{ID: "ISS-000001"}, urgent); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Run("after it, the index follows all the same", func(t *testing.T) {
		w := serve(t, fresh(t, "ISS-000001").root, index.Options{Mode: index.ModePoll, CacheTTL: time.Hour})
		ctx, cancel := context.WithCancel(t.Context())
		done, err := w.Update(ctx, DocumentRef{ID: "ISS-000001"}, func(doc *store.Document) (store.Fields, error) {
			cancel()
			return urgent(doc)
		})
		if err != nil || done.Behind != nil {
			t.Fatal(err, done.Behind)
		}
		row, err := w.ix.Get(t.Context(), "ISS-000001")
		if err != nil || row.Priority != "critical" {
			t.Errorf("priority %q, %v", row.Priority, err)
		}
	})
}
