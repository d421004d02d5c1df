package edit

import (
	"context"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/store/layout"
	"issues-index/store/markdown"
	"issues-index/store/words"
)

// closedLength is how many characters of a box or a title a note about closing shows.
const closedLength = 60

// addClosings looks up what the documents leave and free that the changes have finished. A
// failed lookup is ignored, because the changes have been made.
func (w *Writer) addClosings(ctx context.Context, all []*Applied) {
	var closed []*Applied
	var paths []string
	for _, done := range all {
		if done.Before != nil && !done.Before.Category().Finished() && done.After.Category().Finished() {
			closed, paths = append(closed, done), append(paths, done.Path)
		}
	}
	if len(closed) == 0 {
		return
	}
	closings, err := w.ix.Closings(ctx, paths)
	for i := 0; err == nil && i < len(closed); i++ {
		closed[i].Closing = closings[i]
	}
}

// ClosingNotes say what a document leaves that the change has finished, and what it frees:
// open boxes, open children, and documents that can be begun now. Each is a sentence without
// its full stop. Cancelled work leaves boxes open.
func (a Applied) ClosingNotes() (notes []string) {
	if boxes := a.openBoxes(); boxes != "" {
		notes = append(notes, boxes)
	}
	if open := a.Closing.Open; open > 0 {
		stillOpen := words.Count(open, "child is", "children are") + " still open"
		notes = append(notes, named(stillOpen, a.Closing.OpenChildren, open))
	}
	if ready := a.Closing.Ready; ready > 0 {
		notes = append(notes, named("ready now", a.Closing.ReadyNow, ready))
	}
	return notes
}

// openBoxes names the first open boxes of a document that is done since the change; "" for none.
func (a Applied) openBoxes() string {
	const most = 5
	if a.Before == nil || a.Before.Category() == layout.Done || a.After.Category() != layout.Done {
		return ""
	}
	var boxes []string
	open := 0
	for _, box := range markdown.Boxes(a.After.Body) {
		if box.Checked {
			continue
		}
		if open++; open <= most {
			boxes = append(boxes, fmt.Sprintf("%d %q", box.N, words.Cut(words.OneLine(box.Text), closedLength)))
		}
	}
	if open == 0 {
		return ""
	}
	return list(words.Count(open, "box is", "boxes are")+" still open", boxes, open)
}

// named says something of documents and names the first of them.
func named(said string, rows []index.Row, all int) string {
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = fmt.Sprintf("%s %q", words.OneLine(row.Handle()), words.Cut(words.OneLine(row.Title), closedLength))
	}
	return list(said, names, all)
}

// list says something and names the first of all that it is said of.
func list(said string, names []string, all int) string {
	return said + ": " + strings.Join(names, ", ") + words.AndMore(all-len(names))
}
