package issues

import (
	"slices"
	"strings"
	"testing"

	"issues-index/tools/toolstest"
)

func TestAnyUpdatePutsADocumentWhereItsStatusSays(t *testing.T) {
	const closed, archived = ".wrangler/issues/ISS-000001.md", ".wrangler/issues/archived/ISS-000001.md"
	moved := "path: " + closed + " → " + archived
	for _, c := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"issues_mark_complete", map[string]any{"id": "ISS-000001"}},
		{"issues_update", map[string]any{"id": "ISS-000001", "status": "closed"}},
		{"issues_update", map[string]any{"id": "ISS-000001", "priority": "medium"}},
		{"issues_labels", map[string]any{"issueId": "ISS-000001", "operation": "add", "labels": []string{"bug"}}},
	} {
		t.Run("a closed one at the root is archived by "+c.tool, func(t *testing.T) {
			root := t.TempDir()
			toolstest.Write(t, root, closed, "---\nid: ISS-000001\nstatus: closed\npriority: medium\nlabels: [bug]\n---\n")
			f := serve(t, root)
			answer, text := toolstest.Must[revision](t, f.Client, c.tool, c.arguments)
			if !slices.Equal(answer.Changes, []string{moved}) || !strings.Contains(text, "\n"+moved) || strings.Contains(text, "No changes") {
				t.Errorf("got %s", text)
			}
			f.read(t, archived)
			if _, text := toolstest.Must[revision](t, f.Client, c.tool, c.arguments); !strings.Contains(text, "No changes") {
				t.Errorf("again: %s", text)
			}
		})
	}
	t.Run("an open one in the archive is brought back, in a batch", func(t *testing.T) {
		root := t.TempDir()
		toolstest.Write(t, root, archived, "---\nid: ISS-000001\nstatus: open\n---\n")
		f := serve(t, root)
		answer, _ := toolstest.Must[batchUpdate](t, f.Client, "issues_update_batch", map[string]any{
			"updates": []map[string]any{{"id": "ISS-000001", "status": "open"}},
		})
		if r := answer.Results[0]; !r.OK || r.Path != closed || len(r.Changes) != 1 {
			t.Errorf("%+v", r)
		}
		f.read(t, closed)
	})
}
