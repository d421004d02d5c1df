package issues

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// A shown is a row of any form as a client decodes it.
type shown struct {
	issueRow
	Path string `json:"path"` // of full rows alone
}

// rowsPage is a page of rows as a client decodes it.
type rowsPage struct {
	Issues     []shown `json:"issues"`
	TotalCount int     `json:"totalCount"`
	NextCursor string  `json:"nextCursor"`
	Note       string  `json:"note"`
}

// all pages through a listing by its cursors alone.
func all(t *testing.T, f fixture, tool string, arguments map[string]any) []shown {
	t.Helper()
	p, _ := toolstest.Must[rowsPage](t, f.Client, tool, arguments)
	found := p.Issues
	for p.NextCursor != "" {
		p, _ = toolstest.Must[rowsPage](t, f.Client, tool, map[string]any{"cursor": p.NextCursor})
		if len(p.Issues) == 0 {
			t.Fatal("an empty page in the middle")
		}
		found = append(found, p.Issues...)
	}
	if len(found) != p.TotalCount {
		t.Errorf("%d documents paged, the total is %d", len(found), p.TotalCount)
	}
	return found
}

func TestPaging(t *testing.T) {
	f := open(t, "testdata/workspace")

	t.Run("a cursor alone goes on as the first page began", func(t *testing.T) {
		first, _ := toolstest.Must[rowsPage](t, f.Client, "issues_list", map[string]any{"format": "minimal", "limit": 2, "type": "issue"})
		second, text := toolstest.Must[rowsPage](t, f.Client, "issues_list", map[string]any{"cursor": first.NextCursor})
		if len(second.Issues) != 2 || second.Issues[0].Updated != "" || !strings.HasPrefix(text, "Showing 2 of 5 issues. 1 more item matches.") {
			t.Errorf("the second page is %s", text)
		}
	})
	t.Run("whole documents go on by ten", func(t *testing.T) {
		root := t.TempDir()
		for i := range 30 {
			toolstest.Write(t, root, fmt.Sprintf(".wrangler/issues/ISS-%06d.md", i), "# One\n")
		}
		many := serve(t, root)
		p, _ := toolstest.Must[rowsPage](t, many.Client, "issues_list", map[string]any{"format": "full"})
		if len(p.Issues) != fullLimit {
			t.Errorf("the first page has %d", len(p.Issues))
		}
		p, _ = toolstest.Must[rowsPage](t, many.Client, "issues_list", map[string]any{"cursor": p.NextCursor})
		if len(p.Issues) != fullLimit {
			t.Errorf("the second page has %d", len(p.Issues))
		}
		p, _ = toolstest.Must[rowsPage](t, many.Client, "issues_list", map[string]any{})
		if len(p.Issues) != answer.Defaults().PageSize {
			t.Errorf("a page of rows has %d", len(p.Issues))
		}
	})
	t.Run("the limit may change between pages", func(t *testing.T) {
		first, _ := toolstest.Must[rowsPage](t, f.Client, "issues_list", map[string]any{"limit": 1})
		second, _ := toolstest.Must[rowsPage](t, f.Client, "issues_list", map[string]any{"cursor": first.NextCursor, "limit": 3})
		if len(second.Issues) != 3 {
			t.Errorf("the second page has %d documents", len(second.Issues))
		}
	})
	t.Run("arguments beside a cursor may say the same again", func(t *testing.T) {
		arguments := map[string]any{"status": []string{"open", "closed"}, "limit": 1}
		first, _ := toolstest.Must[rowsPage](t, f.Client, "issues_list", arguments)
		for _, same := range []map[string]any{
			{"status": []string{"open", "closed"}},
			{"status": "open,closed", "format": "summary", "limit": 5},
		} {
			same["cursor"] = first.NextCursor
			toolstest.Must[rowsPage](t, f.Client, "issues_list", same)
		}
	})
	t.Run("other arguments beside a cursor are refused by name", func(t *testing.T) {
		first, _ := toolstest.Must[rowsPage](t, f.Client, "issues_list", map[string]any{"status": "open", "limit": 1})
		for name, value := range map[string]any{"status": "closed", "format": "full", "offset": 3, "project": "Search"} {
			text := f.Refused(t, tools.CodeInvalidCursor, "issues_list", map[string]any{"cursor": first.NextCursor, name: value})
			if !strings.Contains(text, "made with another "+name) || !strings.Contains(text, "without a cursor") {
				t.Errorf("%s: %s", name, text)
			}
		}
	})
	t.Run("a search's filters count as one argument", func(t *testing.T) {
		filters := map[string]any{"type": "issue"}
		first, _ := toolstest.Must[rowsPage](t, f.Client, "issues_search", map[string]any{"query": "e", "filters": filters, "limit": 1})
		toolstest.Must[rowsPage](t, f.Client, "issues_search", map[string]any{"cursor": first.NextCursor, "query": "e", "filters": filters})
		f.Refused(t, tools.CodeInvalidCursor, "issues_search", map[string]any{"cursor": first.NextCursor, "filters": map[string]any{"type": "idea"}})
		f.Refused(t, tools.CodeInvalidCursor, "issues_search", map[string]any{"cursor": first.NextCursor, "query": "f"})
	})
	t.Run("a cursor of another tool is refused, and so is a made-up one", func(t *testing.T) {
		first, _ := toolstest.Must[rowsPage](t, f.Client, "issues_list", map[string]any{"limit": 1})
		if text := f.Refused(t, tools.CodeInvalidCursor, "issues_search", map[string]any{"cursor": first.NextCursor}); !strings.Contains(text, "issues_list") {
			t.Errorf("it does not name the tool: %s", text)
		}
		f.Refused(t, tools.CodeInvalidCursor, "issues_list", map[string]any{"cursor": first.NextCursor + "x"})
		f.Refused(t, tools.CodeInvalidCursor, "issues_list", map[string]any{"cursor": "eyJvZmZzZXQiOjI1fQ=="})
	})
	t.Run("an empty cursor is none", func(t *testing.T) {
		toolstest.Must[rowsPage](t, f.Client, "issues_list", map[string]any{"cursor": ""})
		f.Refused(t, tools.CodeMissingField, "issues_search", map[string]any{"cursor": ""})
	})
	t.Run("offset goes on working", func(t *testing.T) {
		whole := all(t, f, "issues_list", map[string]any{})
		rest, _ := toolstest.Must[rowsPage](t, f.Client, "issues_list", map[string]any{"offset": 2})
		if len(rest.Issues) != len(whole)-2 || rest.Issues[0].ID != whole[2].ID {
			t.Errorf("with offset 2 there are %d of %d documents, the first %s", len(rest.Issues), len(whole), rest.Issues[0].ID)
		}
	})
}

func TestEveryDocumentOfARealWorkspaceIsListedOnce(t *testing.T) {
	t.Parallel()
	f := corpus(t)
	want := documentPaths(t, f.root)
	for _, limit := range storetest.FewOf([]int{1, 7, 100}, 1) {
		t.Run(fmt.Sprintf("summary by %d", limit), func(t *testing.T) {
			seen := make(map[[2]string]int) // no two documents share both
			for _, r := range all(t, f, "issues_list", map[string]any{"limit": limit}) {
				seen[[2]string{r.ID, r.Title}]++
			}
			if slices.Max(slices.Collect(maps.Values(seen))) > 1 {
				t.Errorf("listed more than once: %v", seen)
			}
			if len(seen) != len(want) {
				t.Errorf("%d documents listed, there are %d", len(seen), len(want))
			}
		})
	}
	t.Run("minimal", func(t *testing.T) {
		if listed := all(t, f, "issues_list", map[string]any{"format": formatMinimal}); len(listed) != len(want) {
			t.Errorf("%d documents listed, there are %d", len(listed), len(want))
		}
	})
	t.Run("full", func(t *testing.T) {
		var paths []string
		for _, r := range all(t, f, "issues_list", map[string]any{"format": formatFull}) {
			paths = append(paths, r.Path)
		}
		slices.Sort(paths)
		slices.Sort(want)
		if !slices.Equal(paths, want) {
			t.Errorf("listed %d documents: %v\nthere are %d: %v", len(paths), paths, len(want), want)
		}
	})
}

func TestEmptyWorkspace(t *testing.T) {
	f := serve(t, t.TempDir())
	for tool, want := range map[string]string{
		"issues_list":         "No issues match. The workspace has no documents yet.",
		"issues_stats":        "No issues match. Drop a filter, if any, to count more.",
		"issues_all_complete": "No issues found.",
		"issues_labels":       "No document has labels.",
		"issues_projects":     "No document has projects.",
	} {
		t.Run(tool, func(t *testing.T) {
			arguments := map[string]any{}
			switch tool {
			case "issues_stats":
				arguments["groupBy"] = "status"
			case "issues_labels", "issues_projects":
				arguments["operation"] = "list"
			}
			if reply := f.Call(t, tool, arguments); reply.Text() != want {
				t.Errorf("got %q", reply.Text())
			}
		})
	}
}
