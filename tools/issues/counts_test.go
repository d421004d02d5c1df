package issues

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/index/documents"
)

func TestTally(t *testing.T) {
	counts := make([]index.Count, maxCounts+2)
	for i := range counts {
		counts[i] = index.Count{Value: fmt.Sprintf("p%d", i), Count: 100 - i}
	}
	counts[3].Value = ""
	total := 0
	for _, c := range counts {
		total += c.Count
	}
	got := statsOf("project", counts, total)
	t.Run("what is not listed is counted together, and the sum is exact", func(t *testing.T) {
		sum := got.OtherCount
		for _, c := range got.Counts {
			sum += c.Count
		}
		if sum != total || len(got.Counts) != maxCounts || !strings.Contains(got.Note, "2 rarer values") {
			t.Errorf("%d values and %d others make %d, not %d; note %q", len(got.Counts), got.OtherCount, sum, total, got.Note)
		}
	})
	t.Run("the unset value is shown as such", func(t *testing.T) {
		if got.Counts[3].Value != documents.None || !strings.Contains(got.text(), "\n97 (none)\n") {
			t.Errorf("got %s", got.text())
		}
	})
}

func TestCompletion(t *testing.T) {
	pending := []index.Row{
		{ID: "ISS-000001", Path: ".wrangler/issues/a.md", Status: "open"},
		{ID: "000004", Path: ".wrangler/issues/b.md", Status: "To Do", Shared: true},
	}
	for _, c := range []struct {
		name, want string
		found      index.Completion
		complete   bool
	}{
		{"all", "All 3 issues complete.", index.Completion{Total: 3, Completed: 3}, true},
		{"none there", "No issues found.", index.Completion{}, false},
		{
			"some pending, named so that each can be read",
			"1 of 3 issues complete. Pending: ISS-000001 (open), .wrangler/issues/b.md (To Do).",
			index.Completion{Total: 3, Completed: 1, Pending: pending, PendingCount: 2}, false,
		},
		{
			"the rest of a long list is counted",
			"0 of 9 issues complete. Pending: ISS-000001 (open), .wrangler/issues/b.md (To Do).\n" +
				"7 more are pending: issues_list with the same filters and status To Do, open pages through them.",
			index.Completion{Total: 9, Pending: pending, PendingCount: 9, PendingStatuses: []string{"To Do", "open"}}, false,
		},
		{
			"of many statuses the first are named",
			"0 of 9 issues complete.\n9 more are pending: issues_list with the same filters and status " +
				strings.Repeat("stuck, ", 49) + "stuck and 150 more pages through them.",
			index.Completion{Total: 9, PendingCount: 9, PendingStatuses: slices.Repeat([]string{"stuck"}, 200)}, false,
		},
		{
			"an unknown id is no completion",
			"1 of 1 issues complete.\nUnknown and not counted: ISS-000099. Use issues_list or issues_search to find their ids.",
			index.Completion{Total: 1, Completed: 1, Unknown: []string{"ISS-000099"}}, false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := completionOf(c.found, false)
			if got.text(c.found.Pending) != c.want || got.AllComplete != c.complete {
				t.Errorf("complete %t, text %q", got.AllComplete, got.text(c.found.Pending))
			}
		})
	}
}
