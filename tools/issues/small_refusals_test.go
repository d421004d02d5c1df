package issues

import (
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

func TestLimitAndOffsetAmongTheFiltersAreRefusedOrIgnoredAloud(t *testing.T) {
	root := t.TempDir()
	toolstest.Write(t, root, ".wrangler/issues/1.md", "# Word\n")
	f := serve(t, root)
	search := func(filters map[string]any) map[string]any {
		return map[string]any{"query": "word", "filters": filters}
	}
	if text := f.Refused(t, tools.CodeValidation, searchName, search(map[string]any{"limit": 3})); !strings.HasSuffix(text, "Pass limit beside filters.") {
		t.Error(text)
	}
	for _, offset := range []int{5, -5} {
		if text := f.Call(t, searchName, search(map[string]any{"offset": offset})).Text(); !strings.HasPrefix(text, "Note: ignored unknown argument filters.offset (Pages go by cursor") {
			t.Errorf("offset %d: %s", offset, text)
		}
	}
}

func TestAnEmptyListOfLabelsToAddIsMissing(t *testing.T) {
	root := t.TempDir()
	toolstest.Write(t, root, ".wrangler/issues/a.md", "# A\n")
	text := serve(t, root).Refused(t, tools.CodeMissingField, "issues_labels", map[string]any{"operation": "add", "issueId": "a", "labels": []string{}})
	if !strings.Contains(text, "labels") || strings.Contains(text, "a string") {
		t.Error(text)
	}
}

func TestARemedyHasAnIDWholeOrNotAtAll(t *testing.T) {
	root := t.TempDir()
	long := ".wrangler/issues/ISS-000001-" + strings.Repeat("a-long-slug-", 10) + ".md"
	toolstest.Write(t, root, long, "# A\n")
	f := serve(t, root)
	text := f.Refused(t, tools.CodePermissionDenied, "issues_delete", map[string]any{"id": long, "confirm": false})
	if !strings.Contains(text, "Pass {id: '"+long+"', confirm: true} to confirm deletion.") {
		t.Error(text)
	}
	endless := strings.Repeat("x", 1000)
	text = f.Refused(t, tools.CodePermissionDenied, "issues_delete", map[string]any{"id": endless, "confirm": false})
	if !strings.Contains(text, "Pass the same id and confirm: true to confirm deletion.") {
		t.Error(text)
	}
	slip := strings.TrimSuffix(long, "-.md") + "x.md"
	if text := f.Refused(t, tools.CodeIssueNotFound, "issues_get", map[string]any{"id": slip}); strings.Contains(text, "…?") {
		t.Error(text)
	}
}

func TestMinimalRowsShowThePathOfASharedID(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a", "b"} {
		toolstest.Write(t, root, ".wrangler/issues/"+name+".md", "---\nid: ISS-000001\ntitle: "+name+"\n---\n")
	}
	f := serve(t, root)
	page, _ := toolstest.Must[rowsPage](t, f.Client, listName, map[string]any{"format": "minimal"})
	for _, r := range page.Issues {
		if read, _ := toolstest.Must[issueAnswer](t, f.Client, "issues_get", map[string]any{"id": r.ID}); read.Issue.Title != r.Title {
			t.Errorf("%s is %s, not %s", r.ID, read.Issue.Title, r.Title)
		}
	}
}
