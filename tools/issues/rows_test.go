package issues

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"issues-index/index"
	"issues-index/index/documents"
)

func when(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func sampleRow(t *testing.T) index.Row {
	return index.Row{
		Path: ".wrangler/issues/ISS-000041-title.md", ID: "ISS-000041", Title: "Title of it",
		Status: "open", Priority: "high", Labels: []string{"mcp", "bug"},
		Created: when(t, "2026-02-15T01:00:00Z"), Updated: when(t, "2026-02-15T23:59:00Z"),
	}
}

func summaryText(r index.Row) string { return textOf(summaryRow(r, "medium")) }
func minimalText(r index.Row) string { return textOf(minimalRow(r, "medium")) }
func textOf(r issueRow) string       { return string(r.appendText(nil)) }

func TestTheObjectOfARowIsAsItsTagsSay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return rapid.OneOf(rapid.Just(""), rapid.String(), rapid.SampledFrom([]string{
				"plain text", "<a & \"b\">", "two\nlines\t\\", "\u2028", "größer", "\x01\x7f", "\xff",
			})).Draw(t, name)
		}
		r := issueRow{
			text("id"), text("workspace"), text("title"), text("status"), text("priority"),
			rapid.SliceOfN(rapid.Custom(func(*rapid.T) string { return text("label") }), 0, 3).Draw(t, "labels"),
			text("boxes"), text("updated"), text("created"), text("waitsFor"), text("claim"), text("snippet"), text("omitted"),
		}
		if got := string(r.appendObject(nil)); got != string(marshalled(r)) {
			t.Errorf("it is %s, its tags say %s", got, marshalled(r))
		}
	})
}

func TestRowText(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*index.Row)
		form   func(index.Row) string
		want   string
	}{
		{
			"a summary is one line", func(*index.Row) {}, summaryText,
			"ISS-000041 open high Title of it [mcp,bug] 2026-02-15",
		},
		{
			"medium is dropped", func(r *index.Row) { r.Priority = "medium" }, summaryText,
			"ISS-000041 open Title of it [mcp,bug] 2026-02-15",
		},
		{
			"no labels take no room", func(r *index.Row) { r.Labels = nil }, summaryText,
			"ISS-000041 open high Title of it 2026-02-15",
		},
		{
			"an id with spaces stands in quotes", func(r *index.Row) { r.ID = "task-1 - Title" }, summaryText,
			"'task-1 - Title' open high Title of it [mcp,bug] 2026-02-15",
		},
		{
			"line breaks do not break the line", func(r *index.Row) { r.Title, r.Status = "Two\nlines\t here", "in\nreview" }, summaryText,
			"ISS-000041 in review high Two lines here [mcp,bug] 2026-02-15",
		},
		{
			"minimal is id, status and title", func(*index.Row) {}, minimalText,
			"ISS-000041 open Title of it",
		},
		{
			"minimal cuts titles at 120 characters, too", func(r *index.Row) { r.Title = strings.Repeat("x", 121) }, minimalText,
			"ISS-000041 open " + strings.Repeat("x", 119) + "…",
		},
		{
			"a snippet stands on the next line", func(r *index.Row) { r.Snippet = "…the\nmatch…" }, summaryText,
			"ISS-000041 open high Title of it [mcp,bug] 2026-02-15\n …the match…",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := sampleRow(t)
			c.change(&r)
			if got := c.form(r); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestSummaryRow(t *testing.T) {
	t.Run("the day of creation is left out when it is that of the update", func(t *testing.T) {
		if got := summaryRow(sampleRow(t), "medium").Created; got != "" {
			t.Errorf("created = %q", got)
		}
	})
	t.Run("another day of creation is shown", func(t *testing.T) {
		r := sampleRow(t)
		r.Created = when(t, "2026-02-14T23:00:00Z")
		if got := summaryRow(r, "medium").Created; got != "2026-02-14" {
			t.Errorf("created = %q", got)
		}
	})
	t.Run("a title is cut at 120 characters", func(t *testing.T) {
		r := sampleRow(t)
		r.Title = strings.Repeat("語", 121)
		if got, want := summaryRow(r, "medium").Title, strings.Repeat("語", 119)+"…"; got != want {
			t.Errorf("title = %q", got)
		}
		r.Title = strings.Repeat("語", 120)
		if got := summaryRow(r, "medium").Title; got != r.Title {
			t.Errorf("title = %q", got)
		}
	})
}

// TestStamp: a time in an answer is letter for letter the one in the file, where
// the file has it in our form; others are as short as they can be.
func TestStamp(t *testing.T) {
	for in, want := range map[string]string{
		"2026-02-15T00:00:00Z":      "2026-02-15",
		"2026-02-15T01:04:38.345Z":  "2026-02-15T01:04:38.345Z",
		"2026-02-15T01:04:38.540Z":  "2026-02-15T01:04:38.540Z",
		"2026-02-15T01:04:38.5Z":    "2026-02-15T01:04:38.500Z",
		"2026-02-15T01:04:38+02:00": "2026-02-14T23:04:38Z",
	} {
		if got := documents.Stamp(when(t, in)); got != want {
			t.Errorf("documents.Stamp(%s) = %s, want %s", in, got, want)
		}
	}
	if got := documents.Stamp(time.Time{}); got != "" {
		t.Errorf("stamp of no time = %q", got)
	}
}
