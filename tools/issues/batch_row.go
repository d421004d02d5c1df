package issues

import (
	"math"
	"strings"

	"issues-index/store"
)

// A rowWidth is the most that the row of a document takes in a batch.
type rowWidth struct {
	title  int // characters
	labels int // bytes, of all together
}

// rowWidths are those that the rows of a batch are tried at in turn.
var rowWidths = []rowWidth{{titleLength, math.MaxInt}, {shortTitle, math.MaxInt}, {shortTitle, 60}, {narrowTitle, 0}}

// rowOf is a document's row, by the id that names it alone.
func rowOf(doc *store.Document, id string) row {
	r := row{
		ID: id, Title: strings.Clone(cut(doc.Title, titleLength)), Status: cut(doc.CountedStatus(), narrowWord),
		Labels: doc.Labels, Updated: day(doc.Updated),
	}
	if priority := doc.CountedPriority(); priority != usual {
		r.Priority = cut(priority, narrowWord)
	}
	return r
}

// within makes the row fit a width.
func (w rowWidth) within(r row) row {
	r.Title = cut(r.Title, w.title)
	if len(strings.Join(r.Labels, ",")) > w.labels {
		r.Labels, r.Omitted = nil, "labels"
	}
	return r
}

// list makes the document's row of a width.
func (item *batchItem) list(w rowWidth) {
	r := w.within(item.row)
	e := batchEntry{fields: r.text(), batchDocument: batchDocument{
		document: document{ID: r.ID, Title: r.Title, Status: r.Status, Priority: r.Priority}, Updated: r.Updated, Omitted: r.Omitted,
	}}
	if len(r.Labels) > 0 {
		e.Labels = &r.Labels
	}
	item.forms[inRow] = e
}
