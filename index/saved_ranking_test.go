package index

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Equally good matches are sorted in one of two ways, by how many they are among
// how many documents.
func TestEquallyGoodMatchesStandInOrder(t *testing.T) {
	for name, others := range map[string]int{"when they are most of the documents": 3, "when they are few of many": 200} {
		t.Run(name, func(t *testing.T) {
			k, r := newKit(t), rand.New(rand.NewPCG(8, 8))
			for range others {
				k.add(paper{body: filler})
			}
			var whole, parts []*paper
			for n := range 6 {
				whole = append(whole, k.add(paper{path: fmt.Sprintf(".wrangler/issues/%d.md", r.IntN(1000)+1000*n), body: "cursor"}))
				parts = append(parts, k.add(paper{body: "precursors", updated: day(r.IntN(100))}))
			}
			slices.SortFunc(whole, func(a, b *paper) int { return strings.Compare(b.path, a.path) }) // as they are indexed, the last first
			ix := k.open(Options{})
			expect := func() {
				t.Helper()
				slices.SortFunc(parts, func(a, b *paper) int {
					if newer := b.updated.Compare(a.updated); newer != 0 {
						return newer
					}
					return strings.Compare(b.path, a.path)
				})
				var want, got []string
				for _, p := range slices.Concat(whole, parts) {
					want = append(want, p.path)
				}
				for _, row := range k.find(ix, Query{Search: true, Text: "cursor", Limit: 100}).Rows {
					got = append(got, row.Path)
				}
				if !slices.Equal(got, want) {
					t.Errorf("found %q, want %q", got, want)
				}
			}
			expect()
			for n := range 5 { // what was remembered of before a change is of no use after it
				k.move(whole[r.IntN(len(whole))], fmt.Sprintf(".wrangler/issues/moved-%d-%d.md", r.IntN(9), n))
				expect()
				moved := parts[r.IntN(len(parts))]
				moved.updated = day(200 + r.IntN(20))
				k.save(moved)
				expect()
			}
		})
	}
}

func TestASearchGoesOnWhenItsRankingIsClearedAwayMeanwhile(t *testing.T) {
	k := filledKit(t)
	ix := k.open(Options{})
	q := Query{Search: true, Text: "text", Limit: 5}
	first := k.find(ix, q)
	// As another process does with what has expired.
	clear := func() {
		for _, table := range []string{"cursor", "ranking"} {
			if _, err := ix.db.Write.Exec(`DELETE FROM ` + table); err != nil {
				t.Error(err)
			}
		}
	}
	cleared := func(page Page) int {
		clear()
		return len(page.Rows)
	}
	again, err := findCut(t.Context(), ix, q, cleared)
	if err != nil {
		t.Fatal(err)
	}
	if again.Next != first.Next || k.stored(ix).rankings != 1 {
		t.Errorf("cursor %s, before it was %s; %+v", again.Next, first.Next, k.stored(ix))
	}
	if rest := k.everything(ix, Query{Cursor: again.Next}); len(rest) != 15 {
		t.Errorf("%d documents on the pages that follow", len(rest))
	}
	if page, err := findCut(t.Context(), ix, Query{Cursor: again.Next}, cleared); err != nil || page.Next == "" {
		t.Errorf("with the ranking cleared away, a further page has no cursor: %v", err)
	}
	clear()
	var refused *CursorError
	if _, err := ix.Find(t.Context(), Query{Cursor: again.Next}); !errors.As(err, &refused) || refused.Reason != CursorExpired {
		t.Errorf("with the ranking cleared away, before a further page: %v", err)
	}
}
