package index

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// sorts are the default order and both directions of each key.
func sorts(keys ...SortKey) []Sort {
	all := []Sort{{}}
	for _, key := range keys {
		all = append(all, Sort{Key: key}, Sort{Key: key, Desc: true})
	}
	return all
}

var listSorts = sorts(SortUpdated, SortCreated, SortPriority, SortStatus)

func rowPaths(rows []Row) []string {
	paths := make([]string, 0, len(rows))
	for _, row := range rows {
		paths = append(paths, row.Path)
	}
	return paths
}

func paperPaths(papers []*paper) []string {
	paths := make([]string, 0, len(papers))
	for _, p := range papers {
		paths = append(paths, p.path)
	}
	return paths
}

// row is how a paper is shown.
func (k *kit) row(p *paper) Row {
	shared := slices.ContainsFunc(k.papers, func(other *paper) bool { return other != p && other.id == p.id })
	r := Row{
		Path: p.path, ID: p.id, Type: p.kind, Title: p.title, Status: p.countedStatus(), Priority: p.countedPriority(), Labels: p.labels,
		Assignee: p.assignee, Project: p.project, Parent: p.parent, Created: p.created, Updated: p.updated, Closed: p.closed,
		Size: int64(len(p.file())), Version: versionOf(hashOf(p.file())), Shared: shared,
	}
	if p.parent != "" {
		r.Context = []byte(`{"parentTaskId":"` + p.parent + `"}`)
	}
	return r
}

func TestListsAgainstANaiveModel(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 150 {
		k.random(r, n)
	}
	ix := k.open(Options{})
	rounds := 12
	if storetest.Long() {
		rounds = 40
	}

	t.Run("every sort orders every filter's documents as written, and counts them", func(t *testing.T) {
		for range rounds {
			f := k.filter(r)
			for _, s := range listSorts {
				want := paperPaths(k.matching(f, s))
				page := k.find(ix, Query{Filter: f, Sort: s, Limit: 1000})
				if got := rowPaths(page.Rows); !slices.Equal(got, want) {
					t.Fatalf("%+v by %+v:\n got %q\nwant %q", f, s, got, want)
				}
				if page.Total != len(want) || page.Remaining != 0 || page.Next != "" {
					t.Fatalf("%+v by %+v: total %d of %d, %d remaining, next %q", f, s, page.Total, len(want), page.Remaining, page.Next)
				}
			}
		}
	})

	t.Run("a page shows its part, how many there are and how many are left", func(t *testing.T) {
		for range rounds {
			f, s, limit := k.filter(r), pick(r, listSorts), 1+r.IntN(40)
			want := k.matching(f, s)
			page := k.find(ix, Query{Filter: f, Sort: s, Limit: limit})
			shown := min(limit, len(want))
			if !slices.Equal(rowPaths(page.Rows), paperPaths(want[:shown])) || page.Total != len(want) ||
				page.Remaining != len(want)-shown || (page.Next == "") != (page.Remaining == 0) {
				t.Fatalf("%+v by %+v: rows %q, total %d, remaining %d, next %q", f, s, rowPaths(page.Rows), page.Total, page.Remaining, page.Next)
			}
			if got := k.everything(ix, Query{Filter: f, Sort: s, Limit: limit}); !slices.Equal(rowPaths(got), paperPaths(want)) {
				t.Fatalf("%+v by %+v, %d a page: all pages have %q, not %q", f, s, limit, rowPaths(got), paperPaths(want))
			}
		}
	})

	t.Run("an offset leaves out the first documents, and the cursor goes on from there", func(t *testing.T) {
		for range rounds {
			f, s, offset, limit := k.filter(r), pick(r, listSorts), r.IntN(60), 1+r.IntN(40)
			all := k.matching(f, s)
			want := paperPaths(all[min(offset, len(all)):])
			page := k.find(ix, Query{Filter: f, Sort: s, Offset: offset, Limit: limit})
			if page.Total != len(all) || page.Remaining != max(0, len(want)-limit) {
				t.Fatalf("%+v by %+v from %d: total %d, remaining %d of %d", f, s, offset, page.Total, page.Remaining, len(all))
			}
			if got := k.everything(ix, Query{Filter: f, Sort: s, Offset: offset, Limit: limit}); !slices.Equal(rowPaths(got), want) {
				t.Fatalf("%+v by %+v from %d: %q, not %q", f, s, offset, rowPaths(got), want)
			}
		}
	})

	t.Run("a row has every field of its document", func(t *testing.T) {
		page := k.find(ix, Query{Limit: 1000})
		for _, row := range page.Rows {
			row.Problem = "" // unknown statuses and the like: see the problems
			row.doc, row.finished = 0, false
			if want := k.row(k.at(row.Path)); !reflect.DeepEqual(row, want) {
				t.Errorf("got  %+v\nwant %+v", row, want)
			}
		}
	})
}

func TestFilters(t *testing.T) {
	k := newKit(t)
	k.add(paper{title: "found", id: "ISS-000001", status: "open", labels: []string{"a,b", "c"}, assignee: "ann", parent: "EPIC-1"})
	k.add(paper{title: "found", id: "ISS-000002", priority: "high", labels: []string{"c"}, project: "atlas"})
	k.add(paper{title: "found", id: "ISS-000001", path: ".wrangler/issues/twin.md", status: "weird", created: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)})
	ix := k.open(Options{})
	const one, two, twin = ".wrangler/issues/ISS-000001.md", ".wrangler/issues/ISS-000002.md", ".wrangler/issues/twin.md"

	for name, c := range map[string]struct {
		filter Filter
		want   []string
	}{
		"none lets all through":                      {Filter{}, []string{one, two, twin}},
		"an id lets every document that has it":      {Filter{IDs: []string{"ISS-000001"}}, []string{one, twin}},
		"a path lets one of two with the same id":    {Filter{IDs: []string{twin, "ISS-000002"}}, []string{two, twin}},
		"any of several labels fits":                 {Filter{Labels: []string{"a,b", "nobody's"}}, []string{one}},
		"a label is one text, whatever it holds":     {Filter{Labels: []string{"a", "b"}}, nil},
		"a status outside the enum can be asked for": {Filter{Statuses: []string{"weird"}}, []string{twin}},
		"a document without a status is open":        {Filter{Statuses: []string{"open"}}, []string{one, two}},
		"a document without a priority is medium":    {Filter{Priorities: []string{"medium"}}, []string{one, twin}},
		"no assignee can be asked for":               {Filter{Assignee: None}, []string{two, twin}},
		"no project can be asked for":                {Filter{Project: None}, []string{one, twin}},
		"no label can be asked for":                  {Filter{Labels: []string{None}}, []string{twin}},
		"no label can be asked for, beside others":   {Filter{Labels: []string{"a,b", None}}, []string{one, twin}},
		"an assignee":                                 {Filter{Assignee: "ann"}, []string{one}},
		"a project":                                   {Filter{Project: "atlas"}, []string{two}},
		"a parent":                                    {Filter{Parent: "EPIC-1"}, []string{one}},
		"a parent in another case, with zeros":        {Filter{Parent: "epic-001"}, []string{one}},
		"across fields all must fit":                  {Filter{Labels: []string{"c"}, Project: "atlas"}, []string{two}},
		"created after includes the time":             {Filter{CreatedAfter: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)}, []string{twin}},
		"created before excludes the time":            {Filter{CreatedBefore: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)}, []string{one, two}},
		"values are compared as they are":             {Filter{Assignee: "Ann"}, nil},
		"a quote in a value is a quote":               {Filter{Project: "' OR 1=1 --"}, nil},
		"what nothing has lets nothing through":       {Filter{Types: []string{"idea"}}, nil},
		"a range that holds no time is an empty list": {Filter{CreatedAfter: day(9), CreatedBefore: day(2)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, q := range []Query{{}, {Search: true, Text: "found"}} {
				q.Filter, q.Limit = c.filter, 10
				page := k.find(ix, q)
				got := rowPaths(page.Rows)
				slices.Sort(got)
				if !slices.Equal(got, c.want) || page.Total != len(c.want) {
					t.Errorf("search %v: got %q of %d, want %q", q.Search, got, page.Total, c.want)
				}
			}
		})
	}
}

func TestCountsFollowTheFiles(t *testing.T) {
	k := newKit(t)
	k.add(paper{labels: []string{"api"}})
	ix := k.open(Options{})
	asked := Query{Filter: Filter{Labels: []string{"api"}}, Limit: 1}
	expect := func(want int) {
		t.Helper()
		if got := k.find(ix, asked).Total; got != want {
			t.Errorf("the total is %d, not %d", got, want)
		}
	}
	expect(1)

	t.Run("after a change", func(t *testing.T) {
		k.add(paper{labels: []string{"api"}})
		expect(2)
	})
	t.Run("after a rebuild that brings a change with it", func(t *testing.T) {
		k.add(paper{labels: []string{"api"}})
		if _, err := ix.Rebuild(context.Background()); err != nil {
			t.Fatal(err)
		}
		expect(3)
		k.remove(k.papers[0])
		if _, err := ix.Rebuild(context.Background()); err != nil {
			t.Fatal(err)
		}
		expect(2)
	})
}
