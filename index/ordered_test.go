package index

import (
	"strings"
	"testing"

	"issues-index/index/db"
)

// What no document is linked by is not asked about, and an order of its own is no reason to read
// more documents than the page shows.
func TestReadyWorkIsAskedByTheLinksThatThereAre(t *testing.T) {
	k := newKit(t)
	k.add(paper{id: "ISS-000001"})
	k.add(paper{id: "ISS-000002"})
	ix := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify})
	k.problems(ix) // which builds the index
	first := func(f Filter) (page Page, statements string) {
		t.Helper()
		f.Where.Text = "sort priority desc, updated desc"
		page, err := ix.Find(Observed(t.Context(), func(query string) { statements += query + "\n" }), Query{Filter: f, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		return page, statements
	}
	for _, step := range []struct {
		name               string
		change             func()
		ready, blocked     int
		byWaits, byParents bool
	}{
		{"without a link", func() {}, 2, 0, false, false},
		{"with a parent", func() { k.add(paper{id: "ISS-000003", parent: "ISS-000001"}) }, 2, 0, false, true},
		{"with one that waits", func() {
			k.put(".wrangler/issues/ISS-000004.md", "---\nid: ISS-000004\ndependsOn: [ISS-000002]\n---\n")
		}, 2, 1, true, true},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.change()
			ready, asked := first(Filter{Ready: true})
			if ready.Total != step.ready || len(ready.Rows) != 1 || ready.Remaining != step.ready-1 {
				t.Errorf("%d of %d are ready, want 1 of %d", len(ready.Rows), ready.Total, step.ready)
			}
			if strings.Contains(asked, "FROM waiting") != step.byWaits || strings.Contains(asked, "FROM open_child") != step.byParents {
				t.Errorf("what is ready is asked by\n%s", asked)
			}
			blocked, asked := first(Filter{Blocked: true})
			if blocked.Total != step.blocked || strings.Contains(asked, "FROM waiting") != step.byWaits {
				t.Errorf("%d are blocked, want %d, asked by\n%s", blocked.Total, step.blocked, asked)
			}
		})
	}
}

// Where the total alone is asked for, no document is read: the first that waits may be the last of all.
func TestTotalsReadNoDocument(t *testing.T) {
	k := newKit(t)
	k.add(paper{id: "ISS-000001"})
	k.put(".wrangler/issues/ISS-000002.md", "---\nid: ISS-000002\ndependsOn: [ISS-000001]\n---\n")
	ix := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify})
	k.problems(ix) // which builds the index
	for _, f := range []Filter{{}, {Ready: true}, {Blocked: true}, {Types: []string{"issue"}, Blocked: true}} {
		page, err := ix.Find(Observed(t.Context(), func(query string) {
			if strings.Contains(query, "page.key") {
				t.Errorf("%+v is asked by\n%s", f, query)
			}
		}), Query{Filter: f})
		if err != nil || page.Total == 0 || page.Remaining != page.Total || page.Next != "" {
			t.Errorf("%+v: %d, of which %d remain, %v", f, page.Total, page.Remaining, err)
		}
	}
}
