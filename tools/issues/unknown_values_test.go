package issues

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/toolstest"
)

// TestEveryCountedValueCanBeListed has the statuses and priorities of a workspace
// that another program writes, two of which differ in nothing but case, and
// documents that have none.
func TestEveryCountedValueCanBeListed(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	values := []string{"To Do", "To do", "In Progress", "in_progress", "Done, late", "closed", "", "(odd)"}
	for i := range 3 * maxPending {
		value := values[i%len(values)]
		text := fmt.Sprintf("---\nid: D-%d\n", i)
		if value != "" {
			text += fmt.Sprintf("status: %q\npriority: %q\n", value, value)
		}
		toolstest.Write(t, root, fmt.Sprintf(".wrangler/issues/%d.md", i), text+"---\n")
	}
	f := serve(t, root)
	for _, field := range []string{"status", "priority"} {
		counted, _ := toolstest.Must[statsAnswer](t, f.Client, "issues_stats", map[string]any{"groupBy": field})
		if len(counted.Counts) != len(values) { // the unset one counted as the default
			t.Fatalf("%s: counted %v", field, counted.Counts)
		}
		for _, c := range counted.Counts {
			listed, text := toolstest.Must[struct{ TotalCount int }](t, f.Client, "issues_list", map[string]any{field: []string{c.Value}})
			if listed.TotalCount != c.Count {
				t.Errorf("%s %q: %d of %d are listed: %s", field, c.Value, listed.TotalCount, c.Count, text)
			}
		}
	}

	t.Run("so can all that is pending", func(t *testing.T) {
		c, _ := toolstest.Must[completionAnswer](t, f.Client, "issues_all_complete", nil)
		_, named, _ := strings.Cut(c.Note, " status ")
		named, _, _ = strings.Cut(named, " pages")
		found := map[string]bool{}
		arguments := map[string]any{"status": slices.DeleteFunc(append(values, "open"), func(value string) bool {
			return !strings.Contains(", "+named+", ", ", "+value+", ")
		})}
		for {
			page, _ := toolstest.Must[struct {
				Issues     []shown
				NextCursor string
			}](t, f.Client, "issues_list", arguments)
			for _, row := range page.Issues {
				found[row.ID] = true
			}
			if page.NextCursor == "" {
				break
			}
			arguments = map[string]any{"cursor": page.NextCursor}
		}
		if len(found) != c.PendingIssues || slices.ContainsFunc(c.PendingIssueIDs, func(id string) bool { return !found[id] }) {
			t.Errorf("%d of %d pending documents are listed by %q: %v", len(found), c.PendingIssues, c.Note, slices.Sorted(maps.Keys(found)))
		}
	})
	t.Run("named ones are asked for in parts", func(t *testing.T) {
		var ids []string
		for i := range 2 * maxPending {
			ids = append(ids, fmt.Sprint("D-", i))
		}
		if c, _ := toolstest.Must[completionAnswer](t, f.Client, "issues_all_complete", map[string]any{"issueIds": ids}); !strings.Contains(c.Note, "fewer issueIds") {
			t.Errorf("note %q", c.Note)
		}
	})
}
