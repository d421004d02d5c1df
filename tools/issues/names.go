package issues

import (
	"context"
	"fmt"
	"math"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// A nameCount is a label or project and how many documents have it.
type nameCount struct {
	Name  string `json:"name"`
	Count int    `json:"count,omitempty"` // absent for those of one document
}

// A namesPage is what an answer with a page of labels or projects adds.
type namesPage struct {
	TotalCount int    `json:"totalCount,omitempty"`
	NextCursor string `json:"nextCursor,omitempty"`
	Note       string `json:"note,omitempty"`
}

// listAll answers with all names, most used first, or as many as there is room for.
func (f namesField) listAll(ctx context.Context, ix *index.Index, args *tools.Args) (tools.Result, error) {
	const leastName = len(`{"name":"a","count":1},`)
	b, room := args.Budget(), args.Room()
	maxName := max(room.Bytes()/40, 75) // characters, where not all names fit
	q := index.Query{Values: f.field, Limit: math.MaxInt, Scope: "issues_" + f.plural, Cursor: cursor(args)}
	if !b.Off {
		q.Limit = max(b.Lines, room.Bytes()/leastName)
	}
	var list answer.List
	original := 0
	v, err := ix.FindCut(ctx, q, func(v index.Page) (int, error) {
		list = f.rows(v, maxName)
		list.Around = func(n int) answer.Around { return f.around(v.First(n), list.Rows[:n]) }
		n, whole := list.Fit(room, b.Flags)
		if v.Remaining > 0 || !whole.In(room) {
			original = whole.Object + leastName*v.Remaining
		}
		return n, nil
	})
	if err != nil {
		return tools.Result{}, err
	}
	if !b.Pagination && !b.Off {
		v.Next = "" // the caller did not ask for a further page
	}
	if v.Total == 0 {
		return tools.Result{Text: fmt.Sprintf("No document has %s.", f.plural), Structured: f.answer([]nameCount{})}, nil
	}
	list.Around = func(n int) answer.Around { return f.around(v, list.Rows[:n]) }
	r := tools.Fitted(list.Write(len(v.Counts)))
	r.Original = original
	switch {
	case v.Next != "":
		r.Outcome = tools.OutcomePaginated.With(r.Outcome)
	case original > 0:
		r.Outcome = tools.OutcomeSummarized
	}
	return r, nil
}

// rows lists the names of a page. Where room is short, names are cut to so many characters, and
// then to those of a narrow word.
func (f namesField) rows(v index.Page, most int) answer.List {
	list := answer.List{Member: f.plural, Rows: make([]answer.Row, len(v.Counts)), Wide: most + 50}
	for i, c := range v.Counts {
		list.Rows[i] = nameCount{c.Value, c.Count}.row(c.Value)
	}
	list.Narrow = func(i int) (answer.Row, bool) {
		c, now := v.Counts[i], list.Rows[i]
		for _, width := range []int{most, narrowWord} {
			if row := (nameCount{words.Cut(c.Value, width), c.Count}).row(c.Value); len(row.Text) < len(now.Text) {
				return row, true
			}
		}
		return now, false
	}
	return list
}

// row is the name as a row: the count comes first in the text, since names may hold spaces. whole
// is the name as it was before it was cut.
func (n nameCount) row(whole string) answer.Row {
	row := answer.Row{Text: fmt.Sprintf("%d %s", n.Count, words.OneLine(n.Name)), Object: marshalled(n)}
	if n.Name != whole {
		row.Omitted = "name"
	}
	return row
}

// around is what a page of names says above them, and its members beside the names.
func (f namesField) around(v index.Page, rows []answer.Row) answer.Around {
	var page namesPage
	more, cut := "", ""
	first := fmt.Sprintf("%d %s, each with its number of documents:", v.Total, f.plural)
	if len(v.Counts) < v.Total {
		first = fmt.Sprintf("Showing %d of %d %s, each with its number of documents.", len(v.Counts), v.Total, f.plural)
		page.TotalCount, page.NextCursor = v.Total, v.Next
		more = goOn(v.Remaining, v.Next, v.Unkept)
	}
	if answer.Omissions(rows) != "" {
		cut = "Long names are cut."
	}
	page.Note = sentences(more, cut)
	object := f.answer([]nameCount{})
	object.namesPage = page
	return answer.Around{Head: sentences(first, page.Note), More: more, Object: marshalled(object)}
}

// ownNames are the labels or the project of one document.
func ownNames(names ...string) []nameCount {
	counts := []nameCount{}
	for _, name := range names {
		if name != "" {
			counts = append(counts, nameCount{Name: name})
		}
	}
	return counts
}

// joined lists names in a line.
func joined(names []nameCount) string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = n.Name
	}
	return documents.OrNone(words.OneLine(strings.Join(texts, ", ")))
}
