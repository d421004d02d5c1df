package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/storetest"
)

// benchmarkSizes are the workspaces that are measured, in documents.
func benchmarkSizes() []int {
	if storetest.Long() {
		return []int{1000, 10_000, 100_000}
	}
	return []int{1000}
}

// BenchmarkStart opens an index and reads a first page: one that has to be built,
// and one that was left in order.
func BenchmarkStart(b *testing.B) {
	for _, documents := range benchmarkSizes() {
		root := b.TempDir()
		writeDocuments(b, root, documents)
		ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { ws.Close() })
		first := func(b *testing.B, use func(*index.Index) error) {
			ix, err := index.Open(b.Context(), ws, index.Options{Deferred: true})
			if err == nil {
				err = use(ix)
			}
			if err == nil {
				_, err = ix.Find(b.Context(), index.Query{Limit: 20})
			}
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			if err := ix.Rest(b.Context()); err != nil {
				b.Fatal(err)
			}
			if err := ix.Close(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		b.Run(fmt.Sprintf("rebuild/%d", documents), func(b *testing.B) {
			for b.Loop() {
				first(b, func(ix *index.Index) error {
					s, err := ix.Rebuild(b.Context())
					b.SetBytes(s.Bytes)
					return err
				})
			}
		})
		b.Run(fmt.Sprintf("in order/%d", documents), func(b *testing.B) {
			for b.Loop() {
				first(b, func(*index.Index) error { return nil })
			}
		})
	}
}

// benchmarked is a workspace that is served, its index built.
func benchmarked(b *testing.B, documents int) *served {
	b.Helper()
	s := serveDocuments(b, documents)
	if _, err := s.Health(b.Context()); err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkRead asks an index, with the proof that no file has changed since.
func BenchmarkRead(b *testing.B) {
	for _, documents := range benchmarkSizes() {
		s := benchmarked(b, documents)
		n := 0
		for _, read := range []struct {
			name  string
			query func() index.Query
		}{
			{"list", func() index.Query { return index.Query{Limit: 20} }},
			{"list by facets", func() index.Query {
				return index.Query{Limit: 20, Filter: index.Filter{Statuses: []string{"open"}, Priorities: []string{"high"}}}
			}},
			{"list by a label", func() index.Query { return index.Query{Limit: 20, Filter: index.Filter{Labels: []string{"l1"}}} }},
			{"search rare", func() index.Query { return index.Query{Search: true, Text: "zyxomatic", Limit: 20} }},
			{"search rare in issues", func() index.Query {
				return index.Query{Search: true, Text: "zyxomatic", Limit: 20, Filter: index.Filter{Types: []string{"issue"}}}
			}},
			{"search common", func() index.Query { // another each time: rankings are kept
				n++
				return index.Query{Search: true, Text: fmt.Sprintf("cache OR never%d", n), Limit: 20}
			}},
			{"search CJK", func() index.Query { return index.Query{Search: true, Text: "文検", Limit: 20} }},
		} {
			b.Run(fmt.Sprintf("%s/%d", read.name, documents), func(b *testing.B) {
				for b.Loop() {
					if _, err := index.FindPage(b.Context(), s.Index, read.query()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("get/%d", documents), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Get(b.Context(), "ISS-000007"); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, field := range []string{"status", "label"} {
			b.Run(fmt.Sprintf("stats by %s/%d", field, documents), func(b *testing.B) {
				for b.Loop() {
					if _, _, err := s.Stats(b.Context(), field, index.Filter{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkFollow takes in a change of a file: of the program's own, and of another's.
func BenchmarkFollow(b *testing.B) {
	const path = ".wrangler/issues/ISS-000001-paper.md"
	for _, documents := range benchmarkSizes() {
		s := benchmarked(b, documents)
		text, err := os.ReadFile(filepath.Join(s.root, path))
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		change := func(b *testing.B) {
			n++
			if err := os.WriteFile(filepath.Join(s.root, path), fmt.Appendf(text, "Change number%d.\n", n), 0o644); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprintf("own/%d", documents), func(b *testing.B) {
			for b.Loop() {
				change(b)
				if err := s.Refresh(b.Context(), path); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("other/%d", documents), func(b *testing.B) {
			for b.Loop() {
				change(b)
				if _, err := s.Get(b.Context(), "ISS-000001"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
