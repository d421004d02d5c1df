package index

import (
	"context"
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
	for name, others := range map[string]int{"when they are most of the documents": 3, "when they are few of many": 8 * scanShare} {
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
			ix := k.open(Options{})
			expect := func() {
				t.Helper()
				slices.SortFunc(whole, func(a, b *paper) int { return strings.Compare(a.path, b.path) })
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

func TestTheFunctionThatGathersHits(t *testing.T) {
	ix := newKit(t).open(Options{})
	if _, err := ix.Find(context.Background(), Query{}); err != nil { // waits for the index
		t.Fatal(err)
	}
	t.Run("gathers them as they are", func(t *testing.T) {
		got, err := readHits(t.Context(), ix.db.Read, `SELECT issues_index_hits(column1, column2) FROM (VALUES (3, -0.1), (9007199254740993, 1e-300))`)
		if want := []hit{{-0.1, 3}, {1e-300, 9007199254740993}}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	})
	t.Run("gathers none", func(t *testing.T) {
		got, err := readHits(t.Context(), ix.db.Read, `SELECT issues_index_hits(doc, 1.0) FROM document WHERE false`)
		if err != nil || len(got) > 0 {
			t.Errorf("%v, %v", got, err)
		}
	})
	for name, query := range map[string]string{
		"refuses what is no document": `SELECT issues_index_hits('x', 1.0)`,
		"refuses what is no score":    `SELECT issues_index_hits(1, 'x')`,
		"refuses windows":             `SELECT max(hits) FROM (SELECT issues_index_hits(column1, 1.0) OVER (ROWS 1 PRECEDING) AS hits FROM (VALUES (1), (2), (3)))`,
	} {
		t.Run(name, func(t *testing.T) {
			if hits, err := readHits(t.Context(), ix.db.Read, query); err == nil || !strings.Contains(err.Error(), hitsFunction) {
				t.Errorf("%v, %v", hits, err)
			}
		})
	}
}

func TestSetOf(t *testing.T) {
	docs := []int64{1, 63, 64, 65, 1000}
	set := setOf(docs)
	for doc := range int64(1100) {
		if set.has(doc) != slices.Contains(docs, doc) {
			t.Errorf("has %d: %t", doc, set.has(doc))
		}
	}
	if setOf(nil).has(1) {
		t.Error("the set of nothing has something")
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
	var refused *CursorError
	if _, err := findCut(t.Context(), ix, Query{Cursor: again.Next}, cleared); !errors.As(err, &refused) || refused.Reason != CursorExpired {
		t.Errorf("with the ranking cleared away, a further page: %v", err)
	}
}
