package web

import (
	"issues-index/index"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// A documentRow is a document in a list, a board or an overview.
type documentRow struct {
	index.Row
	Category string
}

// rowsOf shows documents. A text that is long enough to break a page is cut.
func rowsOf(l *layout.Layout, rows []index.Row) []documentRow {
	const mostLabels, mostWaits = 8, 5
	shown := make([]documentRow, len(rows))
	for i, r := range rows {
		r.Labels = r.Labels[:min(len(r.Labels), mostLabels)]
		r.WaitsFor = r.WaitsFor[:min(len(r.WaitsFor), mostWaits)]
		r.Title, r.Status, r.Priority = words.Cut(r.Title, maxCell), words.Cut(r.Status, maxCell),
			words.Cut(r.Priority, maxCell)
		shown[i] = documentRow{r, categoryOf(l, r.Status)}
	}
	return shown
}
