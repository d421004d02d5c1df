package issues

import (
	"slices"
	"strings"
	"testing"

	"issues-index/store/layout"
	"issues-index/tools"
	"issues-index/tools/toolstest"
)

func TestADocumentWithoutAStatusCountsAsOpenAndWithoutAPriorityAsMedium(t *testing.T) {
	root := t.TempDir()
	const path = ".wrangler/issues/bare.md"
	toolstest.Write(t, root, path, "# Bare\n")
	toolstest.Write(t, root, ".wrangler/issues/empty.md", "---\nstatus: \"\"\npriority:\n---\n")
	toolstest.Write(t, root, ".wrangler/issues/done.md", "---\nstatus: closed\npriority: high\n---\n")
	f := serve(t, root)

	t.Run("in filters and rows", func(t *testing.T) {
		for _, arguments := range []map[string]any{{"status": []string{"open"}}, {"priority": []string{"medium"}}} {
			page, text := toolstest.Must[struct {
				TotalCount int
				Issues     []shown
			}](t, f.Client, "issues_list", arguments)
			if page.TotalCount != 2 || slices.ContainsFunc(page.Issues, func(row shown) bool { return row.Status != "open" }) {
				t.Errorf("%v lists %s", arguments, text)
			}
		}
	})
	t.Run("in statistics and readiness", func(t *testing.T) {
		for field, want := range map[string]string{"status": "\n2 open\n1 closed", "priority": "\n2 medium\n1 high"} {
			if _, text := toolstest.Must[statsAnswer](t, f.Client, "issues_stats", map[string]any{"groupBy": field}); !strings.HasSuffix(text, want) {
				t.Errorf("by %s: %s", field, text)
			}
		}
		if done, text := toolstest.Must[completionAnswer](t, f.Client, "issues_all_complete", nil); done.PendingIssues != 2 || !strings.Contains(text, "bare (open)") {
			t.Errorf("got %s", text)
		}
	})
	t.Run("when it is read, with nothing written for that", func(t *testing.T) {
		read, _ := toolstest.Must[issueAnswer](t, f.Client, "issues_get", map[string]any{"id": "bare"})
		if read.Issue.Status != "open" || read.Issue.Priority != "medium" {
			t.Errorf("got %+v", read.Issue)
		}
		if got := f.read(t, path); got != "# Bare\n" {
			t.Errorf("the file is %q", got)
		}
	})
	t.Run("until it is given one", func(t *testing.T) {
		changed, _ := toolstest.Must[revision](t, f.Client, "issues_update", map[string]any{"id": "bare", "status": "open"})
		if !slices.Equal(changed.Changes, []string{"status: (none) → open"}) {
			t.Errorf("changes %q", changed.Changes)
		}
		if got := f.read(t, path); !strings.Contains(got, "status: open\n") || strings.Contains(got, "priority") {
			t.Errorf("the file is %q", got)
		}
	})
	t.Run("so that no document is without one", func(t *testing.T) {
		for field, want := range map[string]string{"status": layout.Default().DefaultStatus(), "priority": layout.Default().DefaultPriority()} {
			text := f.Refused(t, tools.CodeValidation, "issues_list", map[string]any{field: []string{"(none)"}})
			if !strings.Contains(text, "counts as "+want) {
				t.Errorf("got %s", text)
			}
		}
	})
}

func TestDocumentsWithoutAnAssigneeAProjectOrALabelCanBeListed(t *testing.T) {
	root := t.TempDir()
	toolstest.Write(t, root, ".wrangler/issues/a.md", "---\nassignee: ann\n---\n")
	toolstest.Write(t, root, ".wrangler/issues/b.md", "---\nproject: atlas\n---\n")
	toolstest.Write(t, root, ".wrangler/issues/c.md", "---\nlabels: [bug]\n---\n")
	f := serve(t, root)
	for _, c := range []struct{ field, argument, without string }{
		{"assignee", "assignee", "a"}, {"project", "project", "b"}, {"label", "labels", "c"},
	} {
		t.Run(c.field, func(t *testing.T) {
			counted, _ := toolstest.Must[statsAnswer](t, f.Client, "issues_stats", map[string]any{"groupBy": c.field})
			listed, text := toolstest.Must[struct {
				TotalCount int
				Issues     []shown
			}](t, f.Client, "issues_list", map[string]any{c.argument: "(none)"})
			if listed.TotalCount != 2 || slices.ContainsFunc(listed.Issues, func(row shown) bool { return row.ID == c.without }) {
				t.Errorf("counted %v, listed %s", counted.Counts, text)
			}
		})
	}
}
