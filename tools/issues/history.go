package issues

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/history"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// A historyAnswer answers issues_history.
type historyAnswer struct {
	ID         string       `json:"id"`
	Path       string       `json:"path"`
	History    []historyRow `json:"history"`
	NextCursor string       `json:"nextCursor,omitempty"`
	Note       string       `json:"note,omitempty"`
}

// A historyRow is what one commit did.
type historyRow struct {
	Time    string   `json:"time"`
	Author  string   `json:"author,omitempty"`
	Commit  string   `json:"commit"` // its beginning, or that it is not committed
	Merge   bool     `json:"merge,omitempty"`
	Event   string   `json:"event,omitempty"`
	Changes []string `json:"changes"`

	entry history.HistoryEntry
	level int // of historyLevels
}

const (
	// historyLimit is how many rows a page of a history has by default.
	historyLimit = 20
	uncommitted  = "uncommitted"
)

// historyLevels are how much of its changes a row shows, from everything to the least: the
// characters of a value, and how many changes.
var historyLevels = []struct{ length, changes int }{{changeLength, 40}, {batchLength, 12}, {batchLength / 2, 4}}

func issueHistory(ix *index.Index) tools.Tool {
	return tools.Tool{
		Name:        "issues_history",
		Description: "Show one issue's git history. Read-only. field: also text, boxes, path.",
		ReadOnly:    true,
		Idempotent:  true,
		Input: tools.ObjectSchema(`"id":`+anyText+`,"field":`+anyText+`,"since":`+anyText+`,"limit":`+number+
			`,"cursor":`+anyText, "id"),
		Output: tools.ObjectSchema(`"id":`+anyText+`,"history":{"type":"array"},"nextCursor":`+anyText, "id", "history"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			id := args.Required("id")
			q := history.HistoryQuery{Field: strings.TrimSpace(args.String("field")), Since: args.Time("since")}
			limit := args.AtMost("limit", args.Settings().MaxPageSize, historyLimit)
			if at := cursor(args); at != "" {
				q = resumeHistory(args, at, q)
			}
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			h, err := documents.ReadHistory(ctx, ix, id)
			if err != nil {
				return tools.Result{}, err
			}
			defer h.Close()
			return historyCall{args, h, q}.answer(limit)
		},
	}
}

// resumeHistory is the query that a cursor goes on with: the key of an entry, and the
// arguments of the first page.
func resumeHistory(args *tools.Args, at string, asked history.HistoryQuery) history.HistoryQuery {
	invalid := func(why string) {
		args.Fail(tools.Errorf(tools.CodeInvalidCursor, "Cursor %s %s.", tools.Quote(at), why).On("cursor").
			Try("Pass the id and the cursor alone to go on, or start again without a cursor."))
	}
	parts := strings.SplitN(at, "~", 3)
	q := history.HistoryQuery{After: parts[0]}
	if len(parts) > 1 && parts[1] != "" {
		seconds, err := strconv.ParseInt(parts[1], 36, 64)
		if err != nil {
			invalid("was altered")
		}
		q.Since = time.Unix(seconds, 0).UTC()
	}
	if len(parts) > 2 {
		q.Field = parts[2]
	}
	switch {
	case asked.Field != "" && !strings.EqualFold(asked.Field, q.Field):
		invalid("was made with another field")
	case !asked.Since.IsZero() && asked.Since.Unix() != q.Since.Unix():
		invalid("was made with another since")
	}
	return q
}

// historyCursor leads to what follows an entry.
func historyCursor(last history.HistoryEntry, q history.HistoryQuery) string {
	since := ""
	if !q.Since.IsZero() {
		since = strconv.FormatInt(q.Since.Unix(), 36)
	}
	return strings.TrimRight(last.Key()+"~"+since+"~"+q.Field, "~")
}

// A historyCall is one call of issues_history.
type historyCall struct {
	args *tools.Args
	*history.History
	query history.HistoryQuery
}

// answer reads a page, as many rows as fit.
func (c historyCall) answer(limit int) (tools.Result, error) {
	rows, next, err := c.rows(limit)
	if err != nil {
		return tools.Result{}, err
	}
	const wideRow = 600 // bytes
	list := answer.List{Member: "history", Wide: wideRow, Rows: make([]answer.Row, len(rows))}
	for i := range rows {
		list.Rows[i] = rows[i].row()
	}
	list.Narrow = func(i int) (answer.Row, bool) {
		ok := rows[i].narrow()
		return rows[i].row(), ok
	}
	list.Around = func(n int) answer.Around {
		a := historyAnswer{ID: documents.ShortID(c.ID(), c.Path()), Path: c.Path(), History: []historyRow{}}
		more := ""
		switch {
		case n < len(rows):
			a.NextCursor = historyCursor(rows[n-1].entry, c.query)
		case next != nil:
			a.NextCursor = historyCursor(*next, c.query)
		}
		if a.NextCursor != "" {
			more = fmt.Sprintf("Older changes follow. Pass the id and cursor '%s' to see them.", a.NextCursor)
		}
		a.Note = sentences(append([]string{more}, documents.HistoryNotes(c.History, more == "", n, c.query.Field)...)...)
		head := sentences(fmt.Sprintf("History of %s, newest first.", documents.Name(a.ID)), a.Note) + "\npath: " +
			documents.PathText(a.Path)
		return answer.Around{Head: head, More: more, Object: marshalled(a)}
	}
	return c.args.List(&list), nil
}

// rows reads at most limit rows. next is the entry that the next page goes on after, nil
// where nothing follows.
func (c historyCall) rows(limit int) (rows []historyRow, next *history.HistoryEntry, err error) {
	rows = []historyRow{}
	for e, err := range c.Entries(c.query) {
		switch {
		case errors.Is(err, history.ErrUnknownKey):
			return nil, nil, tools.Errorf(tools.CodeInvalidCursor,
				"The cursor leads to no entry of this history: it is another issue's, or the commits were made anew since.").
				On("cursor").Try("Start again without a cursor.")
		case errors.Is(err, history.ErrEnough):
			return rows, &e, nil
		case err != nil:
			return nil, nil, err
		case len(rows) == limit:
			return rows, &rows[limit-1].entry, nil
		}
		rows = append(rows, newHistoryRow(e))
	}
	return rows, nil, nil
}

func newHistoryRow(e history.HistoryEntry) historyRow {
	row := historyRow{
		Time: documents.Stamp(e.Time.Truncate(time.Second)), Author: words.Cut(tools.Line(e.Author), narrowWord),
		Commit: uncommitted, Merge: e.Merge, Event: string(e.Event), entry: e,
	}
	if e.Commit != "" {
		row.Commit = history.ShortCommit(e.Commit)
	}
	row.Changes = documents.HistoryChanges(e, historyLevels[0].length, historyLevels[0].changes)
	return row
}

// narrow shows less of the changes, and reports whether it did.
func (r *historyRow) narrow() bool {
	if r.level+1 == len(historyLevels) {
		return false
	}
	r.level++
	r.Changes = documents.HistoryChanges(r.entry, historyLevels[r.level].length, historyLevels[r.level].changes)
	return true
}

// row is the row on one line.
func (r historyRow) row() answer.Row {
	parts := []string{r.Time, r.Commit}
	if r.Author != "" {
		parts = append(parts, r.Author)
	}
	if r.Merge {
		parts = append(parts, "(merge)")
	}
	says := r.Changes
	if r.Event != "" {
		says = append([]string{r.Event}, says...)
	}
	row := answer.Row{Text: strings.Join(parts, " ") + ": " + strings.Join(says, "; "), Object: marshalled(r)}
	if r.level > 0 {
		row.Omitted = "changes"
	}
	return row
}
