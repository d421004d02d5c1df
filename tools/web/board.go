package web

import (
	"cmp"
	"maps"
	"slices"

	"issues-index/index"
	"issues-index/index/views"
)

// boardRows is how many documents a column of a board shows.
const boardRows = 30

// A boardPage is a board.
type boardPage struct {
	Name    string   // "" for the board by status
	Boards  []string // the workspace's own
	Columns []shownColumn
	Wrong   *shownError // why the workspace's boards cannot be read

	Statuses []string // to move a card to
}

// A shownColumn is one column of a board.
type shownColumn struct {
	Name, Category string
	Criteria       string // which lists the column's documents
	Status         string // of the documents, "" where the criteria are others
	Rows           []documentRow
	Total          int
}

// board shows the documents in columns: by status, or as a board of the workspace's views
// says.
func board(r *pageRequest) (pageContent, error) {
	ctx := r.Context()
	page := boardPage{Name: r.URL.Query().Get("board"), Statuses: r.ix.Workspace().Layout.StatusNames()}
	named, err := views.Load(r.ix.Workspace())
	if err != nil {
		page.Wrong = failureOf(err)
	}
	page.Boards = slices.Sorted(maps.Keys(named.Boards))
	var queries []index.Query
	add := func(column shownColumn, limit int) {
		page.Columns = append(page.Columns, column)
		queries = append(queries, index.Query{Filter: r.filter(column.Criteria), Claims: true,
			Limit: min(cmp.Or(limit, boardRows), boardRows)})
	}
	if page.Name == "" {
		counts, err := statusCounts(ctx, r.ix)
		if err != nil {
			return pageContent{}, err
		}
		for _, c := range counts {
			// By one field, which an index has in order, since a column may be long.
			order := " sort priority desc"
			if l := r.ix.Workspace().Layout; l.Finished(c.Value) {
				order = " sort updated desc"
			}
			add(shownColumn{Name: c.Value, Status: c.Value, Category: c.Category, Criteria: c.Criteria + order}, 0)
		}
	} else {
		own, ok := named.Boards[page.Name]
		if !ok {
			return pageContent{}, &pageError{404, "Not found",
				shownError{Message: "There is no board of this name.", Hint: "The boards of a workspace are in " + views.File +
					"; /board shows the statuses."}}
		}
		for _, c := range own.Columns {
			add(shownColumn{Name: c.Name, Category: "unknown", Criteria: c.Criteria.String()}, c.Limit)
		}
	}
	pages, err := r.ix.FindEach(ctx, queries)
	if err != nil {
		return pageContent{}, err
	}
	for i, found := range pages {
		page.Columns[i].Rows, page.Columns[i].Total = rowsOf(r.ix.Workspace().Layout, found.Rows), found.Total
	}
	return pageContent{Template: "board", Title: cmp.Or(page.Name, "Board"), Here: "/board", Data: page}, nil
}
