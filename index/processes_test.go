package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"issues-index/index/db"
	"issues-index/store/storetest"
)

// generation names the build that an index file comes from.
func generation(t *testing.T, path string) string {
	t.Helper()
	_, rows, err := db.QueryRaw(t.Context(), path, `SELECT generation FROM state`)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(rows[0][0])
}

// closedFiles are what is in the index's folder when nobody uses it.
var closedFiles = []string{".gitignore", "issues-index.db", "issues-index.db.lock", "issues-index.db.turn"}

func TestSeveralProcesses(t *testing.T) {
	t.Parallel()
	for name, test := range storetest.Few(map[string]func(t *testing.T){
		"each sees every change at once": func(t *testing.T) {
			w := newTree(t, 25)
			steps := 15
			if storetest.Long() {
				steps = 60
			}
			follow(t, w, steps, w.spawn(ModeWatch, nil), w.spawn(ModeVerify, nil), w.spawn(ModeWatch, nil))
			ix, _ := w.open(Options{})
			w.check(ix)
			sound(t, ix)
		},

		"all start on nothing at once and build one index": func(t *testing.T) {
			w := newTree(t, 100)
			words := []string{"zq0000050"}
			var all []*process
			for range 4 {
				p := w.spawn(ModeWatch, nil)
				p.send(request{Do: "ask", Words: words})
				all = append(all, p)
			}
			for _, p := range all {
				if d := difference(p.receive().Answers, asRead(w.texts(), words)); d != "" {
					t.Fatal(d)
				}
			}
			for _, p := range all {
				p.stop()
			}
			if names := w.cached(); !slices.Equal(names, closedFiles) {
				t.Errorf("left in the index's folder: %q", names)
			}
		},

		"a start goes on with the index that was left, closed or killed": func(t *testing.T) {
			w := newTree(t, 25)
			builds := map[string]bool{}
			for _, end := range []func(*process){(*process).kill, (*process).kill, (*process).stop, (*process).kill} {
				p := w.spawn(ModeWatch, nil)
				for range 3 {
					p.send(request{Do: "ask"})
					if d := difference(p.receive().Answers, asRead(w.texts(), nil)); d != "" {
						t.Fatal(d)
					}
					w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
				}
				builds[generation(t, w.abs(DefaultPath))] = true
				end(p)
				w.write(".wrangler/issues/DOC-0005.md", w.text("DOC-0005"))
			}
			ix, _ := w.open(Options{})
			w.check(ix)
			builds[generation(t, w.abs(DefaultPath))] = true
			if len(builds) != 1 {
				t.Errorf("it was built %d times", len(builds))
			}
		},

		"one that is killed takes nothing from the others": func(t *testing.T) {
			w := newTree(t, 25)
			ix, _ := w.open(Options{})
			other := w.spawn(ModeWatch, nil)
			for range 3 {
				dies := w.spawn(ModeWatch, nil)
				w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
				dies.send(request{Do: "ask"})
				dies.receive()
				dies.send(request{Do: "ask"}) // perhaps in the middle of it
				dies.kill()
				w.write(".wrangler/ideas/DOC-0004.md", w.text("DOC-0004"))
				w.check(ix)
				other.send(request{Do: "ask"})
				if d := difference(other.receive().Answers, asRead(w.texts(), nil)); d != "" {
					t.Fatal(d)
				}
			}
		},
	}, 2) {
		t.Run(name, test)
	}
}

// Servers whose settings differ have an index each, also when they run in turn.
func TestServersOfDifferentCollections(t *testing.T) {
	t.Parallel()
	w := newTree(t, 10)
	w.mkdir("docs")
	w.write("docs/one.md", w.text("ONE-0001"))
	usual, _ := w.open(Options{})
	w.check(usual)
	docsOnly := map[string]string{"WRANGLER_ISSUES_DIRECTORY": "docs", "WRANGLER_IDEAS_DIRECTORY": "none", "WRANGLER_SPECIFICATIONS_DIRECTORY": "none"}
	docs, _ := w.openWith(Options{}, docsOnly)
	for range 5 {
		text := w.text("ONE-0001")
		w.write("docs/one.md", text)
		w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
		page, err := docs.Find(t.Context(), Query{Limit: everything})
		w.must(err)
		if len(page.Rows) != 1 || page.Rows[0].Title != plainOf("", text).Title {
			t.Fatalf("%+v", page.Rows)
		}
		w.check(usual)
	}
	docsPath := docs.db.Path
	if usual.db.Path == docsPath {
		t.Error("both use one file")
	}
	w.close(usual)
	w.close(docs)
	alone, _ := w.openWith(Options{}, docsOnly)
	if page, err := alone.Find(t.Context(), Query{Limit: everything}); err != nil || len(page.Rows) != 1 {
		t.Fatalf("%+v, %v", page.Rows, err)
	}
	if at := alone.db.Path; at != docsPath {
		t.Errorf("with nobody else there, the index lies at %s and not at %s any more", at, docsPath)
	}
}

// A writer changes documents of its own and has a server answer about each at
// once, while others do the same.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	const servers, writers = 3, 4
	rounds := 12
	if storetest.Long() {
		rounds = 100
	}
	w := newTree(t, 60)
	var all []*Index
	for range servers {
		ix, _ := w.open(Options{})
		all = append(all, ix)
	}
	r := seeded(t)
	group, ctx := errgroup.WithContext(t.Context())
	for n := range writers {
		own := &tree{TB: t, root: w.root, words: (n + 1) * 100000}
		r := rand.New(rand.NewPCG(r.Uint64(), 0))
		group.Go(func() error {
			for round := range rounds {
				id := fmt.Sprintf("OWN-%d%03d", n, r.IntN(5))
				here, there := ".wrangler/issues/"+id+".md", ".wrangler/issues/archived/"+id+".md"
				text := own.text(id)
				at := here
				var err error
				switch r.IntN(4) {
				case 0, 1:
					err = errors.Join(os.WriteFile(own.abs(here), []byte(text), 0o644), os.RemoveAll(own.abs(there)))
				case 2:
					at = there
					err = errors.Join(os.WriteFile(own.abs(here), []byte(text), 0o644), renamePatiently(own.abs(here), own.abs(there)))
				default:
					at = ""
					err = errors.Join(os.RemoveAll(own.abs(here)), os.RemoveAll(own.abs(there)))
				}
				if err != nil {
					return err
				}
				if err := seen(ctx, all[r.IntN(servers)], id, at, text); err != nil {
					return fmt.Errorf("writer %d, round %d: %w", n, round, err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, ix := range all {
		w.check(ix)
	}
	sound(t, all[0])
}

// seen reports where an index differs from a document of that id being at a
// path, "" for nowhere.
func seen(ctx context.Context, ix *Index, id, at, text string) error {
	row, err := ix.Get(ctx, id)
	var missing *NotFoundError
	switch {
	case at == "" && errors.As(err, &missing):
	case err != nil:
		return err
	case at == "" || row.Path != at || row.Title != plainOf(at, text).Title:
		return fmt.Errorf("%s is %s %q, not at %q with %q", id, row.Path, row.Title, at, plainOf(at, text).Title)
	}
	page, err := ix.Find(ctx, Query{Search: true, Text: wordsOf(text)[0], Limit: everything})
	if err != nil {
		return err
	}
	if found := len(page.Rows); at == "" && found != 0 || at != "" && (found != 1 || page.Rows[0].Path != at) {
		return fmt.Errorf("a search for %s finds %d documents, not the one at %q", wordsOf(text)[0], found, at)
	}
	return nil
}
