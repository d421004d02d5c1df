package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"issues-index/index/db"
	"issues-index/store/storetest"
)

// page asks for a list and a search that go on, each with a cursor.
func (w *tree) page(ix *Index, limit int) (list, search Page) {
	w.Helper()
	list, err := findPage(w.Context(), ix, Query{Limit: limit})
	w.must(err)
	search, err = findPage(w.Context(), ix, Query{Search: true, Text: "about", Limit: limit})
	w.must(err)
	return list, search
}

func TestDamageHealsWithoutARestart(t *testing.T) {
	t.Parallel()
	damages := map[string]func(c *casket){
		"its log is emptied":   func(c *casket) { c.must(os.Truncate(c.path+"-wal", 0)) },
		"its log is cut":       func(c *casket) { c.must(os.Truncate(c.path+"-wal", 5000)) },
		"its one row of state": func(c *casket) { c.database(c.path, `DELETE FROM state`) },
		"the order of lists":   func(c *casket) { c.database(c.path, `DROP INDEX document_by_updated`) },
		"bodies are no bodies": func(c *casket) { c.database(c.path, `UPDATE body SET text = x'00'`) },
		"labels are not lists": func(c *casket) { c.database(c.path, `UPDATE document SET labels = 'x'`) },
	}
	for _, table := range []string{"cursor", "ranking", "past", "document_label", "field", "document_problem", "body", "state", "tally", "vocabulary", "search"} {
		damages["without the table "+table] = func(c *casket) { c.database(c.path, `DROP TABLE `+table) }
	}
	for name, damage := range storetest.Few(damages, 3) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTree(t, 20)
			c := &casket{tree: w, path: w.abs(DefaultPath)}
			first, _ := w.open(Options{})
			second, _ := w.open(Options{})
			w.check(first)
			w.check(second)
			w.page(first, 5)
			w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
			w.check(first)
			damage(c)
			for n, ix := range []*Index{first, second} {
				list, search := w.page(ix, 6+n)
				if len(list.Rows) != 6+n || list.Next == "" || len(search.Rows) != 6+n || search.Next == "" {
					t.Errorf("server %d lists %d rows, cursor %q, and finds %d, cursor %q", n, len(list.Rows), list.Next, len(search.Rows), search.Next)
				}
				w.write(".wrangler/ideas/new.md", w.text("NEW-0001"))
				if err := ix.Refresh(t.Context(), ".wrangler/ideas/new.md"); err != nil {
					t.Error("follow a change:", err)
				}
			}
			w.check(first)
			w.check(second)
			sound(t, first)
		})
	}
}

// another is another program's connection to the index.
func another(tb testing.TB, path string) *sql.Conn {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { conn.Close() })
	return conn
}

func TestATransactionOfAnotherProgramIsNamed(t *testing.T) {
	t.Parallel()
	w := newTree(t, 20)
	ix, _ := w.open(Options{Mode: ModeWatch, LockWait: time.Millisecond})
	w.check(ix)
	if ix.mode != ModeWatch {
		t.Skip("files cannot be watched here, so reads write what they find, too")
	}
	other := another(t, w.abs(DefaultPath))
	run := func(statement string) {
		t.Helper()
		_, err := other.ExecContext(t.Context(), statement)
		w.must(err)
	}
	run(`BEGIN IMMEDIATE`)
	for _, page := range func() []Page { a, b := w.page(ix, 5); return []Page{a, b} }() {
		if len(page.Rows) != 5 || page.Next != "" || page.Unkept == "" {
			t.Errorf("%d rows, cursor %q, without for %q", len(page.Rows), page.Next, page.Unkept)
		}
	}
	w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
	for what, err := range map[string]error{
		"a change that is followed": ix.Refresh(t.Context(), ".wrangler/issues/DOC-0000.md"),
		"a read after it":           func() error { _, err := ix.Find(t.Context(), Query{Limit: 5}); return err }(),
		"a new document's":          func() error { _, err := ix.CreateConstraints(t.Context(), "issue", "issue", "New"); return err }(),
	} {
		var locked *LockedError
		if !errors.As(err, &locked) || locked.Path != DefaultPath || locked.Opening {
			t.Errorf("%s: %v", what, err)
		}
	}
	run(`COMMIT`)
	w.check(ix)
	if list, search := w.page(ix, 5); list.Next == "" || search.Next == "" {
		t.Error("there are still no cursors")
	}
	if at := w.servedFrom(ix); at != w.abs(DefaultPath) {
		t.Errorf("it moved to %s", at)
	}
}

func TestAProcessThatHangsWhileItOpensTheIndexHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	w := newTree(t, 10)
	first, _ := w.open(Options{})
	w.check(first)
	w.close(first)
	hanging := w.location()
	_, err := hanging.Enter()
	w.must(err)
	unlock, err := hanging.LockOpening(t.Context(), time.Millisecond)
	w.must(err)

	for range 2 {
		ix, log := w.open(Options{LockWait: time.Millisecond})
		if at := w.servedFrom(ix); at != db.MemoryPath {
			t.Errorf("served from %s", at)
		}
		if l := log.all(); len(l) != 1 || !strings.Contains(l[0], "locked "+DefaultPath+".turn") {
			t.Errorf("warnings: %q", l)
		}
		var locked *LockedError
		if _, err := ix.Rebuild(t.Context()); !errors.As(err, &locked) || !locked.Opening || locked.Path != DefaultPath+".turn" {
			t.Errorf("a rebuild: %v", err)
		}
		w.check(ix)
		w.close(ix)
	}
	unlock()
	w.must(hanging.Close())
	ix, log := w.open(Options{})
	if at := w.servedFrom(ix); at != w.abs(DefaultPath) {
		t.Errorf("served from %s", at)
	}
	if l := log.all(); len(l) > 0 {
		t.Errorf("warnings: %q", l)
	}
}

// limitPages lets the index's file grow no more, as a full disk does.
func limitPages(tb testing.TB, ix *Index) {
	tb.Helper()
	var pages int
	err := ix.db.Write.QueryRow(`PRAGMA page_count`).Scan(&pages)
	if err == nil {
		err = ix.db.Write.QueryRow(fmt.Sprintf(`PRAGMA max_page_count = %d`, pages)).Scan(&pages)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

func TestAFullDiskIsReadOn(t *testing.T) {
	t.Parallel()
	w := newTree(t, 20)
	ix, log := w.open(Options{})
	w.check(ix)
	limitPages(t, ix)
	unkept := 0
	for n := range 200 {
		q := Query{Limit: 5, View: fmt.Sprintf("%d %s", n, strings.Repeat("x", 500))}
		page, err := findPage(t.Context(), ix, q)
		w.must(err)
		if len(page.Rows) != 5 || (page.Next == "") != (page.Unkept != "") || page.Remaining != 15 {
			t.Fatalf("%d rows, cursor %q, %d remain, without for %q", len(page.Rows), page.Next, page.Remaining, page.Unkept)
		}
		if page.Unkept != "" {
			unkept++
		}
	}
	if unkept < 2 {
		t.Fatalf("%d pages have no cursor: the test proves nothing", unkept)
	}
	if l := log.all(); len(l) != 1 {
		t.Errorf("warnings: %q", l)
	}
	for n := range 20 {
		w.write(fmt.Sprintf(".wrangler/issues/large-%d.md", n), w.text("NEW-0001")+strings.Repeat(w.text("X"), 20))
	}
	w.check(ix)
	h, err := ix.Health(t.Context())
	w.must(err)
	if l := log.all(); h.Path != db.MemoryPath || len(l) != 2 || !strings.Contains(l[1], db.MemoryPath) {
		t.Errorf("served from %s, warnings %q", h.Path, l)
	}
	w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
	w.must(ix.Refresh(t.Context(), ".wrangler/issues/DOC-0000.md"))
	w.check(ix)
	w.close(ix)

	again, log := w.open(Options{})
	if at := w.servedFrom(again); at != w.abs(DefaultPath) {
		t.Errorf("with room again it is served from %s", at)
	}
	if l := log.all(); len(l) > 0 {
		t.Errorf("warnings: %q", l)
	}
}

// Not parallel: the user's cache folder is another one for it.
func TestAnIndexThatCannotBeWrittenAnyMoreMovesToTheUsersCache(t *testing.T) {
	cache := t.TempDir()
	cacheAt(t, cache)
	for _, gone := range []bool{false, true} {
		w := newTree(t, 20)
		ix, log := w.open(Options{})
		w.check(ix)
		want := cache
		if gone {
			want = db.MemoryPath
			w.must(os.RemoveAll(cache))
			w.must(os.WriteFile(cache, nil, 0o644))
		}
		// What SQLite says is what it says of a read-only file system.
		_, err := ix.db.Write.Exec(`PRAGMA query_only = 1`)
		w.must(err)
		w.page(ix, 5)
		w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
		w.check(ix)
		h, err := ix.Health(t.Context())
		w.must(err)
		if l := log.all(); !strings.HasPrefix(h.Path, want) || len(l) != 1 || !strings.Contains(l[0], want) {
			t.Errorf("served from %s, warnings %q", h.Path, l)
		}
		if list, search := w.page(ix, 6); list.Next == "" || search.Next == "" {
			t.Error("there are no cursors")
		}
		w.close(ix)
	}
}
