package index_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/index"
)

// writeLinked writes documents with 1.2 links each, as a workspace that has been worked
// with for a while has them: most are closed, and most of what is open waits for little.
// Every 25th is the parent of some that follow.
func writeLinked(t testing.TB, root string, documents int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	if err := os.MkdirAll(filepath.Join(root, ".wrangler/issues/archived"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= documents; i++ {
		status := []string{"open", "closed", "closed", "in_progress", "open", "closed", "open", "closed", "cancelled", "closed"}[r.IntN(10)]
		folder := "issues"
		if status == "closed" || status == "cancelled" {
			folder = "issues/archived"
		}
		var waits []string
		for range 1 + r.IntN(2) {
			if i > 1 && r.IntN(3) > 0 {
				waits = append(waits, fmt.Sprintf("ISS-%06d", 1+r.IntN(i-1)))
			}
		}
		parent := ""
		if i > 25 && i%25 > 0 && r.IntN(5) == 0 {
			parent = fmt.Sprintf("wranglerContext:\n  parentTaskId: ISS-%06d\n", i-i%25)
		}
		text := fmt.Sprintf("---\nid: ISS-%06d\ntitle: Paper %d\ntype: issue\nstatus: %s\npriority: %s\nlabels: [l%d]\n"+
			"createdAt: '2026-01-10T09:%02d:00.000Z'\nupdatedAt: '2026-02-15T10:%02d:%02d.000Z'\ndependsOn: [%s]\n%s---\nText %d.\n",
			i, i, status, []string{"low", "medium", "high"}[i%3], i%7, i%60, (i*7)%60, i%60, strings.Join(waits, ", "), parent, i)
		if err := os.WriteFile(filepath.Join(root, ".wrangler", folder, fmt.Sprintf("ISS-%06d-paper.md", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkReady reads the first page of ready and of blocked work beside that of a plain
// list, as issues_list asks for them: again and again, and each time after a change.
func BenchmarkReady(b *testing.B) {
	for _, documents := range benchmarkSizes() {
		root := b.TempDir()
		writeLinked(b, root, documents)
		s := serveRoot(b, root, index.ModeWatch)
		file := filepath.Join(root, ".wrangler/issues/ISS-000001-paper.md")
		for _, read := range []struct {
			name   string
			filter index.Filter
		}{{"list", index.Filter{}}, {"ready", index.Filter{Ready: true}}, {"blocked", index.Filter{Blocked: true}}, {"is ready", index.Filter{Where: index.AskedCriteria{Text: "is:ready"}}}} {
			first := func(b *testing.B) {
				if page, err := s.Find(b.Context(), index.Query{Filter: read.filter, Limit: 20, Uncounted: true, Waits: true}); err != nil || len(page.Rows) != 20 {
					b.Fatal(len(page.Rows), err)
				}
			}
			b.Run(fmt.Sprintf("%s/%d", read.name, documents), func(b *testing.B) {
				first(b) // which builds the index
				for b.Loop() {
					first(b)
				}
			})
			b.Run(fmt.Sprintf("%s after a change/%d", read.name, documents), func(b *testing.B) {
				n := 0
				for b.Loop() {
					b.StopTimer()
					n++
					if err := os.WriteFile(file, fmt.Appendf(nil, "---\nid: ISS-000001\nstatus: open\n---\nChange %d.\n", n), 0o644); err != nil {
						b.Fatal(err)
					}
					if err := s.Refresh(b.Context(), ".wrangler/issues/ISS-000001-paper.md"); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					first(b)
				}
			})
		}
		b.Run(fmt.Sprintf("links/%d", documents), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Links(b.Context(), fmt.Sprintf("ISS-%06d", documents)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("problems/%d", documents), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Problems(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
