package issues

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store"
	"issues-index/tools/o200k"
)

// A cost is what the answers of a step cost an agent, by the channel that its
// host shows it.
type cost struct {
	step             string
	text, structured int // tokens
	full             int // tokens of full answers about the same documents
}

// TestBrowseCost prices what an agent does to find one specification among many
// in a real workspace, in tokens by o200k: it lists them, searches, and opens the
// five best hits, each by its id or path alone. That is the plain way, without fields,
// outline or section, which would cost less still.
//
// Beside it stands the price of the same calls at a server that answers in full:
// each row of a list or a search with every field and its description, and
// documents whole.
//
//	go test ./tools/issues -run TestBrowseCost -v
func TestBrowseCost(t *testing.T) {
	t.Parallel()
	f := corpus(t)
	price := func(step, tool string, arguments map[string]any) (cost, []shown) {
		answer := f.Call(t, tool, arguments)
		if answer.IsError {
			t.Fatalf("%s: %s", step, answer.Text())
		}
		var page struct {
			Issues []shown
			Issue  shown
		}
		if err := json.Unmarshal(answer.Structured, &page); err != nil {
			t.Fatal(err)
		}
		c := cost{step: step, text: o200k.Count(answer.Text()), structured: o200k.Count(string(answer.Structured))}
		if page.Issue.ID != "" {
			page.Issues = []shown{page.Issue}
		}
		c.full = o200k.Count(fullAnswer(t, f, page.Issues))
		return c, page.Issues
	}

	specifications := map[string]any{"type": "specification"}
	list, _ := price("issues_list, specifications", "issues_list", specifications)
	search, hits := price("issues_search, one word", "issues_search", map[string]any{"query": "session", "filters": specifications})
	if len(hits) < 5 {
		t.Fatalf("only %d hits", len(hits))
	}
	costs := []cost{list, search}
	for _, hit := range hits[:5] {
		get, _ := price("issues_get "+path.Base(pathOf(t, f, hit))[:11], "issues_get", map[string]any{"id": pathOf(t, f, hit)})
		costs = append(costs, get)
	}
	total := cost{step: "all"}
	for _, c := range costs {
		total.text, total.structured, total.full = total.text+c.text, total.structured+c.structured, total.full+c.full
	}
	table := fmt.Sprintf("tokens by o200k\n%-30s %8s %10s %8s\n", "", "text", "structured", "in full")
	for _, c := range append(costs, total) {
		table += fmt.Sprintf("%-30s %8d %10d %8d\n", c.step, c.text, c.structured, c.full)
	}
	less := func(tokens int) float64 { return 100 - 100*float64(tokens)/float64(total.full) }
	t.Logf("%s%-30s %7.1f%% %9.1f%%", table, "less than in full by", less(total.text), less(total.structured))
	if less(total.text) < 80 || less(total.structured) < 80 {
		t.Errorf("browsing costs %d tokens as text and %d structured, more than a fifth of %d", total.text, total.structured, total.full)
	}
}

// fullAnswer is an answer with every field of the documents of some rows.
func fullAnswer(t *testing.T, f fixture, rows []shown) string {
	t.Helper()
	var documents []map[string]any
	for _, r := range rows {
		doc, _, err := f.ix.Workspace().Load(pathOf(t, f, r))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, everyField(doc))
	}
	full, err := json.Marshal(map[string]any{"issues": documents})
	if err != nil {
		t.Fatal(err)
	}
	return string(full)
}

// pathOf is the path of a row's document. Where several have its id, its title
// tells it from them.
func pathOf(t *testing.T, f fixture, r shown) string {
	t.Helper()
	if r.Path != "" {
		return r.Path
	}
	row, err := f.ix.Get(t.Context(), r.ID)
	var several *index.AmbiguousError
	if errors.As(err, &several) {
		for _, candidate := range several.Candidates {
			if strings.HasPrefix(candidate.Title, strings.TrimSuffix(r.Title, "…")) {
				return candidate.Path
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return row.Path
}

func everyField(doc *store.Document) map[string]any {
	fields := map[string]any{
		"id": doc.ID, "title": doc.Title, "type": doc.Type, "status": doc.Status, "priority": doc.Priority,
		"labels": doc.Labels, "createdAt": documents.Stamp(doc.Created), "updatedAt": documents.Stamp(doc.Updated), "description": doc.Body,
	}
	for name, value := range map[string]string{"assignee": doc.Assignee, "project": doc.Project, "wranglerContext": string(doc.Context)} {
		if value != "" {
			fields[name] = value
		}
	}
	return fields
}

// Twenty rows of a real workspace stay cheap by a tokenizer and at four
// characters a token alike.
func TestRowCost(t *testing.T) {
	f := corpus(t)
	for _, c := range []struct {
		format           string
		text, structured int // tokens of 20 rows
	}{
		{formatSummary, 700, 1000},
		{formatMinimal, 400, 600},
	} {
		answer := f.Call(t, "issues_list", map[string]any{"format": c.format, "limit": 20})
		if got := strings.Count(string(answer.Structured), `"id":`); got != 20 {
			t.Errorf("%s: %d rows", c.format, got)
		}
		for channel, text := range map[string]string{"text": answer.Text(), "structured": string(answer.Structured)} {
			limit := c.structured
			if channel == "text" {
				limit = c.text
			}
			counted, fourth := o200k.Count(text), len([]rune(text))/4
			t.Logf("20 rows in %s, %s: %d tokens by o200k, %d at four characters", c.format, channel, counted, fourth)
			if max(counted, fourth) >= limit {
				t.Errorf("20 rows in %s cost %d tokens in the %s, allowed are fewer than %d", c.format, max(counted, fourth), channel, limit)
			}
		}
	}
}
