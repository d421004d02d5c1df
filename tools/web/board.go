package web

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"issues-index/index"
	"issues-index/index/views"
	"issues-index/index/where"
	"issues-index/store/layout"
	"issues-index/store/words"
)

const (
	// boardRows is how many documents a column of a board shows.
	boardRows = 30
	// doneDays is for how many days a board shows what is done.
	doneDays = 14
)

// A boardPage is a board. Its view is one of the workspace's boards, or "" for that by status.
type boardPage struct {
	selection
	Boards  []string // the workspace's own
	Chips   []filterChip
	Columns []shownColumn
	Wrong   *shownError // why the criteria or the workspace's boards cannot be read

	Statuses []choice // to move a card to
}

// A shownColumn is one column of a board.
type shownColumn struct {
	Name, Mark string
	Note       string // what is left out
	Finished   bool   // its documents are done with
	Criteria   string // which lists the column's documents
	Status     string // of the documents, "" where the criteria are others
	Rows       []documentRow
	Total      int
	Waiting    *shownColumn // what has the status and cannot be begun, nil for none

	filter index.Filter // what Criteria say, as far as fields do: the index has counts by these
	sort   index.Sort
	limit  int
	rest   int // how many there are together with the column that it waits in, 0 where that is not known
}

// A shownCard is a card of a board.
type shownCard struct {
	documentRow
	Look string // the classes for its priority and its end
	Page shownPage
}

// cardOf is a document as a card, which has room for one label.
func cardOf(row documentRow, page shownPage) shownCard {
	row.Labels = row.Labels[:min(len(row.Labels), 1)]
	look := row.Urgency[len("p-"):]
	if row.Finished {
		look += " done"
	}
	return shownCard{row, look, page}
}

// board shows the documents in columns: by status, or as a board of the workspace's views says.
func board(r *pageRequest) (pageContent, error) {
	page := boardPage{selection: selectionAt(r.URL)}
	content := pageContent{Template: "board", Title: cmp.Or(page.View, "Board"), Here: "/board"}
	named, err := views.Load(r.ix.Workspace())
	if err != nil {
		page.Wrong = failureOf(err)
	}
	page.Boards = slices.Sorted(maps.Keys(named.Boards))
	criteria, err := where.Parse(page.Where)
	if err == nil { // a column has its own order
		criteria, err = where.Parse(criteria.SortedBy(""))
	}
	if err != nil {
		page.Wrong, content.Status, content.Data = failureOf(err), 400, &page
		return content, nil
	}
	page.Chips = page.chips(criteria)
	if page.Statuses, err = r.valuesOf("status"); err != nil {
		return content, err
	}
	if page.View == "" {
		page.addStatuses(r, criteria)
	} else if own, ok := named.Boards[page.View]; ok {
		for _, c := range own.Columns {
			page.Columns = append(page.Columns, shownColumn{
				Name: c.Name, Criteria: where.Join(criteria, c.Criteria).String(), limit: c.Limit,
				filter: r.filter(where.Join(criteria, c.Criteria).String()),
			})
		}
	} else {
		return content, &pageError{404, "Not found",
			shownError{Message: "There is no board of this name.", Hint: "The boards of a workspace are in " + views.File +
				"; /board shows the statuses."}}
	}
	content.Data = &page
	return content, page.fill(r)
}

// addStatuses makes a column of each status, but for those of cancelled documents. An open status
// shows what can be begun, and folds what cannot.
func (p *boardPage) addStatuses(r *pageRequest, criteria *where.Criteria) {
	l := r.ix.Workspace().Layout
	column := func(name string, s choice, more string, f index.Filter, key index.SortKey) shownColumn {
		text := "status = " + where.Value(s.Value) + more + " sort " + string(key) + " desc"
		f.Statuses, f.Where = []string{s.Value}, index.AskedCriteria{Text: criteria.String(), Me: r.me}
		return shownColumn{
			Name: name, Status: s.Value, Mark: s.Mark, filter: f, sort: index.Sort{Key: key, Desc: true},
			Criteria: criteria.With("status", text),
		}
	}
	for _, s := range p.Statuses {
		switch l.CategoryOf(s.Value) {
		case layout.Cancelled:
		case layout.Done:
			days := strconv.Itoa(doneDays)
			since := index.Filter{UpdatedAfter: r.ix.Workspace().Now().AddDate(0, 0, -doneDays)}
			c := column(s.Value, s, " updated >= -"+days+"d", since, index.SortUpdated)
			c.Finished, c.Note = true, "last "+days+" days"
			p.Columns = append(p.Columns, c)
		case layout.Open:
			c := column(s.Value, s, " is:ready", index.Filter{Ready: true}, index.SortPriority)
			if len(l.Of(layout.Open)) == 1 {
				c.Name, c.Mark = "Ready", "s-ready"
			}
			waiting := column("not ready", s, " not is:ready", index.Filter{}, index.SortPriority)
			waiting.filter.Where.Text = strings.TrimSpace("not is:ready " + waiting.filter.Where.Text)
			if c.Waiting = &waiting; criteria.Where == nil {
				waiting.rest = s.Count
			}
			p.Columns = append(p.Columns, c)
		default:
			p.Columns = append(p.Columns, column(s.Value, s, "", index.Filter{}, index.SortPriority))
		}
	}
}

// fill reads the documents of the columns.
func (p *boardPage) fill(r *pageRequest) error {
	var columns []*shownColumn
	for i := range p.Columns {
		if columns = append(columns, &p.Columns[i]); p.Columns[i].Waiting != nil {
			columns = append(columns, p.Columns[i].Waiting)
		}
	}
	queries := make([]index.Query, len(columns))
	for i, c := range columns {
		queries[i] = index.Query{
			Filter: c.filter, Sort: c.sort, Claims: true, Waits: true, Limit: min(cmp.Or(c.limit, boardRows), boardRows),
			Uncounted: c.rest > 0,
		}
	}
	pages, err := r.ix.FindEach(r.Context(), queries)
	for i, found := range pages {
		columns[i].Rows, columns[i].Total = rowsOf(r.ix.Workspace().Layout, found.Rows), found.Total
		if columns[i].rest > 0 {
			columns[i].Total = columns[i].rest - columns[i-1].Total
		}
		columns[i].Name = words.Cut(columns[i].Name, maxCell)
	}
	return err
}
