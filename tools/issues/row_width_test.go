package issues

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"issues-index/index/documents"
	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/o200k"
	"issues-index/tools/toolstest"
)

// rowLimits are what twenty rows may cost, in tokens of each channel.
var rowLimits = map[string]struct{ text, object int }{formatSummary: {700, 1000}, formatMinimal: {400, 600}}

// keepsRowLimits lists twenty rows for clients of every kind, and holds what these are sent
// to its limits by a tokenizer and at four characters a token.
func keepsRowLimits(t *testing.T, f fixture, arguments map[string]any) {
	t.Helper()
	for _, output := range tools.Outputs() {
		f.Client = toolstest.NewClient(t, tools.Config{Output: output, Toolsets: []tools.Toolset{Toolset(f.ix)}})
		for format, limits := range rowLimits {
			arguments["format"], arguments["limit"] = format, 20
			answer := f.Call(t, "issues_list", arguments)
			for channel, c := range map[string]struct {
				text  string
				limit int
			}{"text": {answer.Text(), limits.text}, "structured": {string(answer.Structured), limits.object}} {
				if cost := max(o200k.Count(c.text), utf8.RuneCountInString(c.text)/4); cost >= c.limit {
					t.Errorf("%s: %v cost %d tokens in the %s, allowed are fewer than %d", output, arguments, cost, channel, c.limit)
				}
			}
		}
	}
}

// TestTitlesAreTheLastToBeCut looks at the rows of real workspaces: as long as they show
// labels or days, their titles are whole, up to the length of any title.
func TestTitlesAreTheLastToBeCut(t *testing.T) {
	t.Parallel()
	cut := 0
	for _, f := range []fixture{corpus(t), foreignCorpus(t, "backlogmd/backlog")} {
		f.Client = toolstest.NewClient(t, tools.Config{Output: tools.OutputText, Toolsets: []tools.Toolset{Toolset(f.ix)}})
		for _, arguments := range []map[string]any{{"limit": 20}, {"limit": 15, "status": "closed"}, {"limit": 10, "type": "specification"}, {"limit": 100}} {
			text := f.Call(t, "issues_list", arguments).Text()
			head, rows, _ := strings.Cut(text, "\n")
			if strings.Contains(head, "Left out: labels, days") {
				continue
			}
			for row := range strings.SplitSeq(rows, "\n") {
				title, _, labelled := strings.Cut(row, " [")
				if labelled && strings.Contains(title, "…") && utf8.RuneCountInString(title) < documents.TitleLength {
					t.Errorf("%v: the title is cut: %s", arguments, row)
				}
				if strings.HasSuffix(row, ",…]") {
					cut++
				}
			}
		}
	}
	if cut == 0 {
		t.Error("no labels had to be cut")
	}
}

func TestTwentyRowsKeepToTheirPriceHoweverWide(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range 40 {
		id := fmt.Sprintf("ISS-%06d", i)
		if i%20 == 0 {
			id = "ISS-000001"
		}
		toolstest.Write(t, root, fmt.Sprintf(".wrangler/issues/%s-%s-%d.md", id, "a-slug-that-says-much-of-the-title", i), fmt.Sprintf(
			"---\nid: %s\ntitle: %s\nstatus: in_progress\nlabels: [architecture, documentation, performance, mcp, testing, security]\ncreatedAt: 2026-01-%02d\nupdatedAt: 2026-01-%02[3]d\n---\n- [x] One\n- [ ] Two\n",
			id, strings.Repeat("Words of a long title, ", 8), i%28+1))
	}
	f := serve(t, root)
	keepsRowLimits(t, f, map[string]any{})

	t.Run("while a few rows are as wide as they are", func(t *testing.T) {
		page, _ := toolstest.Must[rowsPage](t, f.Client, "issues_list", map[string]any{"limit": fewRows - 1})
		if slices.ContainsFunc(page.Issues, func(r shown) bool { return len(r.Labels) != 6 || utf8.RuneCountInString(r.Title) < shortTitle }) {
			t.Errorf("got %+v", page.Issues[0])
		}
	})
	t.Run("and every one can be read by what it shows as its id", func(t *testing.T) {
		page, _ := toolstest.Must[rowsPage](t, f.Client, "issues_list", map[string]any{"format": "minimal"})
		for _, r := range page.Issues {
			toolstest.Must[issueAnswer](t, f.Client, "issues_get", map[string]any{"id": r.ID, "fields": "title"})
		}
	})
}

func TestTwentyRowsOfRealWorkspacesKeepToTheirPrice(t *testing.T) {
	t.Parallel()
	workspaces := []func(*testing.T) fixture{
		corpus,
		func(t *testing.T) fixture { return foreignCorpus(t, "backlogmd/backlog") },
		func(t *testing.T) fixture { return foreignCorpus(t, "eips/EIPS") },
	}
	for _, serve := range storetest.FewOf(workspaces, 1) {
		f := serve(t)
		for _, arguments := range []map[string]any{
			{}, {"status": "closed"}, {"status": "open"}, {"priority": "high"}, {"type": "specification"}, {"type": "idea"}, {"offset": 20}, {"offset": 35},
		} {
			keepsRowLimits(t, f, arguments)
		}
	}
}
