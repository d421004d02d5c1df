package wagtail

import (
	"fmt"
	"strings"

	"issues-index/tools"
)

// A foundPage is a page on which something was found.
type foundPage struct {
	row
	Matches []hit `json:"matches"`
	More    int   `json:"more,omitempty"` // further places on the page
}

// A foundIn answers wagtail_find_in_pages.
type foundIn struct {
	Pages      []foundPage `json:"pages"`
	LookedAt   int         `json:"lookedAt"` // pages, in this call and those before that its cursor came from
	NextCursor string      `json:"nextCursor,omitempty"`
	Note       string      `json:"note,omitempty"`
}

func (f *finder) answer() tools.Result {
	r := f.show(f.stopped)
	if f.stopped != nil {
		r.Outcome = tools.OutcomePaginated
	}
	return r
}

// show answers with what was found, and with how to go on at a place.
func (f *finder) show(next *place) tools.Result {
	answer := foundIn{Pages: append([]foundPage{}, f.pages...), LookedAt: f.before + f.looked}
	first, onward := f.what.found(len(answer.Pages)), ""
	if f.before > 0 {
		first += " among the pages of this part"
	}
	if next != nil {
		answer.NextCursor = f.cursor(next)
		onward = fmt.Sprintf("Pass cursor '%s' to look through the rest.", answer.NextCursor)
	}
	rows := make([]row, len(answer.Pages))
	for n := range rows {
		rows[n] = answer.Pages[n].row
	}
	shared := dropShared(rows)
	notes := append([]string{f.extent(next != nil), onward}, f.missed()...)
	notes = append(notes, shared, f.elsewhere)
	notes = append(notes, f.what.notes(len(answer.Pages))...)
	answer.Note = sentences(append([]string{first + "."}, notes...)...)
	lines := []string{answer.Note}
	for n := range answer.Pages {
		answer.Pages[n].row = rows[n]
		lines = append(lines, rows[n].text())
		for _, h := range answer.Pages[n].Matches {
			lines = append(lines, "  "+h.Field+": "+h.Text)
		}
		if more := answer.Pages[n].More; more > 0 {
			lines = append(lines, fmt.Sprintf("  and %d more places", more))
		}
	}
	text := strings.Join(lines, "\n")
	if len(text) > repeatAfter && onward != "" {
		text += "\n" + onward
	}
	return tools.Result{Text: text, Structured: answer, Items: len(answer.Pages)}
}

// extent says how far the looking went.
func (f *finder) extent(more bool) string {
	looked := f.before + f.looked
	if !more && f.others == 0 {
		return fmt.Sprintf("Looked through all %d pages.", looked)
	}
	return fmt.Sprintf("Looked through %d of %d pages.", looked, f.total)
}

// missed says what was not looked at although the way went past it.
func (f *finder) missed() []string {
	var notes []string
	if f.why != "" {
		notes = append(notes, "Stopped there: "+f.why)
	}
	if f.skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d pages are too large to be read in a list: read them with %s.", f.skipped, pageDetailsName))
	}
	if f.others > 0 {
		notes = append(notes, fmt.Sprintf("%d pages are of types that were not met: pass type for those.", f.others))
	}
	return notes
}
