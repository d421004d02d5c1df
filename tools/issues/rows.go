package issues

import (
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/layout"
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

// text returns the row as one line: id, status, priority, title, [labels], boxes, day of the
// last update. A snippet follows on a second line.
func (r issueRow) text() string {
	parts := []string{documents.Name(r.ID), words.OneLine(r.Status)}
	if r.Priority != "" {
		parts = append(parts, words.OneLine(r.Priority))
	}
	parts = append(parts, words.OneLine(r.Title))
	if len(r.Labels) > 0 {
		parts = append(parts, "["+words.OneLine(strings.Join(r.Labels, ","))+"]")
	}
	if r.Boxes != "" {
		parts = append(parts, r.Boxes)
	}
	if r.Updated != "" {
		parts = append(parts, r.Updated)
	}
	text := strings.Join(parts, " ")
	if r.WaitsFor != "" {
		text += " waits for " + words.OneLine(r.WaitsFor)
	}
	if r.Claim != "" {
		text += " claimed by " + r.Claim
	}
	if r.Omitted != "" {
		text += " (omitted: " + r.Omitted + ")"
	}
	if r.Snippet != "" {
		text += "\n " + words.OneLine(r.Snippet)
	}
	return text
}

// render writes the row for both channels.
func (r issueRow) render() answer.Row {
	return answer.Row{Text: r.text(), Object: marshalled(r), Omitted: r.Omitted}
}

// leastWide is the size, in bytes, up to which a row is never narrowed, so that rows of
// usual width stay as they are in any budget.
const leastWide = 300

// lineRows renders a page with a line for each row, in summary or minimal format.
func lineRows(l *layout.Layout, args *tools.Args, p index.Page, minimal bool, empty string) *listRows {
	rows, rendered := make([]issueRow, len(p.Rows)), make([]answer.Row, len(p.Rows))
	row, price := summaryRow, summaryPrice
	if minimal {
		row, price = minimalRow, minimalPrice
	}
	for i, r := range p.Rows {
		rows[i] = row(r, l.DefaultPriority())
		rendered[i] = rows[i].render()
	}
	list := &listRows{empty: empty}
	list.Member, list.Rows, list.Wide = "issues", rendered, max(args.Room().Bytes()/10, leastWide)
	list.cutToPrice = func() {
		cut := price.cut(rows, rendered, args.Output())
		list.header.day, list.header.without = cut.day, cut.without
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
