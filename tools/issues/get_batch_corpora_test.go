package issues

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"issues-index/tools/toolstest"
)

// TestFiftyDocumentsOfARealWorkspaceComeAsRowsAtLeast reads the documents of real
// workspaces, which lie beside the repository on some machines only, 50 at a time.
func TestFiftyDocumentsOfARealWorkspaceComeAsRowsAtLeast(t *testing.T) {
	from := filepath.FromSlash("../../../shared/corpora")
	folders := map[string]string{"samjhecht-wrangler": ".wrangler/issues", "backlogmd-own": "backlog", "eips-sample": "EIPS"}
	for name, folder := range folders {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(from, name, filepath.FromSlash(folder))); err != nil {
				t.Skipf("no real workspace to test on: %v", err)
			}
			root := t.TempDir()
			if err := os.CopyFS(filepath.Join(root, ".wrangler", "issues"), os.DirFS(filepath.Join(from, name, filepath.FromSlash(folder)))); err != nil {
				t.Fatal(err)
			}
			f := serve(t, root)
			for ids := range slices.Chunk(documents(t, root), maxBatch) {
				for _, fields := range []string{"", "title,status,priority,labels,dates"} {
					b, _ := toolstest.Must[batchPage](t, f.Client, "issues_get_batch", map[string]any{"ids": ids, "fields": fields})
					if len(b.Issues) != len(ids) || slices.ContainsFunc(b.Issues, func(d batchRow) bool { return d.Title == "" || d.Status == "" }) {
						t.Errorf("%d of %d are shown: %s", len(b.Issues), len(ids), b.Note)
					}
				}
			}
		})
	}
}
