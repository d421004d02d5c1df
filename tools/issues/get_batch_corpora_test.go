package issues

import (
	"slices"
	"testing"

	"issues-index/tools/toolstest"
)

// TestFiftyDocumentsOfARealWorkspaceComeAsRowsAtLeast reads the documents of real
// workspaces, 50 at a time.
func TestFiftyDocumentsOfARealWorkspaceComeAsRowsAtLeast(t *testing.T) {
	t.Parallel()
	for _, f := range []fixture{corpus(t), foreignCorpus(t, "backlogmd/backlog"), foreignCorpus(t, "eips/EIPS")} {
		for ids := range slices.Chunk(documentPaths(t, f.root), maxBatch) {
			for _, fields := range []string{"", "title,status,priority,labels,dates"} {
				b, _ := toolstest.Must[batchPage](t, f.Client, "issues_get_batch", map[string]any{"ids": ids, "fields": fields})
				if len(b.Issues) != len(ids) || slices.ContainsFunc(b.Issues, func(d batchRow) bool { return d.Title == "" || d.Status == "" }) {
					t.Errorf("%d of %d are shown: %s", len(b.Issues), len(ids), b.Note)
				}
			}
		}
	}
}
