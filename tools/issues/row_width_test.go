package issues

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"issues-index/tools/toolstest"
)

// rowLimits are what twenty rows may cost, in tokens of each channel.
var rowLimits = map[string]struct{ text, object int }{formatSummary: {700, 1000}, formatMinimal: {400, 600}}

// keepsRowLimits lists twenty rows, and holds them to their limits by a tokenizer and
// at four characters a token.
func keepsRowLimits(t *testing.T, f fixture, arguments map[string]any) {
	t.Helper()
	for format, limits := range rowLimits {
		arguments["format"], arguments["limit"] = format, 20
		answer := f.Call(t, "issues_list", arguments)
		for channel, c := range map[string]struct {
			text  string
			limit int
		}{"text": {answer.Text(), limits.text}, "structured": {string(answer.Structured), limits.object}} {
			if cost := max(toolstest.Tokens(t, c.text), utf8.RuneCountInString(c.text)/4); cost >= c.limit {
				t.Errorf("%v cost %d tokens in the %s, allowed are fewer than %d", arguments, cost, channel, c.limit)
			}
		}
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
	for _, f := range []fixture{corpus(t), foreignCorpus(t, "backlogmd/backlog"), foreignCorpus(t, "eips/EIPS")} {
		for _, arguments := range []map[string]any{
			{}, {"status": "closed"}, {"status": "open"}, {"priority": "high"}, {"type": "specification"}, {"type": "idea"}, {"offset": 20}, {"offset": 35},
		} {
			keepsRowLimits(t, f, arguments)
		}
	}
}
