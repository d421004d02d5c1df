package issues

import (
	"slices"
	"sync"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/layout"
	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// The formats of a list.
const (
	formatFull    = "full"
	formatSummary = "summary"
	formatMinimal = "minimal"
)

// shortTitle limits a title beside an id that is a path, since a path says much of the title, in
// characters.
const shortTitle = 64

// An issueRow is one document of a list, in summary or minimal format.
type issueRow struct {
	ID string `json:"id"` // the path, when only that names the document
	// Workspace is that of a document in a hub, as the argument workspace takes it.
	Workspace string   `json:"workspace,omitempty"`
	Title     string   `json:"title"`
	Status    string   `json:"status"`
	Priority  string   `json:"priority,omitempty"` // absent when usual
	Labels    []string `json:"labels,omitempty"`
	Boxes     string   `json:"boxes,omitempty"`   // checked and all, as 2/5
	Updated   string   `json:"updated,omitempty"` // absent in minimal format, and when the header says it
	Created   string   `json:"created,omitempty"` // absent when the day of the update
	WaitsFor  string   `json:"waitsFor,omitempty"`
	Claim     string   `json:"claim,omitempty"` // who has claimed it, and until when
	Snippet   string   `json:"snippet,omitempty"`
	Omitted   string   `json:"omitted,omitempty"` // what did not fit
}

func minimalRow(r index.Row, _ string) issueRow {
	m := issueRow{ID: r.Handle(), Workspace: r.In(), Title: words.Cut(r.Title, documents.TitleLength), Status: r.Status}
	if r.Shared { // the path says much of the title
		m.Title = words.Cut(r.Title, shortTitle)
	}
	return m
}

// summaryRow leaves out the usual priority, which most documents have.
func summaryRow(r index.Row, usual string) issueRow {
	s := minimalRow(r, usual)
	if r.Priority != usual {
		s.Priority = r.Priority
	}
	s.Labels = r.Labels
	s.Boxes = r.Boxes.String()
	s.Updated = documents.Day(r.Updated)
	if created := documents.Day(r.Created); created != s.Updated {
		s.Created = created
	}
	s.WaitsFor = documents.Listed(r.WaitsFor, documents.ShownWaits)
	if r.Claim != nil {
		s.Claim = newClaimView(*r.Claim).text()
	}
	s.Snippet = r.Snippet
	return s
}

// appendText appends the row as one line: id, status, priority, title, [labels], boxes, day of the
// last update. A snippet follows on a second line.
func (r *issueRow) appendText(b []byte) []byte {
	add := func(before, text string) { b = append(append(b, before...), words.OneLine(text)...) }
	addSet := func(before, text string) {
		if text != "" {
			add(before, text)
		}
	}
	add(documents.Name(r.ID)+" ", r.Status)
	addSet(" ", r.Priority)
	add(" ", r.Title)
	before := " ["
	for _, label := range r.Labels {
		add(before, label)
		before = ","
	}
	if len(r.Labels) > 0 {
		b = append(b, ']')
	}
	addSet(" ", r.Boxes)
	addSet(" ", r.Updated)
	addSet(" waits for ", r.WaitsFor)
	addSet(" claimed by ", r.Claim)
	if r.Omitted != "" {
		add(" (omitted: ", r.Omitted)
		b = append(b, ')')
	}
	addSet("\n ", r.Snippet)
	return b
}

// appendObject appends the row as JSON, as its tags say. Through encoding/json it took a twelfth of the
// time of a list.
func (r *issueRow) appendObject(b []byte) []byte {
	add := func(member, text string) { b = orderedjson.AppendText(append(b, member...), text) }
	addSet := func(member, text string) {
		if text != "" {
			add(member, text)
		}
	}
	add(`{"id":`, r.ID)
	addSet(`,"workspace":`, r.Workspace)
	add(`,"title":`, r.Title)
	add(`,"status":`, r.Status)
	addSet(`,"priority":`, r.Priority)
	before := `,"labels":[`
	for _, label := range r.Labels {
		add(before, label)
		before = ","
	}
	if len(r.Labels) > 0 {
		b = append(b, ']')
	}
	addSet(`,"boxes":`, r.Boxes)
	addSet(`,"updated":`, r.Updated)
	addSet(`,"created":`, r.Created)
	addSet(`,"waitsFor":`, r.WaitsFor)
	addSet(`,"claim":`, r.Claim)
	addSet(`,"snippet":`, r.Snippet)
	addSet(`,"omitted":`, r.Omitted)
	return append(b, '}')
}

// render writes the row for both channels.
func (r *issueRow) render() answer.Row {
	return answer.Row{Text: string(r.appendText(nil)), Object: r.appendObject(nil), Omitted: r.Omitted}
}

// leastWide is the size, in bytes, up to which a row is never narrowed, so that rows of
// usual width stay as they are in any budget.
const leastWide = 300

// mostAround is more than what stands around the rows of a page takes.
var mostAround = answer.Space{Text: 1000, Lines: 10, Object: 1000}

// lineRows makes a page with a line for each row, in summary or minimal format.
func lineRows(l *layout.Layout, args *tools.Args, p index.Page, minimal bool, empty string) *listRows {
	rows := make([]issueRow, len(p.Rows))
	row, price := summaryRow, summaryPrice
	if minimal {
		row, price = minimalRow, minimalPrice
	}
	for i, r := range p.Rows {
		rows[i] = row(r, l.DefaultPriority())
	}
	list := &listRows{empty: empty}
	list.Member, list.Rows, list.Wide = "issues", make([]answer.Row, len(rows)), max(args.Room().Bytes()/10, leastWide)
	list.cutToPrice = func() {
		cut := price.cut(rows, args.Output())
		list.header.day, list.header.without = cut.day, cut.without
	}
	list.takes = sync.OnceValue(func() answer.Space {
		m := meter{over: mostAround}
		for _, r := range rows {
			m.add(&r, 1)
		}
		m.over.Lines += len(rows)
		return m.over
	})
	list.render = func() {
		for i := range rows {
			list.Rows[i] = rows[i].render()
		}
	}
	if slices.ContainsFunc(rows, func(r issueRow) bool { return !minimal && r.Priority == "" }) {
		list.header.priority = l.DefaultPriority()
	}
	list.Narrow = func(i int) (answer.Row, bool) {
		narrower, ok := rows[i].narrower(p.Rows[i].Path)
		rows[i] = narrower
		return narrower.render(), ok
	}
	return list
}
