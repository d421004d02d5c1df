package index_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeLinked writes documents with 1.2 links each, as a workspace that has been worked
// with for a while has them: most are closed, and most of what is open waits for little.
// Every 25th is the parent of some that follow.
func writeLinked(t testing.TB, root string, documents int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for _, folder := range []string{"issues/archived"} {
		if err := os.MkdirAll(filepath.Join(root, ".wrangler", folder), 0o755); err != nil {
			t.Fatal(err)
		}
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
		if i > 25 && r.IntN(5) == 0 {
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

func TestWriteLinked(t *testing.T) {
	for _, n := range []int{10000, 100000} {
		writeLinked(t, fmt.Sprintf("/tmp/h4/w%d", n), n)
	}
}
