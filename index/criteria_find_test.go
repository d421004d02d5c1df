package index

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index/where"
)

// worded is a filter with criteria alone.
func worded(text string) Filter { return Filter{Where: AskedCriteria{Text: text, Me: "ann"}} }

// paged are the ids of all documents that a query finds, page by page in its order.
func (k *kit) paged(ix *Index, q Query) string {
	k.Helper()
	q.Limit = 2
	var ids []string
	for _, row := range k.everything(ix, q) {
		ids = append(ids, row.ID)
	}
	return strings.Join(ids, " ")
}

// family is a workspace with documents that are linked in every way.
func family(t *testing.T) *kit {
	k := newKit(t)
	k.note("A-1", "priority: high", "assignee: ann", "estimate: 3")
	k.note("A-2", "dependsOn: A-1", "priority: low", "estimate: 5")
	k.note("A-3", "blocks: [A-2]", "deferUntil: 2026-03-11", "estimate: 5")
	k.note("P-1", "type: specification")
	k.note("C-1", "parent: P-1", "status: closed")
	k.note("C-2", "parent: C-1", "status: done", "labels: [api]")
	k.note("P-2", "assignee: bob, ann")
	k.note("C-3", "parent: P-2", "status: in_progress")
	return k
}

func TestFindByCriteria(t *testing.T) {
	t.Parallel()
	k := family(t)
	now := time.Date(2026, 3, 8, 22, 0, 0, 0, time.FixedZone("", -3*60*60))
	ix := k.open(Options{Mode: ModeVerify, Now: func() time.Time { return now }})
	defer k.close(ix)
	for text, want := range map[string]string{
		"":                                 "A-1 A-2 A-3 C-1 C-2 C-3 P-1 P-2",
		"is:blocked":                       "A-2",
		"is:closable":                      "P-1", // C-2 is as unfinished as any status that is not known
		"under:P-1":                        "C-1 C-2",
		"parent:p-1":                       "C-1",
		"blocks:A-2":                       "A-1 A-3",
		"label:api":                        "C-2",
		"assignee = @me":                   "A-1 P-2",
		"not is:ready -is:blocked":         "A-3 C-1 C-2 C-3 P-2",
		"estimate > 3 or under:P-2":        "A-2 A-3 C-3",
		"status = done":                    "C-2", // a value in use is meant before what it stands for elsewhere
		"status = doing":                   "C-3",
		`"The A"`:                          "A-1 A-2 A-3",
		"deferUntil = +3d":                 "A-3",
		"priority >= medium type != issue": "P-1",
		"is:ready sort priority, id desc":  "A-1 P-1",
	} {
		if got := k.ids(ix, worded(text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	t.Run("a search is narrowed by them, too", func(t *testing.T) {
		if got := k.paged(ix, Query{Search: true, Text: "The", Filter: worded("estimate = 5 sort id desc")}); got != "A-3 A-2" {
			t.Error(got)
		}
	})
	t.Run("so are counts", func(t *testing.T) {
		counts, total, err := ix.Stats(t.Context(), "status", worded("is:ready"))
		if err != nil || total != 2 || len(counts) != 1 || counts[0] != (Count{"open", 2}) {
			t.Error(counts, total, err)
		}
	})
	t.Run("what is ready by a word is what is ready by the filter", func(t *testing.T) {
		for text, f := range map[string]Filter{"is:ready": {Ready: true}, "is:blocked": {Blocked: true}, "under:P-1": {Under: "P-1"}} {
			if got, want := k.ids(ix, worded(text)), k.ids(ix, f); got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		}
	})
	t.Run("what they do not say rightly is an error", func(t *testing.T) {
		var syntax *where.SyntaxError
		for text, column := range map[string]int{"estimat > 3": 1, "status = opn or": 16, "priority = soon": 12, "is:redy": 1} {
			if _, err := ix.Find(t.Context(), Query{Filter: worded(text), Limit: 1}); !errors.As(err, &syntax) || syntax.Column != column {
				t.Errorf("%s: %v", text, err)
			}
		}
		var unknown *NotFoundError
		if _, err := ix.Find(t.Context(), Query{Filter: worded("under:P-9"), Limit: 1}); !errors.As(err, &unknown) {
			t.Error(err)
		}
		if _, err := ix.Find(t.Context(), Query{Filter: Filter{Where: AskedCriteria{Text: "assignee = @me"}}, Limit: 1}); !errors.As(err, &syntax) {
			t.Error(err)
		}
	})
}

func TestOrdersOfCriteria(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	var want []string
	for n := range 24 {
		id := fmt.Sprintf("A-%d", 24-n)
		k.note(id, fmt.Sprintf("estimate: %d", n/5))
		want = append(want, fmt.Sprintf("%02d %s", 9-n/5, id))
	}
	slices.SortStableFunc(want, func(a, b string) int { return strings.Compare(a[:2], b[:2]) })
	for i, text := range want {
		want[i] = text[3:]
	}
	ix := k.open(Options{Mode: ModeVerify})
	defer k.close(ix)
	if got := k.paged(ix, Query{Filter: worded("sort estimate desc, id desc")}); got != strings.Join(want, " ") {
		t.Errorf("%s\nwant %s", got, strings.Join(want, " "))
	}
	if got := k.paged(ix, Query{Filter: worded("estimate < 2 sort created desc")}); len(strings.Fields(got)) != 10 {
		t.Error(got)
	}
}

func TestPagesOfCriteriaKeepTheirDay(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for n := range 4 {
		k.note(fmt.Sprintf("A-%d", n), "updatedAt: 2026-03-08T12:00:00Z")
	}
	now := time.Date(2026, 3, 8, 23, 59, 0, 0, time.UTC)
	ix := k.open(Options{Mode: ModeVerify, Now: func() time.Time { return now }})
	defer k.close(ix)
	page := k.find(ix, Query{Filter: worded("updated = today"), Limit: 2})
	next := page.Next
	now = now.Add(2 * time.Minute) // it is tomorrow
	if page = k.find(ix, Query{Cursor: next}); len(page.Rows) != 2 || page.Total != 4 {
		t.Errorf("%d of %d documents are on the second page", len(page.Rows), page.Total)
	}
	if page = k.find(ix, Query{Filter: worded("updated = today"), Limit: 2}); page.Total != 0 {
		t.Errorf("%d documents are of today", page.Total)
	}
}

func TestPagesOfCriteriaKeepTheirMinute(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for n := range 4 {
		k.note(fmt.Sprintf("A-%d", n), "updatedAt: 2026-03-08T12:00:00Z")
	}
	now := time.Date(2026, 3, 8, 12, 5, 0, 0, time.UTC)
	ix := k.open(Options{Mode: ModeVerify, Now: func() time.Time { return now }})
	defer k.close(ix)
	next := k.find(ix, Query{Filter: worded("updated > -10m"), Limit: 2}).Next
	now = now.Add(8 * time.Minute)
	if page := k.find(ix, Query{Cursor: next}); len(page.Rows) != 2 || page.Total != 4 {
		t.Errorf("%d of %d documents are on the second page", len(page.Rows), page.Total)
	}
	if page := k.find(ix, Query{Filter: worded("updated > -10m"), Limit: 2}); page.Total != 0 {
		t.Errorf("%d documents are of the last ten minutes", page.Total)
	}
}

func TestUncountedPages(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for n := range 5 {
		k.note(fmt.Sprintf("A-%d", n))
	}
	ix := k.open(Options{Mode: ModeVerify})
	defer k.close(ix)
	for name, f := range map[string]Filter{"ready": {Ready: true}, "is:ready": worded("is:ready")} {
		q := Query{Filter: f, Limit: 2, Uncounted: true}
		for _, want := range []struct {
			total   int
			atLeast bool
		}{{3, true}, {5, true}, {5, false}} {
			page := k.find(ix, q)
			if page.Total != want.total || page.AtLeast != want.atLeast {
				t.Errorf("%s: %d documents, at least: %v, want %v", name, page.Total, page.AtLeast, want)
			}
			q = Query{Cursor: page.Next}
		}
	}
	if page := k.find(ix, Query{Limit: 2, Uncounted: true}); page.Total != 5 || page.AtLeast {
		t.Errorf("what costs nothing to count is %d, at least: %v", page.Total, page.AtLeast)
	}
}
