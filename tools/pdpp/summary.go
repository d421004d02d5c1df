package pdpp

import (
	"cmp"
	"fmt"
	"strings"
)

// maxSummary bounds the text of a page, in bytes: it is for finding a record, and
// structured output and fetch are for reading it.
const maxSummary = 1780

// What a row of a summary is at least and at most, beside its id, in bytes.
const (
	leastPreview = 48
	mostPreview  = 320
)

// A preview is a record in a summary: its id, which is never cut, and what it says.
// One without an id cannot be fetched.
type preview struct {
	id, text string
}

// noID stands where an id would.
const noID = "(no id)"

// name is what the preview's line begins with.
func (p preview) name() string { return cmp.Or(p.id, noID) }

// line is the preview whole.
func (p preview) line() string { return strings.TrimSpace(p.name() + " " + p.text) }

// firstID is the first that can be fetched, "" when none can.
func firstID(rows []preview) string {
	for _, row := range rows {
		if row.id != "" {
			return row.id
		}
	}
	return ""
}

// summarize writes the head and as many previews as there is room for, in bytes: all
// ids, if they fit, and of the records from the first on what they say. The last line
// tells what was left out, and shorter, given the number of ids that fit, how to see the
// rest of them. Of so many records there is no id in the text.
func summarize(head []string, rows []preview, first string, room int, shorter func(fit int) string) (text string, hidden int) {
	lines := head
	room -= len(strings.Join(head, "\n"))
	tail := "Previews are cut; structured output has the records."
	if first != "" {
		tail = "Previews are cut; fetch {\"id\":" + string(encode(first)) + "} reads a record whole."
	}
	shown, taken := len(rows), 0
	for _, row := range rows {
		taken += len(row.name()) + 1
	}
	for shown > 1 && taken+1+len(tail) > room { // a page of one row is never without it
		shown--
		taken -= len(rows[shown].name()) + 1
		tail = fmt.Sprintf("%d more ids of this page are left out here: %s", len(rows)-shown, shorter(shown))
	}
	room -= 1 + len(tail)
	left, cut := room-taken, shown < len(rows)
	for i, row := range rows[:shown] {
		share := min(mostPreview, max(leastPreview, left/(shown-i)))
		text := ""
		if row.text != "" && left > share {
			text = " " + shorten(row.text, share-1)
		}
		cut = cut || strings.TrimSpace(text) != row.text
		left -= len(text)
		lines = append(lines, row.name()+text)
	}
	if cut {
		lines = append(lines, tail)
	}
	return strings.Join(lines, "\n"), len(rows) - shown
}
