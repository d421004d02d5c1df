package index

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store"
	"issues-index/store/storetest"
)

// What the index says of links is what the model finds with loops over all documents:
// over cycles, unknown, ambiguous and foreign ids, ancestors, containers and deferral,
// after a build and after changes.
func TestLinksAreJudgedAsByTheModel(t *testing.T) {
	t.Parallel()
	checkModels(t, func(rt *rapid.T, m linkModel, root string, put func(*noted), ix *Index) {
		compareLinks(rt, t, ix, m)

		for range 2 {
			d := rapid.SampledFrom(m).Draw(rt, "changed")
			before := *d
			was := slices.Clone(m)
			was[slices.Index(m, d)] = &before
			switch {
			case rapid.IntRange(0, 5).Draw(rt, "goes") == 0 && len(m) > 1:
				if err := os.Remove(filepath.Join(root, filepath.FromSlash(d.path))); err != nil {
					rt.Fatal(err)
				}
				m = slices.DeleteFunc(slices.Clone(m), func(other *noted) bool { return other == d })
			default:
				drawLinks(rt, m, d)
				compareNewCycle(rt, t, ix, was, m, &before, d)
				d.status = rapid.SampledFrom([]string{"open", "closed"}).Draw(rt, "status")
				put(d)
			}
			compareLinks(rt, t, ix, m)
		}
	})
}

// checkModels draws workspaces whose documents are linked in any way, and has each checked: its
// model, its root, what writes the file of a document, and its index, which looks at all files.
func checkModels(t *testing.T, check func(rt *rapid.T, m linkModel, root string, put func(*noted), ix *Index)) {
	started, done := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		if done >= 4 && done == started && !storetest.Long() { // each builds an index
			return
		}
		started++
		defer func() {
			if !rt.Failed() {
				done++
			}
		}()
		m := drawModel(rt)
		root, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		put := func(d *noted) {
			file := filepath.Join(root, filepath.FromSlash(d.path))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				rt.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(d.file()), 0o644); err != nil {
				rt.Fatal(err)
			}
		}
		for _, d := range m {
			put(d)
		}
		ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
		if err != nil {
			rt.Fatal(err)
		}
		defer ws.Close()
		ix, err := Open(t.Context(), ws, Options{Mode: ModeVerify})
		if err != nil {
			rt.Fatal(err)
		}
		defer ix.Close()
		check(rt, m, root, put, ix)
	})
}

// compareNewCycle asks about the links that a document is about to get.
func compareNewCycle(rt *rapid.T, t *testing.T, ix *Index, was, is linkModel, before, after *noted) {
	waits, parent := []string{}, ""
	for _, w := range after.waits {
		waits = append(waits, w.text)
	}
	if after.parent != nil {
		parent = after.parent.text
	}
	after.blocks = before.blocks // which nobody writes
	cycle, err := ix.NewCycle(t.Context(), []ProposedLinks{{ID: after.path, WaitsFor: &waits, Parent: &parent}})
	if err != nil {
		rt.Fatal(err)
	}
	if want := closes(was, is, before, after); want != (cycle != nil) {
		for _, d := range was {
			rt.Logf("%s\n%s", d.path, d.file())
		}
		rt.Fatalf("%s with %v, parent %q: the cycle %v, want one: %v", after.path, waits, parent, cycle, want)
	}
	if len(cycle) > 0 && cycle[0] != cycle[len(cycle)-1] {
		rt.Fatalf("the cycle %v does not close", cycle)
	}
}

func compareLinks(rt *rapid.T, t *testing.T, ix *Index, m linkModel) {
	var ready, blocked []string
	for _, d := range m {
		if m.ready(d) {
			ready = append(ready, d.path)
		}
		if m.blocked(d) {
			blocked = append(blocked, d.path)
		}
	}
	for _, c := range []struct {
		name   string
		filter Filter
		view   string
		want   []string
	}{{"ready", Filter{Ready: true}, "ready", ready}, {"blocked", Filter{Blocked: true}, "blocked", blocked}} {
		slices.Sort(c.want)
		ordered := Filter{Ready: c.filter.Ready, Blocked: c.filter.Blocked, Where: AskedCriteria{Text: "sort priority desc, updated desc"}}
		first, err := ix.Find(t.Context(), Query{Filter: ordered, Limit: 2})
		paged, pagedErr := findPage(t.Context(), ix, Query{Filter: ordered, Limit: 2})
		if err != nil || pagedErr != nil || first.Total != len(c.want) || first.Remaining != paged.Remaining || !reflect.DeepEqual(first.Rows, paged.Rows) {
			rt.Fatalf("%s in an order: %+v, %v, with a cursor %+v, %v, want %d", c.name, first, err, paged, pagedErr, len(c.want))
		}
		for _, q := range []Query{{Filter: c.filter, Limit: 3}, {Filter: c.filter, Sort: Sort{Key: SortPriority}, Limit: 2}, {Search: true, Text: "word", Filter: c.filter, Limit: 3}} {
			var got []string
			page, err := findPage(t.Context(), ix, q)
			for err == nil {
				if page.Total != len(c.want) {
					rt.Fatalf("%s %+v: total %d, want %d", c.name, q, page.Total, len(c.want))
				}
				for _, row := range page.Rows {
					got = append(got, row.Path)
				}
				if page.Next == "" {
					break
				}
				page, err = findPage(t.Context(), ix, Query{Cursor: page.Next})
			}
			if err != nil {
				rt.Fatal(err)
			}
			if slices.Sort(got); !slices.Equal(got, c.want) {
				rt.Fatalf("%s %+v: %q, want %q", c.name, q, got, c.want)
			}
		}
		paths, err := readRows[string](t.Context(), ix.db.Read, "view", `SELECT path FROM `+c.view+` ORDER BY path`)
		if err != nil || !slices.Equal(paths, c.want) {
			rt.Fatalf("the view %s: %q, want %q; %v", c.view, paths, c.want, err)
		}
	}
	for _, d := range m {
		links, err := ix.Links(t.Context(), d.path)
		if err != nil {
			rt.Fatal(err)
		}
		all, finished := m.children(d)
		if links.Ready() != m.ready(d) || links.AllChildren != all || links.FinishedChildren != finished || len(links.Children) != all {
			rt.Fatalf("%s: %+v, want ready %v, children %d of %d", d.path, links, m.ready(d), finished, all)
		}
		below, err := findPage(t.Context(), ix, Query{Filter: Filter{Parent: d.path}, Limit: len(m)})
		if err != nil {
			rt.Fatal(err)
		}
		if len(below.Rows) != all {
			rt.Fatalf("%s: %d documents are listed below it, want %d", d.path, len(below.Rows), all)
		}
		for _, row := range below.Rows {
			if !slices.ContainsFunc(links.Children, func(child LinkedDocument) bool { return child.Row.Path == row.Path }) {
				rt.Fatalf("%s is listed as a child of %s", row.Path, d.path)
			}
		}
		for i, w := range d.waits {
			if meant := m.meant(w); len(meant) == 1 && !slices.ContainsFunc(links.WaitsFor, func(l LinkedDocument) bool {
				return l.Row.Path == meant[0].path && l.State.Met() == meant[0].finished()
			}) {
				rt.Fatalf("%s: link %d is missing in %+v", d.path, i, links.WaitsFor)
			}
		}
	}
	var cycles []string
	problems, err := ix.Problems(t.Context())
	if err == nil {
		err = compareProblemCount(ix, problems)
	}
	if err != nil {
		rt.Fatal(err)
	}
	named := map[store.ProblemCode][]string{}
	for _, p := range problems {
		named[p.Problem.Code] = append(named[p.Problem.Code], p.Path)
		if p.Problem.Code == problemDependencyCycle {
			cycles = append(cycles, p.Path)
			if slices.Contains(ready, p.Path) {
				rt.Fatalf("%s is ready, and in a cycle", p.Path)
			}
		}
	}
	var dangling, round []string
	for _, d := range m {
		if d.parent != nil && len(m.parents(d)) == 0 {
			dangling = append(dangling, d.path)
		}
		if m.ownAncestor(d) {
			round = append(round, d.path)
		}
	}
	for code, want := range map[store.ProblemCode][]string{"dangling-parent": dangling, problemParentCycle: round} {
		if slices.Sort(want); !slices.Equal(named[code], want) {
			rt.Fatalf("%s: %q, want %q", code, named[code], want)
		}
	}
	var want []string
	for path := range m.inCycle() {
		want = append(want, path)
	}
	slices.Sort(want)
	if !slices.Equal(cycles, want) {
		rt.Fatalf("in cycles are %q, want %q", cycles, want)
	}
}
