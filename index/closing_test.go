package index

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestClosingFreesWhatCanBeBegunSince closes documents that are linked in any way, some at a
// time: what they free are exactly the documents that were not ready before and are since.
func TestClosingFreesWhatCanBeBegunSince(t *testing.T) {
	t.Parallel()
	checkModels(t, func(rt *rapid.T, m linkModel, _ string, put func(*noted), ix *Index) {
		ready := func() (paths []string) {
			page, err := ix.Find(t.Context(), Query{Filter: Filter{Ready: true}, Limit: math.MaxInt32})
			if err != nil {
				rt.Fatal(err)
			}
			for _, row := range page.Rows {
				paths = append(paths, row.Path)
			}
			return paths
		}
		before := ready()
		var closed []string
		for range rapid.IntRange(1, 3).Draw(rt, "closed") {
			if d := rapid.SampledFrom(m).Draw(rt, "closes"); !d.finished() {
				d.status = rapid.SampledFrom([]string{"closed", "cancelled"}).Draw(rt, "status")
				put(d)
				closed = append(closed, d.path)
			}
		}
		if len(closed) == 0 {
			return
		}
		want := slices.DeleteFunc(ready(), func(path string) bool { return slices.Contains(before, path) })
		slices.Sort(want)
		closings, err := ix.Closings(t.Context(), closed)
		if err != nil {
			rt.Fatal(err)
		}
		last := closings[len(closings)-1]
		var got []string
		for _, row := range last.ReadyNow {
			got = append(got, row.Path)
		}
		slices.Sort(got)
		foreign := slices.ContainsFunc(got, func(path string) bool { return !slices.Contains(want, path) })
		if last.Ready != len(want) || len(got) != min(len(want), mostClosing) || foreign {
			for _, d := range m {
				rt.Logf("%s\n%s", d.path, d.file())
			}
			rt.Fatalf("%q free %d: %q, want %q", closed, last.Ready, got, want)
		}
		for i, path := range closed {
			links, err := ix.Links(t.Context(), path)
			if err != nil {
				rt.Fatal(err)
			}
			if open := links.AllChildren - links.FinishedChildren; closings[i].Open != open {
				rt.Fatalf("%s leaves %d children, want %d", path, closings[i].Open, open)
			}
		}
	})
}
