package edit

import (
	"fmt"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/store"
)

// BenchmarkClaim compares next with an update, which it contains, in a workspace that is
// watched. It may cost a millisecond more. Labels l are those of all days, labels b of four.
func BenchmarkClaim(b *testing.B) {
	const documents = 10_000
	root := b.TempDir()
	for i := range documents {
		id := issueID(i + 1)
		priority := []string{"low", "medium", "high"}[i%3]
		put(b, root, issuePath(id), id, fmt.Sprintf("open\npriority: %s\ncreatedAt: '2026-01-%02dT00:00:00Z'\nlabels: [l%d, b%d]", priority, 1+i%28, i/28%7, i%7))
	}
	w := serveBy(b, time.Now, root, index.Options{})
	if _, err := w.ix.Health(b.Context()); err != nil {
		b.Fatal(err)
	}
	for i := range 20 { // some are held already
		if _, err := w.Claim(b.Context(), DocumentRef{ID: issueID(documents - i)}, ClaimRequest{Holder: fmt.Sprint("other-", i)}); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	b.Run("update", func(b *testing.B) {
		for b.Loop() {
			n++
			status, assignee := "in_progress", fmt.Sprint("somebody-", n)
			_, err := w.Update(b.Context(), DocumentRef{ID: issueID(n)}, func(*store.Document) (store.Fields, error) {
				return store.Fields{Status: &status, Assignee: &assignee}, nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, c := range []struct {
		name  string
		label []string
	}{{"next", nil}, {"next of a label", []string{"l3"}}, {"next of a label of a few days", []string{"b3"}}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				next, err := w.Next(b.Context(), index.Filter{Labels: c.label}, ClaimRequest{Holder: "anna"})
				if err != nil || !next.Found {
					b.Fatal(next.Found, err)
				}
				b.StopTimer() // the next one finds as much that is ready
				if _, err := w.Release(b.Context(), DocumentRef{ID: next.After.ID}, "anna", 0, ""); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
