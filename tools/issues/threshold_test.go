package issues

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/config"
	"issues-index/tools/toolstest"
)

// TestAHigherThresholdGivesMoreRows goes by what an operator can see: the number of
// rows that a list of as many as a page may have comes with.
func TestAHigherThresholdGivesMoreRows(t *testing.T) {
	root := t.TempDir()
	for i := range 120 {
		toolstest.Write(t, root, fmt.Sprintf(".wrangler/issues/ISS-%06d.md", i),
			fmt.Sprintf("---\nid: ISS-%06d\ntitle: %s %d\nlabels: [one, two, three]\npriority: high\n---\n%s\n", i, strings.Repeat("Words of a title ", 6), i, strings.Repeat("Text. ", 100)))
	}
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(t.Context(), ws, index.Options{Mode: index.ModeVerify})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = ix.Close(), ws.Close() })
	rows := func(threshold, format string) (shown, remaining int) {
		loaded, err := config.Load(config.Options{Root: root, Getenv: func(name string) string {
			return map[string]string{"ISSUES_INDEX_TOKEN_BUDGET_THRESHOLD": threshold}[name]
		}})
		if err != nil {
			t.Fatal(err)
		}
		client := toolstest.NewClient(t, tools.Config{Settings: loaded.Settings, Toolsets: []tools.Toolset{toolset(ix, edit.New(ix, edit.LockWait))}})
		page, _ := toolstest.Must[rowsPage](t, client, "issues_list", map[string]any{"limit": 100, "format": format})
		return len(page.Issues), *client.Call(t, "issues_list", map[string]any{"limit": 100, "format": format}).Meta.BudgetRemaining
	}
	for _, format := range []string{formatSummary, formatFull} {
		var counts []int
		for _, threshold := range []string{"2000", "4000", "8000", "20000"} {
			shown, remaining := rows(threshold, format)
			if shown < 100 && remaining > 700 {
				t.Errorf("%s at %s: %d rows, with room for %d tokens", format, threshold, shown, remaining)
			}
			counts = append(counts, shown)
		}
		if !slices.IsSorted(counts) || counts[0] >= counts[1] || counts[1] >= counts[2] || format == formatFull && counts[2] >= counts[3] {
			t.Errorf("%s: %v rows", format, counts)
		}
	}
}
