package issues

import (
	"slices"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// hints are those of each tool; none is for an open world.
var hints = map[string]struct{ readOnly, destructive, idempotent bool }{
	"issues_create":        {},
	"issues_list":          {readOnly: true, idempotent: true},
	"issues_search":        {readOnly: true, idempotent: true},
	"issues_get":           {readOnly: true, idempotent: true},
	"issues_get_batch":     {readOnly: true, idempotent: true},
	"issues_update":        {idempotent: true},
	"issues_update_batch":  {idempotent: true},
	"issues_edit":          {},
	"issues_delete":        {destructive: true},
	"issues_labels":        {}, // these three mix reading and writing operations
	"issues_projects":      {},
	"issues_metadata":      {},
	"issues_mark_complete": {idempotent: true},
	"issues_all_complete":  {readOnly: true, idempotent: true},
	"issues_stats":         {readOnly: true, idempotent: true},
	"issues_history":       {readOnly: true, idempotent: true},
}

func TestDefinitions(t *testing.T) {
	set := Toolset(nil)
	toolstest.Golden(t, "testdata/definitions", set)
	toolstest.CheckDefinitions(t, set)
	toolstest.NoDuplicateSentences(t, set)

	t.Run("names and order are fixed", func(t *testing.T) {
		var names []string
		for _, tool := range set.Tools {
			names = append(names, tool.Name)
		}
		want := []string{
			"issues_create", "issues_list", "issues_search", "issues_get", "issues_get_batch",
			"issues_update", "issues_update_batch", "issues_edit", "issues_delete",
			"issues_labels", "issues_projects", "issues_metadata",
			"issues_mark_complete", "issues_claim", "issues_all_complete", "issues_stats", "issues_history",
		}
		if !slices.Equal(names, want) {
			t.Errorf("tools are %v, want %v", names, want)
		}
	})
	t.Run("a description says whether its tool reads or writes", func(t *testing.T) {
		for _, tool := range set.Tools {
			reads := strings.Contains(tool.Description, "ead-only.")
			writes := strings.Contains(tool.Description, "Writes.") || strings.Contains(tool.Description, "remove write and need")
			if reads != tool.ReadOnly || writes == tool.ReadOnly {
				t.Errorf("%s: %s", tool.Name, tool.Description)
			}
		}
	})
	t.Run("hints speak for the whole tool", func(t *testing.T) {
		for _, tool := range set.Tools {
			want := hints[tool.Name]
			if tool.ReadOnly != want.readOnly || tool.Idempotent != want.idempotent || tool.Destructive != want.destructive || tool.OpenWorld {
				t.Errorf("%s: read-only %t, idempotent %t, destructive %t, open world %t",
					tool.Name, tool.ReadOnly, tool.Idempotent, tool.Destructive, tool.OpenWorld)
			}
		}
	})
}

// The budgets are this toolset's share of what all twenty default tools may
// take: 15,600 bytes as text, 23,000 with output schemas.
func TestFootprint(t *testing.T) {
	for output, budget := range map[tools.Output]int{tools.OutputText: 12_950, tools.OutputBoth: 18_800} {
		size := toolstest.Footprint(t, output, Toolset(nil))
		t.Logf("output %s: %d bytes of %d", output, size, budget)
		if size > budget {
			t.Errorf("output %s: the definitions have %d bytes, over %d", output, size, budget)
		}
	}
}
