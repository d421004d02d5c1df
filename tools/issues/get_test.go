package issues

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/toolstest"
)

func TestGetOfARealWorkspace(t *testing.T) {
	t.Parallel()
	f := corpus(t)
	t.Run("every path answers its document, byte for byte", func(t *testing.T) {
		for _, path := range storetest.FewOf(documentPaths(t, f.root), 40) {
			file, err := os.ReadFile(filepath.Join(f.root, filepath.FromSlash(path)))
			if err != nil {
				t.Fatal(err)
			}
			chunks := readOn(t, f, map[string]any{"id": path})
			if got := chunks[0].Issue.Path; got != path {
				t.Errorf("%s answers %s", path, got)
			}
			want := bodyOf(string(file))
			joins(t, chunks, want, want)
		}
	})
	t.Run("every id that is listed answers its document", func(t *testing.T) {
		for _, r := range storetest.FewOf(all(t, f, "issues_list", map[string]any{"limit": 100}), 40) {
			if answer, _ := toolstest.Must[issueAnswer](t, f.Client, "issues_get", map[string]any{"id": r.ID, "fields": "title"}); answer.Issue.ID != r.ID && answer.Issue.Path != r.ID {
				t.Errorf("%s answers %s", r.ID, answer.Issue.ID)
			}
		}
	})
	for id, want := range map[string]int{"ISS-000058": 2, "000001": 6} {
		t.Run(id+" names several, and each of their paths one", func(t *testing.T) {
			text := f.Refused(t, tools.CodeAmbiguousID, "issues_get", map[string]any{"id": id})
			var paths []string
			for candidate := range strings.SplitSeq(text, "\n") {
				if path, _, found := strings.Cut(candidate, " "); found && strings.HasPrefix(path, ".wrangler/") {
					paths = append(paths, path)
				}
			}
			if len(paths) != want || len(slices.Compact(slices.Sorted(slices.Values(paths)))) != want {
				t.Fatalf("%d paths, want %d: %s", len(paths), want, text)
			}
			for _, path := range paths {
				if answer, _ := toolstest.Must[issueAnswer](t, f.Client, "issues_get", map[string]any{"id": path}); answer.Issue.ID != id || answer.Issue.Path != path {
					t.Errorf("%s answers %s of %s", path, answer.Issue.ID, answer.Issue.Path)
				}
			}
		})
	}
}

// bodyOf is what follows a file's frontmatter, found in the simplest way. A
// file whose frontmatter is not closed is all body.
func bodyOf(file string) string {
	if !strings.HasPrefix(file, "---\n") {
		return file
	}
	_, body, closed := strings.Cut(file[len("---\n"):], "\n---\n")
	if !closed {
		return file
	}
	return body
}

func TestGet(t *testing.T) {
	section := "## Part\n\nTwo.\r\n\n```\n# no heading\n```\n"
	body := "# Title\n\nOne.\n\n" + section
	root := t.TempDir()
	toolstest.Write(t, root, ".wrangler/issues/ISS-000001-a.md", "---\nid: ISS-000001\ntitle: A\n---\n"+body)
	toolstest.Write(t, root, ".wrangler/issues/ISS-000002-b.md", "---\nid: ISS-000002\n---\n")
	toolstest.Write(t, root, ".wrangler/issues/cut.md", "---\nid: ISS-000003\ntitle: [unclosed\n---\nBody.\n")
	f := serve(t, root)

	get := func(t *testing.T, arguments map[string]any) (issueAnswer, string) {
		t.Helper()
		if arguments["id"] == nil {
			arguments["id"] = "ISS-000001"
		}
		return toolstest.Must[issueAnswer](t, f.Client, "issues_get", arguments)
	}
	t.Run("lines are exactly those lines", func(t *testing.T) {
		answer, text := get(t, map[string]any{"startLine": 7, "endLine": 8})
		if *answer.Issue.Description != "Two.\r\n\n" || !strings.HasSuffix(text, "\n\nTwo.\r\n\n") {
			t.Errorf("got %q", *answer.Issue.Description)
		}
		if answer.StartLine != 7 || answer.EndLine != 8 || answer.TotalLines != 11 {
			t.Errorf("lines %d to %d of %d", answer.StartLine, answer.EndLine, answer.TotalLines)
		}
	})
	t.Run("an endLine past the end is the end", func(t *testing.T) {
		if answer, _ := get(t, map[string]any{"startLine": 11, "endLine": 99}); *answer.Issue.Description != "```\n" || answer.EndLine != 11 {
			t.Errorf("got %q to line %d", *answer.Issue.Description, answer.EndLine)
		}
	})
	t.Run("without a startLine it is the first", func(t *testing.T) {
		if answer, _ := get(t, map[string]any{"endLine": 1}); *answer.Issue.Description != "# Title\n" {
			t.Errorf("got %q", *answer.Issue.Description)
		}
	})
	t.Run("a section is its heading and what is under it", func(t *testing.T) {
		if answer, _ := get(t, map[string]any{"section": "Part"}); *answer.Issue.Description != section {
			t.Errorf("got %q", *answer.Issue.Description)
		}
	})
	t.Run("a section of a document without headings", func(t *testing.T) {
		text := f.Refused(t, tools.CodeValidation, "issues_get", map[string]any{"id": "ISS-000002", "section": "Part"})
		if !strings.Contains(text, "no headings") {
			t.Errorf("got %s", text)
		}
	})
	t.Run("lines of an empty text", func(t *testing.T) {
		f.Refused(t, tools.CodeValidation, "issues_get", map[string]any{"id": "ISS-000002", "startLine": 1})
	})
	t.Run("section and lines together are refused", func(t *testing.T) {
		f.Refused(t, tools.CodeValidation, "issues_get", map[string]any{"id": "ISS-000001", "section": "Part", "startLine": 1})
	})
	t.Run("an empty text is there, and empty", func(t *testing.T) {
		if answer, _ := get(t, map[string]any{"id": "ISS-000002"}); answer.Issue.Description == nil || *answer.Issue.Description != "" {
			t.Errorf("got %v", answer.Issue.Description)
		}
	})
	t.Run("only the fields asked for, a status that is not set as open", func(t *testing.T) {
		answer, text := get(t, map[string]any{"fields": []string{"title", "status"}})
		if answer.Issue.Title != "A" || answer.Issue.Status != "open" || answer.Issue.Description != nil || answer.Issue.Labels != nil {
			t.Errorf("got %+v", answer.Issue)
		}
		if text != "ISS-000001 A\nstatus: open\nversion: "+answer.Issue.Version {
			t.Errorf("got %q", text)
		}
	})
	t.Run("an error blames the argument that the tool has", func(t *testing.T) {
		for tool, arguments := range map[string]map[string]any{
			"issues_get":      {"id": "ISS-000099"},
			"issues_metadata": {"issueId": "ISS-000099", "operation": "get"},
		} {
			field := "id"
			if tool == "issues_metadata" {
				field = "issueId"
			}
			answer := f.Call(t, tool, arguments)
			if got := answer.Meta.Error.Field; got != field {
				t.Errorf("%s blames %q", tool, got)
			}
		}
	})
	t.Run("a file that went away while it was looked up is not found", func(t *testing.T) {
		_, err := load(f.ix, index.Row{ID: "ISS-000009", Path: ".wrangler/issues/ISS-000009-gone.md"})
		if e := tools.ErrorOf(err); e.Code != tools.CodeIssueNotFound {
			t.Errorf("got %v", e)
		}
	})
	t.Run("a file that cannot be parsed is answered whole, with what is wrong", func(t *testing.T) {
		answer, text := get(t, map[string]any{"id": "cut"})
		if len(answer.Issue.Problems) == 0 || !strings.Contains(text, "\nproblem: ") || !strings.Contains(*answer.Issue.Description, "title: [unclosed") {
			t.Errorf("got %s", text)
		}
	})
}
