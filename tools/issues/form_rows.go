package issues

import (
	"encoding/json"
	"slices"

	"issues-index/index"
	"issues-index/tools"
)

// leastShare is the room, in bytes, that a row of one line may always take:
// rows of the usual width are left as they are, however small the budget.
const leastShare = 300

// A rowForm shows a line for each document of a page: summary or minimal.
type rowForm struct {
	minimal bool
	of      []index.Row
	lost    []omission
	shown   []row  // what is left to show of each
	day     string // that most of the rows were updated on, where it is said once
	priced  *pricedRows
	empty   string // what to say when there are no rows
}

func newRows(p index.Page, minimal bool, empty string) *rowForm {
	f := &rowForm{minimal: minimal, of: slices.Clone(p.Rows), lost: make([]omission, len(p.Rows)), shown: make([]row, len(p.Rows)), empty: empty}
	for i := range f.shown {
		f.shown[i] = f.row(i)
	}
	return f
}

func (f *rowForm) rows() int { return len(f.of) }

func (f *rowForm) show(p index.Page) tools.Result {
	rows, day := slices.Clone(f.shown[:len(p.Rows)]), ""
	if f.priced != nil && len(rows) >= fewRows {
		rows, day = slices.Clone(f.priced.first(len(rows))), f.day
	}
	omitted := left(f.lost[:len(rows)])
	if f.minimal {
		return f.minimalRows(p, rows, omitted)
	}
	return f.summaries(p, rows, day, omitted)
}

func (f *rowForm) row(i int) row {
	shown := summaryRow(f.of[i])
	switch {
	case f.minimal:
		shown = minimalRow(f.of[i])
	case slices.Contains(f.lost[i], allOthers):
		shown = row{ID: shown.ID, Title: shown.Title, Status: shown.Status}
	}
	shown.Omitted = f.lost[i].String()
	return shown
}

func (f *rowForm) unread() int { return 0 }

// cheapen has the rows shown within their price. Where they are wide, the day of the
// update that most of them share is said once.
func (f *rowForm) cheapen() {
	if f.minimal {
		f.priced = &pricedRows{price: minimalPrice, wide: f.shown, of: f.of}
		return
	}
	f.priced = &pricedRows{price: summaryPrice, wide: f.shown, of: f.of}
	if !f.priced.cover() {
		wide := slices.Clone(f.shown)
		f.day = dropSharedDay(wide)
		f.priced = &pricedRows{price: summaryPrice, wide: wide, of: f.of}
	}
}

func (f *rowForm) likely(widths []int, room int) int {
	if f.priced == nil {
		return likely(widths, room)
	}
	return f.priced.likely(room - besideRows/2)
}

func (f *rowForm) omits(rows int) bool { return left(f.lost[:rows]) != "" }

func (f *rowForm) share(room int) int { return max(room/10, leastShare) }

func (f *rowForm) width(i int) int {
	object, err := json.Marshal(f.shown[i])
	if err != nil { // texts always have a JSON form
		return 0
	}
	return max(len(object), len(f.shown[i].text()))
}

func (f *rowForm) narrow(i int) bool {
	narrowed := f.leaveOut(i)
	f.shown[i] = f.row(i)
	return narrowed
}

func (f *rowForm) leaveOut(i int) bool {
	r, lost := &f.of[i], &f.lost[i]
	if !f.minimal && r.Snippet != "" {
		r.Snippet = ""
		*lost = append(*lost, "snippet")
		return true
	}
	if !f.minimal && len(r.Labels) > 0 {
		r.Labels = nil
		*lost = append(*lost, "labels")
		return true
	}
	before := len(*lost)
	for _, field := range []struct {
		name  string
		value *string
		limit int
	}{{"rest of title", &r.Title, narrowTitle}, {"rest of status", &r.Status, narrowWord}, {"rest of priority", &r.Priority, narrowWord}} {
		if short := cut(*field.value, field.limit); short != *field.value {
			*field.value = short
			*lost = append(*lost, field.name)
		}
	}
	if len(r.ID) > maxID && len(r.Path) < len(r.ID) {
		r.ID = r.Path
		*lost = append(*lost, "id (path in its place)")
	}
	if len(*lost) == before && !f.minimal && !slices.Contains(*lost, allOthers) {
		r.Title = cut(r.Title, narrowWord)
		*lost = omission{allOthers}
		return true
	}
	return len(*lost) > before
}

// minimalRows answers with a page of minimal rows.
func (f *rowForm) minimalRows(p index.Page, rows []row, omitted string) tools.Result {
	items, texts := make([]any, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		items[i], texts[i] = r, r.shortText()
	}
	return listResult(p, items, texts, "", legend{}, omitted, f.empty)
}

// summaries answers with a page of summary rows. The day is that of the rows without
// one.
func (f *rowForm) summaries(p index.Page, rows []row, day, omitted string) tools.Result {
	said := legend{priority: slices.ContainsFunc(rows, func(r row) bool { return r.Priority == "" && r.Omitted != allOthers }), day: day}
	items, texts := make([]any, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		items[i], texts[i] = r, r.text()
	}
	return listResult(p, items, texts, "", said, omitted, f.empty)
}
