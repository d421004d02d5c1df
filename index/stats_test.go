package index

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// values are what a paper counts as in a group-by; unset is "".
func (p *paper) values(groupBy string) []string {
	switch groupBy {
	case "status":
		return []string{p.countedStatus()}
	case "priority":
		return []string{p.countedPriority()}
	case "project":
		return []string{p.project}
	case "assignee":
		return []string{p.assignee}
	case "type":
		return []string{p.kind}
	}
	if len(p.labels) == 0 {
		return []string{""}
	}
	return p.labels
}

// tallied counts papers as Stats does, without SQL.
func tallied(papers []*paper, groupBy string) []Count {
	of := map[string]int{}
	for _, p := range papers {
		for _, value := range p.values(groupBy) {
			of[value]++
		}
	}
	var counted []Count
	for value, n := range of {
		counted = append(counted, Count{value, n})
	}
	slices.SortFunc(counted, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return counted
}

func (k *kit) expectStats(ix *Index, groupBy string, f Filter) {
	k.Helper()
	papers := k.matching(f, Sort{})
	counted, total, err := ix.Stats(context.Background(), groupBy, f)
	if err != nil {
		k.Fatal(err)
	}
	if want := tallied(papers, groupBy); !slices.Equal(counted, want) || total != len(papers) {
		k.Errorf("by %s of %+v: %v of %d, want %v of %d", groupBy, f, counted, total, want, len(papers))
	}
}

func TestStatsAgainstANaiveModel(t *testing.T) {
	k := newKit(t)
	r := rand.New(rand.NewPCG(7, 7))
	for n := range 150 {
		k.random(r, n)
	}
	ix := k.open(Options{})

	t.Run("counts are exact for every field and filter, the unset value among them", func(t *testing.T) {
		k := k.within(t)
		for range 60 {
			f := k.filter(r)
			for _, groupBy := range GroupBys {
				k.expectStats(ix, groupBy, f)
			}
		}
	})
	t.Run("and stay so while documents come, change and go", func(t *testing.T) {
		k := k.within(t)
		for n := range 40 {
			switch p := pick(r, k.papers); r.IntN(4) {
			case 0:
				k.random(r, 1000+n)
			case 1:
				k.remove(p)
			default:
				p.status, p.priority, p.assignee, p.project = pick(r, kitStatuses), pick(r, kitPriorities), pick(r, kitPeople), pick(r, kitProjects)
				p.labels = some(r, kitLabels, 3)
				k.save(p)
			}
			k.expectStats(ix, pick(r, GroupBys), Filter{})
			k.expectStats(ix, pick(r, GroupBys), k.filter(r))
		}
		for _, groupBy := range GroupBys {
			k.expectStats(ix, groupBy, Filter{})
		}
	})
}

func TestStats(t *testing.T) {
	k := newKit(t)
	ix := k.open(Options{})
	ctx := context.Background()

	t.Run("of an empty workspace count nothing", func(t *testing.T) {
		for _, groupBy := range GroupBys {
			if counted, total, err := ix.Stats(ctx, groupBy, Filter{}); len(counted) > 0 || total != 0 || err != nil {
				t.Errorf("by %s: %v of %d, %v", groupBy, counted, total, err)
			}
		}
	})
	t.Run("name what they can count by", func(t *testing.T) {
		if _, _, err := ix.Stats(ctx, "title; DROP TABLE document", Filter{}); err == nil {
			t.Error("no error")
		}
	})
	t.Run("count a label once a document, however often it is written there", func(t *testing.T) {
		k.add(paper{labels: []string{"api", "api", "bug"}})
		k.add(paper{labels: []string{"api"}})
		counted, total, err := ix.Stats(ctx, "label", Filter{})
		if want := []Count{{"api", 2}, {"bug", 1}}; !slices.Equal(counted, want) || total != 2 || err != nil {
			t.Errorf("%v of %d, %v", counted, total, err)
		}
	})
	t.Run("tell values apart that differ by case", func(t *testing.T) {
		k.add(paper{labels: []string{"API"}})
		counted, _, err := ix.Stats(ctx, "label", Filter{})
		if want := []Count{{"api", 2}, {"API", 1}, {"bug", 1}}; !slices.Equal(counted, want) || err != nil {
			t.Errorf("%v, %v", counted, err)
		}
	})
}

// isPending is what keeps a paper from being complete.
func (p *paper) isPending() bool { return p.status != "closed" && p.status != "cancelled" }

func TestCompletionAgainstANaiveModel(t *testing.T) {
	k := newKit(t)
	r := rand.New(rand.NewPCG(8, 8))
	for n := range 150 {
		k.random(r, n)
	}
	ix := k.open(Options{})
	for range 100 {
		f, limit := k.filter(r), r.IntN(12)
		for range r.IntN(2) * r.IntN(8) {
			f.IDs = append(f.IDs, pick(r, k.papers).id)
		}
		papers := k.matching(f, Sort{})
		pending := slices.DeleteFunc(slices.Clone(papers), func(p *paper) bool { return !p.isPending() })
		c, err := ix.Completion(context.Background(), f, limit)
		if err != nil {
			t.Fatal(err)
		}
		if c.Total != len(papers) || c.PendingCount != len(pending) || c.Completed != len(papers)-len(pending) {
			t.Fatalf("%+v: %d of %d completed, %d pending; want %d, %d", f, c.Completed, c.Total, c.PendingCount, len(papers), len(pending))
		}
		if got, want := rowPaths(c.Pending), paperPaths(pending[:min(limit, len(pending))]); !slices.Equal(got, want) {
			t.Fatalf("%+v: pending are %q, want %q", f, got, want)
		}
	}
}

func TestCompletionOfNamedDocuments(t *testing.T) {
	k := newKit(t)
	k.add(paper{id: "ISS-000001", status: "closed"})
	k.add(paper{id: "ISS-000002", status: "open"})
	k.add(paper{id: "ISS-000003"})
	k.add(paper{id: "ISS-000004", status: "closed"})
	k.add(paper{id: "ISS-000004", status: "closed", path: ".wrangler/ideas/twin.md"})
	ix := k.open(Options{})
	for _, c := range []struct {
		says                                string
		ids                                 []string
		total, completed, unknown, ambigous int
	}{
		{"all that are named in any form", []string{"iss-1", "2", ".wrangler/issues/ISS-000003.md"}, 3, 1, 0, 0},
		{"one that is named twice once", []string{"ISS-000001", "iss-1"}, 1, 1, 0, 0},
		{"what nothing has as unknown", []string{"ISS-000001", "ISS-000099", "../x"}, 1, 1, 2, 0},
		{"what several have as ambiguous", []string{"ISS-000001", "ISS-000004"}, 1, 1, 0, 1},
		{"one of those by its path", []string{".wrangler/ideas/twin.md"}, 1, 1, 0, 0},
		{"nothing when only unknown ones are named", []string{"ISS-000099"}, 0, 0, 1, 0},
		{"everything when nothing is named", nil, 5, 3, 0, 0},
	} {
		t.Run(c.says, func(t *testing.T) {
			got, err := ix.Completion(context.Background(), Filter{IDs: c.ids}, 10)
			if err != nil || got.Total != c.total || got.Completed != c.completed || got.PendingCount != c.total-c.completed ||
				len(got.Unknown) != c.unknown || len(got.Ambiguous) != c.ambigous {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
