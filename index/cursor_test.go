package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"issues-index/index/db"
	"issues-index/store"
)

// A clock that stands still until a test moves it.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// filledKit is a workspace of 20 documents.
func filledKit(tb testing.TB) *kit {
	tb.Helper()
	k := newKit(tb)
	for range 20 {
		k.add(paper{body: "Text to be found.\n"})
	}
	return k
}

// refusal is why a cursor is refused, nil when it is not.
func (k *kit) refusal(ix *Index, q Query) *CursorError {
	k.Helper()
	_, err := ix.Find(context.Background(), q)
	var refused *CursorError
	if err != nil && !errors.As(err, &refused) {
		k.Fatalf("find: %v", err)
	}
	return refused
}

func (k *kit) expectRefused(ix *Index, q Query, want CursorReason) {
	k.Helper()
	if refused := k.refusal(ix, q); refused == nil || refused.Reason != want {
		k.Errorf("%s: %v, want %s", q.Cursor, refused, want)
	}
}

// The two kinds of query that have cursors.
var pagedQueries = map[string]Query{
	"list":   {Limit: 5, Scope: "tool", View: "full", Filter: Filter{Types: []string{store.TypeIssue}}, Sort: Sort{Key: SortCreated}},
	"search": {Limit: 5, Scope: "tool", View: "full", Search: true, Text: "text", Snippets: true},
}

func TestCursor(t *testing.T) {
	for name, q := range pagedQueries {
		t.Run("of a "+name, func(t *testing.T) {
			k := filledKit(t)
			ix := k.open(Options{})
			page := k.find(ix, q)

			t.Run("is a dozen characters that are easily copied", func(t *testing.T) {
				if len(page.Next) != 12 || strings.Trim(page.Next, "0123456789abcdefghjkmnpqrstvwxyz") != "" {
					t.Errorf("%q", page.Next)
				}
			})
			t.Run("carries the whole query, so that nothing else need be given", func(t *testing.T) {
				next := k.find(ix, Query{Cursor: page.Next, Scope: q.Scope})
				if got, want := fmt.Sprintf("%+v", next.Query), fmt.Sprintf("%+v", q); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
				if len(next.Rows) != 5 || next.Total != 20 || next.Remaining != 10 {
					t.Errorf("%d rows of %d, %d remaining", len(next.Rows), next.Total, next.Remaining)
				}
			})
			t.Run("takes a new limit, for the pages that follow, too", func(t *testing.T) {
				next := k.find(ix, Query{Cursor: page.Next, Scope: q.Scope, Limit: 3})
				last := k.find(ix, Query{Cursor: next.Next, Scope: q.Scope})
				if len(next.Rows) != 3 || len(last.Rows) != 3 || last.Remaining != 9 {
					t.Errorf("%d rows, then %d, %d remaining", len(next.Rows), len(last.Rows), last.Remaining)
				}
			})
			t.Run("can be used again, and answers the same", func(t *testing.T) {
				first, second := k.find(ix, Query{Cursor: page.Next, Scope: q.Scope}), k.find(ix, Query{Cursor: page.Next, Scope: q.Scope})
				if fmt.Sprint(rowPaths(first.Rows), first.Next) != fmt.Sprint(rowPaths(second.Rows), second.Next) {
					t.Errorf("%q %s, then %q %s", rowPaths(first.Rows), first.Next, rowPaths(second.Rows), second.Next)
				}
			})
			t.Run("is refused with any character changed, added or missing", func(t *testing.T) {
				k := k.within(t)
				for i, c := range page.Next {
					for _, other := range "0z-éA\x00" {
						if other != c {
							k.expectRefused(ix, Query{Cursor: page.Next[:i] + string(other) + page.Next[i+1:], Scope: q.Scope}, CursorUnknown)
						}
					}
				}
				for _, cursor := range []string{page.Next[1:], page.Next[:11], page.Next + "0", " " + page.Next, strings.ToUpper(page.Next), "x", strings.Repeat("z", 12), strings.Repeat("0", 1<<20)} {
					k.expectRefused(ix, Query{Cursor: cursor, Scope: q.Scope}, CursorUnknown)
				}
			})
			t.Run("is refused to another tool, whose name is said", func(t *testing.T) {
				refused := k.refusal(ix, Query{Cursor: page.Next, Scope: "another tool"})
				if refused == nil || refused.Reason != CursorScope || refused.Scope != q.Scope {
					t.Errorf("%+v", refused)
				}
			})
			t.Run("is refused in another workspace", func(t *testing.T) {
				other := filledKit(t)
				other.expectRefused(other.open(Options{}), Query{Cursor: page.Next, Scope: q.Scope}, CursorUnknown)
			})
			t.Run("works in another process on the same workspace, and after a restart", func(t *testing.T) {
				other := k.open(Options{})
				want := rowPaths(k.find(ix, Query{Cursor: page.Next, Scope: q.Scope}).Rows)
				for range 2 {
					if got := rowPaths(k.find(other, Query{Cursor: page.Next, Scope: q.Scope}).Rows); fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("got %q, want %q", got, want)
					}
					k.close(ix)
					k.close(other)
					ix = k.open(Options{})
					other = ix
				}
			})
			t.Run("is refused after a rebuild", func(t *testing.T) {
				if _, err := ix.Rebuild(context.Background()); err != nil {
					t.Fatal(err)
				}
				k.expectRefused(ix, Query{Cursor: page.Next, Scope: q.Scope}, CursorUnknown)
			})
		})
	}
}

func TestTotalsWhileDocumentsGo(t *testing.T) {
	for name, q := range pagedQueries {
		t.Run("of a "+name, func(t *testing.T) {
			k := filledKit(t)
			ix := k.open(Options{})
			page := k.find(ix, q)
			for _, p := range slices.Clone(k.papers) {
				if !slices.Contains(rowPaths(page.Rows), p.path) && p.id != "ISS-000009" && p.id != "ISS-000011" {
					k.remove(p)
				}
			}
			page = k.find(ix, Query{Cursor: page.Next, Scope: q.Scope, Limit: 1})
			if len(page.Rows) != 1 || page.Total > 20 || page.Total < 7 {
				t.Errorf("%d rows of %d", len(page.Rows), page.Total)
			}
			page = k.find(ix, Query{Cursor: page.Next, Scope: q.Scope, Limit: 5})
			if len(page.Rows) != 1 || page.Total != 7 || page.Remaining != 0 {
				t.Errorf("in the end %d rows of %d, %d remaining", len(page.Rows), page.Total, page.Remaining)
			}
		})
	}
}

func TestCursorsExpire(t *testing.T) {
	for name, q := range pagedQueries {
		t.Run("of a "+name, func(t *testing.T) {
			k := filledKit(t)
			c := &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
			ix := k.open(Options{Now: c.now})
			next := func(cursor string) Query { return Query{Cursor: cursor, Scope: q.Scope} }

			t.Run("later than clients are promised", func(t *testing.T) {
				page := k.find(ix, q)
				c.at = c.at.Add(10 * time.Minute)
				if refused := k.refusal(ix, next(page.Next)); refused != nil {
					t.Error(refused)
				}
			})
			t.Run("not at all while the page before is asked for again and again", func(t *testing.T) {
				for range 20 {
					page := k.find(ix, q)
					c.at = c.at.Add(10 * time.Minute)
					if refused := k.refusal(ix, next(page.Next)); refused != nil {
						t.Error(refused)
					}
				}
			})
			t.Run("each for itself: paging on does not keep the first one alive", func(t *testing.T) {
				page := k.find(ix, q)
				c.at = c.at.Add(cursorLife - time.Minute)
				second := k.find(ix, next(page.Next))
				c.at = c.at.Add(2 * time.Minute)
				k.expectRefused(ix, next(page.Next), CursorExpired)
				if refused := k.refusal(ix, next(second.Next)); refused != nil {
					t.Error(refused)
				}
			})
			t.Run("in the end, as what they are and not as unknown", func(t *testing.T) {
				page := k.find(ix, q)
				c.at = c.at.Add(cursorLife)
				k.expectRefused(ix, next(page.Next), CursorExpired)
			})
			t.Run("and are cleared away, with the past that only they needed", func(t *testing.T) {
				k.find(ix, q)
				k.papers[0].updated, k.papers[0].created = day(300), day(299)
				k.save(k.papers[0])
				k.remove(k.papers[1])
				k.find(ix, Query{Limit: 100})
				if kept := k.stored(ix); kept.past == 0 || kept.cursors == 0 {
					t.Fatalf("nothing is kept for the open cursor: %+v", kept)
				}
				c.at = c.at.Add(cursorLife)
				k.find(ix, q)
				want := stock{cursors: 1}
				if q.Search {
					want.rankings = 1
				}
				if kept := k.stored(ix); kept != want {
					t.Errorf("kept %+v, want %+v", kept, want)
				}
			})
			t.Run("and no past is kept where no cursor is open", func(t *testing.T) {
				c.at = c.at.Add(cursorLife)
				k.papers[0].created, k.papers[0].updated = day(1), day(2)
				k.save(k.papers[0])
				k.remove(k.papers[1])
				k.find(ix, Query{Limit: 100})
				if kept := k.stored(ix); kept.past != 0 {
					t.Errorf("kept %+v", kept)
				}
			})
		})
	}
}

// A cursor may expire at any moment of the call that uses it: either it is refused, or
// the pages go on as they were.
func TestACursorThatExpiresInUseKeepsItsPast(t *testing.T) {
	const looks = 6 // at the clock: more than a call takes
	outcomes := map[bool]int{}
	for good := range looks {
		k := filledKit(t)
		start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		var passed atomic.Int64 // since the start
		var left atomic.Int64   // looks until the cursor is over
		left.Store(math.MaxInt64)
		ix := k.open(Options{CacheTTL: cursorLife * 2, Now: func() time.Time {
			if left.Add(-1) < 0 {
				return start.Add(cursorLife)
			}
			return start.Add(time.Duration(passed.Load()))
		}})
		first := k.find(ix, Query{Limit: 5, Scope: "mine"})
		oldest := k.papers[0] // on the last page
		oldest.updated = day(300)
		k.save(oldest)
		passed.Store(int64(time.Minute))
		k.find(ix, Query{Limit: 5, Scope: "another's"}) // needs none of the past

		passed.Store(int64(cursorLife - time.Second))
		left.Store(int64(good))
		page, err := findPage(t.Context(), ix, Query{Cursor: first.Next, Scope: "mine"})
		var refused *CursorError
		if errors.As(err, &refused) && refused.Reason == CursorExpired {
			outcomes[false]++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		outcomes[true]++
		expectOnce(t, k.papers, first.Rows, page.Rows, k.everything(ix, Query{Cursor: page.Next, Scope: "mine"}))
	}
	if outcomes[false] == 0 || outcomes[true] == 0 {
		t.Errorf("refused %d times, gone on %d times", outcomes[false], outcomes[true])
	}
}

// Until its cursor is written, nothing keeps the past that a first page needs.
func TestAChangeBeforeTheFirstCursorIsWritten(t *testing.T) {
	for name, q := range pagedQueries {
		t.Run("of a "+name, func(t *testing.T) {
			k := filledKit(t)
			ix, other := k.open(Options{}), k.open(Options{})
			ctx := context.Background()
			tries := 0
			page, err := findCut(ctx, ix, q, func(p Page) int {
				tries++
				first, last := k.papers[0], k.papers[19]
				first.created, last.created = day(300+tries), day(0)
				k.save(first)
				k.save(last)
				k.find(other, Query{Limit: 100})
				return len(p.Rows) - 1
			})
			if err != nil {
				t.Fatal(err)
			}
			if tries != 2 {
				t.Errorf("the page was read %d times, want twice although its documents changed each time", tries)
			}
			expectOnce(t, k.papers, page.Rows, k.everything(ix, Query{Cursor: page.Next, Scope: q.Scope}))
		})
	}
}

// Two callers may read a page at one moment, and store its cursor after different changes.
func TestChangesBeforeTheFirstCursorsOfTwoCallersAreWritten(t *testing.T) {
	for name, q := range pagedQueries {
		t.Run("of a "+name, func(t *testing.T) {
			k := filledKit(t)
			ix := k.open(Options{})
			tries := 0
			change := func() {
				tries++
				k.papers[19].created = day(300 + tries)
				k.save(k.papers[19])
				k.find(ix, Query{Limit: 100})
			}
			read := func(before func()) {
				page, err := findCut(t.Context(), ix, q, func(p Page) int {
					before()
					before = func() {}
					return len(p.Rows) - 1
				})
				if err != nil || page.Next == "" {
					t.Errorf("cursor %q, %v", page.Next, err)
				}
			}
			read(func() { read(change); change() })
		})
	}
}

func TestAPageAskedForTwiceWritesNothing(t *testing.T) {
	for name, q := range pagedQueries {
		t.Run("of a "+name, func(t *testing.T) {
			k := filledKit(t)
			ix := k.open(Options{})
			first := k.find(ix, q)
			second := k.find(ix, Query{Cursor: first.Next, Scope: q.Scope})
			if ix.mode != ModeWatch {
				t.Skip("files cannot be watched here: a comparison writes which of them it need not read again")
			}
			conn, err := ix.db.Read.Conn(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			version := func() (v int64) { // SQLite's: changes when any other connection writes
				if err := conn.QueryRowContext(context.Background(), `PRAGMA data_version`).Scan(&v); err != nil {
					t.Fatal(err)
				}
				return v
			}
			before := version()
			for range 3 {
				if again := k.find(ix, q); again.Next != first.Next {
					t.Errorf("cursor %s, before it was %s", again.Next, first.Next)
				}
				if again := k.find(ix, Query{Cursor: first.Next, Scope: q.Scope}); again.Next != second.Next {
					t.Errorf("second cursor %s, before it was %s", again.Next, second.Next)
				}
			}
			if version() != before {
				t.Error("the index was written to")
			}
			k.find(ix, Query{Limit: 6, Scope: q.Scope})
			if version() == before {
				t.Error("a new cursor was not seen to be written: the test tests nothing")
			}
		})
	}
}

// A stock is how much the index keeps for cursors.
type stock struct{ cursors, rankings, past int }

func (k *kit) stored(ix *Index) (s stock) {
	k.Helper()
	err := ix.view(context.Background(), func(tx *db.Snapshot) error {
		return tx.QueryRowContext(context.Background(), `SELECT (SELECT count(*) FROM cursor), (SELECT count(*) FROM ranking), (SELECT count(*) FROM past)`).
			Scan(&s.cursors, &s.rankings, &s.past)
	})
	if err != nil {
		k.Fatal(err)
	}
	return s
}
