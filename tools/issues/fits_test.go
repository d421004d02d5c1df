package issues

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// hostile makes a workspace in which everything is too long. Half of its
// documents are pending, and the ids of some are shared.
func hostile(t *testing.T, documents int) string {
	t.Helper()
	root := t.TempDir()
	for i := range documents {
		id := fmt.Sprintf("ISS-%06d", i)
		switch i % 20 {
		case 7:
			id = "twin"
		case 9:
			id += strings.Repeat("-long", 60)
		}
		title := fmt.Sprintf("Title %d ", i) + strings.Repeat([]string{"word ", "検索機能", "deadbeef01"}[i%3], 1000/(5*(i%4)+1))
		var labels, contexts strings.Builder
		for n := range 100 {
			fmt.Fprintf(&labels, "  - %q\n", fmt.Sprintf("label %d of %d %s", n, i, strings.Repeat("l", 60+i%100)))
			fmt.Fprintf(&contexts, "  key%d: %q\n", n, strings.Repeat("value ", i%30))
		}
		status := []string{"open", "closed", "open", "in a state that takes a hundred characters " + strings.Repeat("s", 60)}[i%4]
		toolstest.Write(t, root, fmt.Sprintf(".wrangler/issues/%d/file-%06d-%s.md", i%7, i, strings.Repeat("p", 150)), fmt.Sprintf(
			"---\nid: %q\ntitle: %q\nstatus: %q\npriority: %q\nassignee: %q\nproject: %q\nlabels:\n%swranglerContext:\n  parentTaskId: ISS-000000\n  blob: %q\n%s---\n# H\n%s",
			id, title, status, strings.Repeat("urgent ", i%30), strings.Repeat("ann ", 80), fmt.Sprintf("Project %d %s", i, strings.Repeat("x", 300)),
			labels.String(), strings.Repeat("b", 9000), contexts.String(), strings.Repeat("Text of it.\n", 1<<(i%13))))
	}
	return root
}

// tight are settings under which little fits.
func tight(tokens int) *answer.Settings {
	s := answer.Defaults()
	s.Threshold = tokens
	return s
}

// serveTight serves a workspace under settings of its own.
func serveTight(t *testing.T, root string, output tools.Output, settings *answer.Settings) fixture {
	t.Helper()
	f := serve(t, root)
	f.Client = toolstest.NewClient(t, tools.Config{
		Output: output, Toolsets: []tools.Toolset{Toolset(f.ix)}, Settings: func() *answer.Settings { return settings },
	})
	return f
}

// TestEveryAnswerFits: whatever is in the workspace, every operation of every
// tool makes an answer that keeps to its budget.
func TestEveryAnswerFits(t *testing.T) {
	t.Parallel()
	root := hostile(t, 40)
	var ids, unknown []string
	for i := range 200 {
		ids = append(ids, fmt.Sprintf("file-%06d-%s", i, strings.Repeat("p", 150)))
		unknown = append(unknown, fmt.Sprint("nobody ", i, strings.Repeat(" at all", 300)))
	}
	batch := func(ids []string) map[string]any {
		var updates []map[string]any
		for i, id := range ids[:maxBatch] {
			updates = append(updates, map[string]any{"id": id, "assignee": fmt.Sprint(i), "project": strings.Repeat("p", 500), "labels": ids[:20]})
		}
		return map[string]any{"updates": updates}
	}
	const document = "ISS-000002"
	calls := []struct {
		tool      string
		arguments map[string]any
	}{
		{"issues_search", map[string]any{"query": "title", "includeDescription": true}},
		{"issues_search", map[string]any{"query": "text", "includeDescription": true, "limit": 100, "sortBy": "created"}},
		{"issues_search", map[string]any{"query": "title", "filters": map[string]any{"ids": unknown}}},
		{"issues_search", map[string]any{"query": strings.Repeat("nothing ", 2000)}},
		{"issues_list", map[string]any{"limit": 100}},
		{"issues_list", map[string]any{"limit": 100, "format": "minimal"}},
		{"issues_list", map[string]any{"limit": 100, "format": "full"}},
		{"issues_labels", map[string]any{"operation": "list"}},
		{"issues_labels", map[string]any{"operation": "list", "issueId": document}},
		{"issues_projects", map[string]any{"operation": "list"}},
		{"issues_projects", map[string]any{"operation": "list", "issueId": document}},
		{"issues_metadata", map[string]any{"operation": "get", "issueId": document}},
		{"issues_metadata", map[string]any{"operation": "get", "issueId": document, "key": "blob"}},
		{"issues_metadata", map[string]any{"operation": "get", "issueId": document, "key": "nothing"}},
		{"issues_stats", map[string]any{"groupBy": "status"}},
		{"issues_stats", map[string]any{"groupBy": "label"}},
		{"issues_stats", map[string]any{"groupBy": "project"}},
		{"issues_stats", map[string]any{"groupBy": "assignee"}},
		{"issues_all_complete", map[string]any{}},
		{"issues_all_complete", map[string]any{"issueIds": ids}},
		{"issues_all_complete", map[string]any{"issueIds": append(unknown, "twin")}},
		{"issues_create", map[string]any{"title": strings.Repeat("語", 200), "description": "x", "allowDuplicateTitle": true}},
		{"issues_update", map[string]any{"id": document, "title": strings.Repeat("語", 199), "assignee": strings.Repeat("a", 3000), "project": strings.Repeat("b", 3000),
			"wranglerContext": map[string]any{"key1": strings.Repeat("c", 3000), "key2": nil, strings.Repeat("k", 500): 1}}},
		{"issues_labels", map[string]any{"operation": "add", "issueId": document, "labels": ids[:30]}},
		{"issues_labels", map[string]any{"operation": "remove", "issueId": document, "labels": ids[:30]}},
		{"issues_projects", map[string]any{"operation": "add", "issueId": document, "project": strings.Repeat("long ", 900)}},
		{"issues_projects", map[string]any{"operation": "remove", "issueId": document}},
		{"issues_metadata", map[string]any{"operation": "set", "issueId": document, "key": strings.Repeat("k", 300), "value": strings.Repeat("v", 5000)}},
		{"issues_metadata", map[string]any{"operation": "remove", "issueId": document, "key": strings.Repeat("k", 300)}},
		{"issues_update_batch", batch(ids)},
		{"issues_update_batch", batch(unknown)},
		{"issues_update_batch", batch(slices.Repeat([]string{"twin"}, maxBatch))},
		{"issues_edit", map[string]any{"id": document, "edits": slices.Repeat([]any{map[string]any{"op": "append", "text": "# " + strings.Repeat("long ", 100) + "\n\n- [ ] b"}}, maxEdits)}},
		{"issues_edit", map[string]any{"id": document, "edits": slices.Repeat([]any{map[string]any{"op": strings.Repeat("op", 500)}}, maxEdits)}},
		{"issues_edit", map[string]any{"id": document, "op": "replace_section", "section": strings.Repeat("long ", 500), "text": "x"}},
		{"issues_mark_complete", map[string]any{"id": "file-000009-" + strings.Repeat("p", 150), "note": strings.Repeat("Done.\n", 500)}},
		{"issues_mark_complete", map[string]any{"id": "twin"}},
		{"issues_delete", map[string]any{"id": "file-000029-" + strings.Repeat("p", 150), "confirm": true}},
	}
	for _, output := range storetest.FewOf([]tools.Output{tools.OutputBoth, tools.OutputText}, 1) {
		for _, tokens := range storetest.FewOf([]int{4000, 300}, 1) {
			t.Run(fmt.Sprintf("output %s, %d tokens", output, tokens), func(t *testing.T) {
				settings := tight(tokens)
				s := serveTight(t, root, output, settings)
				for _, c := range calls {
					reply := s.Call(t, c.tool, c.arguments)
					budget := settings.Budget(c.tool, 0)
					for _, channel := range []string{reply.Text(), string(reply.Structured)} {
						if !budget.Holds(channel) {
							t.Errorf("%s %.100v: %d bytes: %.300s", c.tool, c.arguments, len(channel), channel)
						}
					}
					if reply.IsError && reply.Meta.Error.Code == string(tools.CodeInternal) {
						t.Errorf("%s: %s", c.tool, reply.Text())
					}
				}
			})
		}
	}
}

// TestPagesThatFit: however few rows there is room for, paging on shows every
// document once, whatever a row shows of it.
func TestPagesThatFit(t *testing.T) {
	t.Parallel()
	root := hostile(t, 40)
	paths := documentPaths(t, root)
	for _, tokens := range storetest.FewOf([]int{4000, 300}, 1) {
		type pagedCall struct {
			tool      string
			arguments map[string]any
		}
		for _, c := range storetest.FewOf([]pagedCall{
			{"issues_list", map[string]any{}},
			{"issues_list", map[string]any{"format": "minimal", "limit": 100}},
			{"issues_list", map[string]any{"format": "full"}},
			{"issues_search", map[string]any{"query": "title", "includeDescription": true}},
		}, 2) {
			t.Run(fmt.Sprintf("%s %v, %d tokens", c.tool, c.arguments, tokens), func(t *testing.T) {
				f := serveTight(t, root, tools.OutputBoth, tight(tokens))
				var titles []string
				for _, r := range all(t, f, c.tool, c.arguments) {
					title, _, _ := strings.Cut(strings.TrimPrefix(r.Title, "Title "), " ")
					titles = append(titles, title)
				}
				slices.Sort(titles)
				if whole := slices.Compact(slices.Clone(titles)); len(whole) != len(paths) || len(titles) != len(paths) {
					t.Errorf("%d rows of %d documents, there are %d", len(titles), len(whole), len(paths))
				}
			})
		}
		for _, tool := range []string{"issues_labels", "issues_projects"} {
			t.Run(fmt.Sprintf("%s, %d tokens", tool, tokens), func(t *testing.T) {
				f := serveTight(t, root, tools.OutputBoth, tight(tokens))
				type page struct {
					Labels, Projects []nameCount
					TotalCount       int
					NextCursor       string
				}
				seen := map[string]bool{}
				p, _ := toolstest.Must[page](t, f.Client, tool, map[string]any{"operation": "list"})
				for n := 0; ; n++ {
					for _, name := range append(p.Labels, p.Projects...) {
						if seen[name.Name] {
							t.Fatalf("%s came twice", name.Name)
						}
						seen[name.Name] = true
					}
					if p.NextCursor == "" || n == 20 { // there are thousands of labels
						break
					}
					p, _ = toolstest.Must[page](t, f.Client, tool, map[string]any{"cursor": p.NextCursor})
				}
				if p.NextCursor == "" && p.TotalCount > 0 && len(seen) != p.TotalCount {
					t.Errorf("%d names, the total is %d", len(seen), p.TotalCount)
				}
			})
		}
	}
}

// TestFlags: what an operator does not allow is not done.
func TestFlags(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range 90 {
		toolstest.Write(t, root, fmt.Sprintf(".wrangler/issues/ISS-%06d.md", i), fmt.Sprintf("---\ntitle: Title %d %s\nlabels: [%s, b]\n---\nText.\n", i, strings.Repeat("t", 100), strings.Repeat("l", 60)))
	}
	call := func(t *testing.T, f answer.Flags, off bool) rowsPage {
		t.Helper()
		s := answer.Defaults()
		s.Tools, s.Off = map[string]answer.Flags{listName: f}, off
		client := toolstest.NewClient(t, tools.Config{
			Toolsets: []tools.Toolset{Toolset(serve(t, root).ix)}, Settings: func() *answer.Settings { return s },
		})
		p, _ := toolstest.Must[rowsPage](t, client, listName, map[string]any{"limit": 80})
		return p
	}
	whole := func(r shown) bool { return len(r.Labels) == 2 && strings.HasSuffix(r.Title, "ttt") }
	t.Run("with all of them rows lose labels before much of their titles", func(t *testing.T) {
		p := call(t, answer.Flags{Pagination: true, Summarization: true, Chunking: true}, false)
		if n := len(p.Issues); n < 20 || n > 80 || slices.ContainsFunc(p.Issues, func(r shown) bool { return len(r.Title) < 80 || len(r.Labels) > 1 || r.Omitted != "" }) {
			t.Errorf("%d rows, the first %+v", n, p.Issues[0])
		}
	})
	t.Run("without pagination all rows come, with less in each", func(t *testing.T) {
		p := call(t, answer.Flags{Summarization: true}, false)
		if len(p.Issues) != 80 || slices.ContainsFunc(p.Issues, whole) || !strings.Contains(p.Note, "Omitted to fit, and in how many: the rest (80)") {
			t.Errorf("%d rows, note %q", len(p.Issues), p.Note)
		}
	})
	t.Run("without summarization rows are as they are", func(t *testing.T) {
		p := call(t, answer.Flags{Pagination: true}, false)
		if n := len(p.Issues); n < 20 || n > 60 || !whole(p.Issues[n-1]) {
			t.Errorf("%d rows", n)
		}
	})
	t.Run("with the guard off everything comes", func(t *testing.T) {
		if p := call(t, answer.Flags{Pagination: true, Summarization: true}, true); len(p.Issues) != 80 || !whole(p.Issues[79]) {
			t.Errorf("%d rows", len(p.Issues))
		}
	})
}

// TestOutcomes: the record says what was done to an answer, and what it would
// have been.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	root := hostile(t, 20)
	var last tools.Call
	f := fixture{toolstest.NewClient(t, tools.Config{
		Toolsets: []tools.Toolset{Toolset(serve(t, root).ix)}, Record: func(c tools.Call) { last = c },
	}), root, nil}
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		want      tools.Outcome
		cut       bool
	}{
		{"issues_list", map[string]any{"format": "minimal"}, tools.OutcomePlain, false},
		{"issues_list", map[string]any{"format": "minimal", "limit": 3}, tools.OutcomePlain, false}, // as it was asked for
		{"issues_list", map[string]any{}, tools.OutcomeSummarized, true},
		{"issues_list", map[string]any{"format": "full"}, tools.OutcomePaginated.With(tools.OutcomeSummarized), true},
		{"issues_labels", map[string]any{"operation": "list"}, tools.OutcomePaginated, true},
		{"issues_metadata", map[string]any{"operation": "get", "issueId": "ISS-000002"}, tools.OutcomeSummarized, true},
		{"issues_stats", map[string]any{"groupBy": "type"}, tools.OutcomePlain, false},
	} {
		f.Call(t, c.tool, c.arguments)
		if last.Outcome != c.want || last.Items == 0 || (last.Original > last.Bytes) != c.cut || last.Oversized != c.cut || last.Over {
			t.Errorf("%s %v: %s, %d items, %d bytes of %d", c.tool, c.arguments, last.Outcome, last.Items, last.Bytes, last.Original)
		}
	}
}

func TestOnlyAPageThatTheServerCutOrAClientGoesThroughIsPaginated(t *testing.T) {
	root := t.TempDir()
	for i := range 60 {
		toolstest.Write(t, root, fmt.Sprintf(".wrangler/issues/%d.md", i), "# One\n")
	}
	var log bytes.Buffer
	var last tools.Call
	client := toolstest.NewClient(t, tools.Config{
		Toolsets: []tools.Toolset{Toolset(serve(t, root).ix)}, Record: func(c tools.Call) { last = c },
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	list := func(arguments map[string]any, want tools.Outcome) string {
		t.Helper()
		log.Reset()
		page, _ := toolstest.Must[rowsPage](t, client, listName, arguments)
		if last.Outcome != want || last.Oversized || strings.Contains(log.String(), "INFO") {
			t.Errorf("%v: %s, oversized %t, logged %q", arguments, last.Outcome, last.Oversized, log.String())
		}
		return page.NextCursor
	}
	list(map[string]any{"limit": 5}, tools.OutcomePlain)
	list(map[string]any{"limit": 60}, tools.OutcomePlain)
	next := list(nil, tools.OutcomePaginated)
	next = list(map[string]any{"cursor": next}, tools.OutcomePaginated)
	list(map[string]any{"cursor": next}, tools.OutcomePlain) // the last one
}

func TestLimitIsThatOfTheSettings(t *testing.T) {
	root := t.TempDir()
	for i := range 12 {
		toolstest.Write(t, root, filepath.Join(".wrangler/issues", fmt.Sprintf("%d.md", i)), "# One\n")
	}
	s := answer.Defaults()
	s.PageSize, s.MaxPageSize = 3, 7
	f := fixture{toolstest.NewClient(t, tools.Config{Toolsets: []tools.Toolset{Toolset(serve(t, root).ix)}, Settings: func() *answer.Settings { return s }}), root, nil}
	for format, want := range map[string]int{formatSummary: 3, formatFull: 3} {
		if p, _ := toolstest.Must[rowsPage](t, f.Client, listName, map[string]any{"format": format}); len(p.Issues) != want {
			t.Errorf("a %s page has %d rows", format, len(p.Issues))
		}
	}
	p, text := toolstest.Must[rowsPage](t, f.Client, listName, map[string]any{"limit": 8})
	if len(p.Issues) != 7 || !strings.HasSuffix(text, "\nNote: limit 8 is over the maximum of 7, which was used.") {
		t.Errorf("a larger limit gives %d rows: %s", len(p.Issues), text)
	}
}

func TestMetadataOfOneKey(t *testing.T) {
	root := t.TempDir()
	toolstest.Write(t, root, ".wrangler/issues/a.md", "---\nid: a\nwranglerContext:\n  agentId: ann\n  blob: "+strings.Repeat("b", 30000)+"\n  last: 1\n---\n")
	f := serve(t, root)
	type contextPage struct {
		WranglerContext json.RawMessage
		Note            string
	}
	t.Run("all of them: short values whole, long ones cut with what remains", func(t *testing.T) {
		c, text := toolstest.Must[contextPage](t, f.Client, "issues_metadata", map[string]any{"operation": "get", "issueId": "a"})
		if object := string(c.WranglerContext); !strings.Contains(object, `"agentId":"ann"`) || !strings.Contains(object, `"last":1`) || !strings.Contains(object, " more characters)") {
			t.Errorf("got %s", object)
		}
		const how = "issues_metadata get with key reads one key. The file .wrangler/issues/a.md has all of it."
		if !strings.Contains(c.Note, how) || !strings.Contains(text, how) {
			t.Errorf("the note is %s, the text %s", c.Note, text)
		}
	})
	t.Run("one has as much as there is room for", func(t *testing.T) {
		c, _ := toolstest.Must[contextPage](t, f.Client, "issues_metadata", map[string]any{"operation": "get", "issueId": "a", "key": "blob"})
		if n := len(c.WranglerContext); n < 2000 || !strings.Contains(c.Note, "The file .wrangler/issues/a.md has all of it.") {
			t.Errorf("%d bytes, %s", n, c.Note)
		}
		c, _ = toolstest.Must[contextPage](t, f.Client, "issues_metadata", map[string]any{"operation": "get", "issueId": "a", "key": "last"})
		if string(c.WranglerContext) != `{"last":1}` || c.Note != "" {
			t.Errorf("%s, %s", c.WranglerContext, c.Note)
		}
	})
	t.Run("one that is not there is RESOURCE_NOT_FOUND, and those that are are named", func(t *testing.T) {
		text := f.Refused(t, tools.CodeNotFound, "issues_metadata", map[string]any{"operation": "get", "issueId": "a", "key": "agentid"})
		if !strings.HasSuffix(text, "agentId\nblob\nlast") {
			t.Error(text)
		}
	})
}
