package issues

import (
	"encoding/json"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/store/layout"
	"issues-index/tools"
)

func pageOf(t *testing.T, n, total int, next string) index.Page {
	p := index.Page{Total: total, Next: next, Remaining: total - n}
	for range n {
		p.Rows = append(p.Rows, sampleRow(t))
	}
	return p
}

func summary(p index.Page, empty string) tools.Result { return shownPage(p, false, empty) }
func brief(p index.Page, empty string) tools.Result   { return shownPage(p, true, empty) }

func shownPage(p index.Page, minimal bool, empty string) tools.Result {
	rows := lineRows(layout.Default(), tools.NewArgs(tools.Tool{}, nil), p, minimal, empty)
	rows.cutToPrice()
	rows.render()
	return tools.Fitted(rows.write(p))
}

// A decodedPage is the object of a page.
type decodedPage struct {
	Issues           []issueRow
	NextCursor, Note string
}

func decoded(t *testing.T, r tools.Result) (l decodedPage) {
	t.Helper()
	if err := json.Unmarshal(r.Structured.(json.RawMessage), &l); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestPageSaysHowToGoOn(t *testing.T) {
	firstLine := func(text string) string { first, _, _ := strings.Cut(text, "\n"); return first }

	t.Run("with further pages", func(t *testing.T) {
		r := brief(pageOf(t, 25, 142, "k3f9w2"), "")
		want := "Showing 25 of 142 issues. 117 more items match. Pass cursor 'k3f9w2' to see next page."
		if got := firstLine(r.Text); got != want {
			t.Errorf("first line = %s", got)
		}
		l := decoded(t, r)
		if want := "117 more items match. Pass cursor 'k3f9w2' to see next page."; l.NextCursor != "k3f9w2" || l.Note != want {
			t.Errorf("nextCursor %q, note %q", l.NextCursor, l.Note)
		}
	})
	t.Run("with one more", func(t *testing.T) {
		if got := firstLine(brief(pageOf(t, 1, 2, "k"), "").Text); !strings.Contains(got, "1 more item matches.") {
			t.Errorf("first line = %s", got)
		}
	})
	t.Run("on the last page nothing is said of it", func(t *testing.T) {
		r := brief(pageOf(t, 20, 20, ""), "")
		if got := firstLine(r.Text); got != "Showing 20 of 20 issues." {
			t.Errorf("first line = %s", got)
		}
		if l := decoded(t, r); l.NextCursor != "" || l.Note != "" {
			t.Errorf("nextCursor %q, note %q", l.NextCursor, l.Note)
		}
	})
	t.Run("a text over 2,000 bytes says it at the end again", func(t *testing.T) {
		again := "Pass cursor 'k' to see next page."
		for n, times := range map[int]int{10: 1, 60: 2} {
			text := summary(pageOf(t, n, 100, "k"), "").Text
			if got := strings.Count(text, again); got != times {
				t.Errorf("%d rows, %d bytes: said %d times, want %d", n, len(text), got, times)
			}
			if times == 2 && !strings.HasSuffix(text, again) {
				t.Errorf("the text ends %q", text[len(text)-60:])
			}
		}
	})
	t.Run("dropped priorities are explained", func(t *testing.T) {
		p := pageOf(t, 2, 2, "")
		if text := summary(p, "").Text; strings.Contains(text, "medium") {
			t.Errorf("no row drops its priority, but %s", text)
		}
		p.Rows[1].Priority = layout.Default().DefaultPriority()
		if got := firstLine(summary(p, "").Text); got != "Showing 2 of 2 issues. Priority is medium unless shown." {
			t.Errorf("first line = %s", got)
		}
	})
	t.Run("wide rows say the day that half of them share once, in both channels", func(t *testing.T) {
		p := pageOf(t, 12, 12, "")
		for i := range p.Rows {
			p.Rows[i].Title = strings.Repeat("wide ", 15)
		}
		p.Rows[0].Updated = when(t, "2026-02-16T00:00:00Z")
		r := summary(p, "")
		l := decoded(t, r)
		if got := strings.Count(r.Text, "2026-02-15"); got != 1 || !strings.Contains(firstLine(r.Text), "pdated 2026-02-15 unless shown.") {
			t.Errorf("the text is %s", r.Text)
		}
		if !strings.Contains(l.Note, "pdated 2026-02-15 unless shown.") || l.Issues[0].Updated != "2026-02-16" || l.Issues[11].Updated != "" {
			t.Errorf("structured output is %+v", l)
		}
	})
	t.Run("rows of usual width each show their day", func(t *testing.T) {
		if r := summary(pageOf(t, 20, 20, ""), ""); strings.Count(r.Text, "2026-02-15") != 20 {
			t.Errorf("the text is %s", r.Text)
		}
	})
	t.Run("many wide minimal rows cut their titles, in both channels alike", func(t *testing.T) {
		p := pageOf(t, fewRows, fewRows, "")
		for i := range p.Rows {
			p.Rows[i].Title = strings.Repeat("x", 100)
		}
		r := brief(p, "")
		if title := decoded(t, r).Issues[0].Title; len(title) > 60 || len(title) < 30 || strings.Count(r.Text, " "+title) != fewRows {
			t.Errorf("structured %q, text %s", title, r.Text)
		}
	})
	t.Run("an empty answer says what to try, in both channels", func(t *testing.T) {
		r := summary(pageOf(t, 0, 0, ""), "No issues match. Try this.")
		l := decoded(t, r)
		if r.Text != "No issues match. Try this." || l.Note != r.Text || l.Issues == nil {
			t.Errorf("text %q, structured %+v", r.Text, l)
		}
	})
	t.Run("a page past the end says so", func(t *testing.T) {
		if text := summary(pageOf(t, 0, 142, ""), "No issues match.").Text; !strings.Contains(text, "past the end of 142") {
			t.Errorf("text %q", text)
		}
	})
}
