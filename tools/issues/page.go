package issues

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"issues-index/index"
	"issues-index/store/orderedjson"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// fullLimit is the most documents of a page, with their text, when no limit is given.
const fullLimit = 10

// A listAnswer answers issues_list and issues_search.
type listAnswer struct {
	Issues     []json.RawMessage `json:"issues"` // issueRow or fullRow
	TotalCount int               `json:"totalCount"`
	NextCursor string            `json:"nextCursor,omitempty"`
	Note       string            `json:"note,omitempty"`
}

// A listRows is a page of rows: a line each, or whole documents.
type listRows struct {
	answer.List
	header listHeader // says what the rows leave out
	empty  string     // what to say when there are no rows

	// render renders the rows, which take no more than takes says; cutToPrice shortens them before,
	// until the page keeps to its price. All are nil where rows have no price, and are rendered already.
	takes              func() answer.Space
	cutToPrice, render func()
}

// A listHeader says once what rows leave out.
type listHeader struct {
	priority string   // the usual one, "" when rows show theirs; in both channels a priority not shown is that
	day      string   // the day of the update that most rows share
	without  []string // what no row shows, since the page would be too dear
}

func (h listHeader) String() string {
	var usual, without string
	switch {
	case h.priority != "" && h.day != "":
		usual = fmt.Sprintf("Priority is %s, updated %s unless shown.", h.priority, h.day)
	case h.priority != "":
		usual = fmt.Sprintf("Priority is %s unless shown.", h.priority)
	case h.day != "":
		usual = fmt.Sprintf("Updated %s unless shown.", h.day)
	}
	if len(h.without) > 0 {
		without = "Left out: " + strings.Join(h.without, ", ") + "; issues_get shows them."
	}
	return sentences(usual, without)
}

// page answers with a page of q: size rows, unless q or the call says otherwise, and no
// more than fit. asked holds the call's arguments and is stored with the cursor. With a
// cursor, the query is the stored one, and the arguments beside the cursor must be the
// stored ones, too. Only the limit may change.
func page[A any](ctx context.Context, ix *index.Index, args *tools.Args, asked A, q index.Query, size int,
	render func(A, index.Page) (*listRows, error)) (tools.Result, error) {
	q.Cursor = cursor(args)
	most := args.Settings().MaxPageSize
	limited := q.Limit > 0 || args.Has("limit")
	switch {
	case q.Limit > 0:
		size = q.Limit
	case q.Cursor != "":
		size = 0 // that of the page before
	}
	q.Limit = args.AtMost("limit", most, min(size, most))
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	view, err := json.Marshal(asked)
	if err != nil {
		return tools.Result{}, fmt.Errorf("remember the arguments: %w", err)
	}
	q.View = string(view)
	var rows *listRows
	var found, original int
	p, err := ix.FindCut(ctx, q, func(p index.Page) (n int, err error) {
		then := asked
		if q.Cursor != "" {
			if other := differing(args, q.View, p.Query.View); other != "" {
				return 0, tools.
					Errorf(tools.CodeInvalidCursor, "Cursor %s was made with another %s.", tools.Quote(q.Cursor), other).
					On("cursor").Try("Pass the cursor alone to go on, or call %s again without a cursor.", q.Scope)
			}
			if err := json.Unmarshal([]byte(p.Query.View), &then); err != nil {
				return 0, fmt.Errorf("remember the arguments: %w", err)
			}
		}
		if rows, err = render(then, p); err != nil {
			return 0, fmt.Errorf("show a page: %w", err)
		}
		found = len(p.Rows)
		n, original = rows.fit(args, p)
		return n, nil
	})
	if err != nil {
		return tools.Result{}, err
	}
	r := tools.Fitted(rows.write(p))
	r.Original = original
	// A page that ends where the call asked it to end is as it was asked for.
	if p.Next != "" && (len(p.Rows) < found || !limited || q.Cursor != "") {
		r.Outcome = tools.OutcomePaginated.With(r.Outcome)
	}
	return r, nil
}

// fit returns how many rows of the page fit. original is the size that the whole page
// would have had, 0 when it fits.
func (l *listRows) fit(args *tools.Args, p index.Page) (n, original int) {
	room, b := args.Room(), args.Budget()
	l.Around = func(n int) answer.Around { return l.around(p.First(n)) }
	early := l.cutToPrice != nil && l.takes().In(room) && l.takes().Larger() <= b.Bytes
	if early { // which is what nearly every page is, whose rows are then rendered once
		l.cutToPrice()
	}
	if l.render != nil {
		l.render()
	}
	n, whole := l.Fit(room, b.Flags)
	if !whole.In(room) {
		original = whole.Larger()
	}
	// A small page is the same under any settings. A large one is shown as it is where nothing
	// may be cut.
	if l.cutToPrice != nil && !early && (original == 0 && whole.Larger() <= b.Bytes || original > 0 && b.Summarization) {
		l.cutToPrice()
		l.render()
		n, _ = l.Fit(room, b.Flags)
	}
	return n, original
}

// write writes the page.
func (l *listRows) write(p index.Page) answer.Fitted {
	l.Around = func(int) answer.Around { return l.around(p) }
	return l.Write(len(p.Rows))
}

// around is what stands above the rows (what was found, how to go on, what the rows leave out)
// and the object without its rows.
func (l *listRows) around(p index.Page) answer.Around {
	rows := l.Rows[:len(p.Rows)]
	shown := 0
	for _, r := range rows {
		if r.Object != nil {
			shown++
		}
	}
	more, omitted := after(p), omissions(rows)
	text := sentences(fmt.Sprintf("Showing %d of %s issues.", shown, totalOf(p)), more, omitted, l.header.String())
	note := sentences(more, omitted, listHeader{day: l.header.day, without: l.header.without}.String())
	switch {
	case shown == 0 && p.Total > 0:
		text = fmt.Sprintf("No issues here: the page is past the end of %d. Start again without cursor and offset.", p.Total)
		note = text
	case shown == 0:
		text, note = l.empty, l.empty
	}
	object := listAnswer{Issues: []json.RawMessage{}, TotalCount: p.Total, NextCursor: p.Next, Note: note}
	return answer.Around{Head: text, More: more, Object: marshalled(object)}
}

// totalOf is how many items match, as far as that was counted.
func totalOf(p index.Page) string {
	if p.AtLeast {
		return fmt.Sprintf("%d or more", p.Total)
	}
	return strconv.Itoa(p.Total)
}

// omissions says what the rows leave out to fit and how to get it, "" for nothing.
func omissions(rows []answer.Row) string {
	left := answer.Omissions(rows)
	if left == "" {
		return ""
	}
	return "Omitted to fit, and in how many: " + left + ". issues_get reads them."
}

// cursor returns the argument cursor, "" for a first page.
func cursor(args *tools.Args) string { return strings.TrimSpace(args.String("cursor")) }

// differing returns the name of the first argument that differs from the stored one.
func differing(args *tools.Args, now, then string) string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal([]byte(now), &a) != nil || json.Unmarshal([]byte(then), &b) != nil {
		return "query"
	}
	for _, name := range slices.Sorted(maps.Keys(args.Given())) {
		if name != "cursor" && name != "limit" && string(a[name]) != string(b[name]) {
			return name
		}
	}
	return ""
}

// after says how to see the items after a page.
func after(p index.Page) string {
	switch {
	case !p.AtLeast:
		return goOn(p.Remaining, p.Next, p.Unkept)
	case p.Unkept != "":
		return fmt.Sprintf("More items match. There is no cursor: %s. Narrow the filters.", p.Unkept)
	case p.Next != "":
		return fmt.Sprintf("More items match. Pass cursor '%s' to see next page.", p.Next)
	}
	return "More are left out."
}

// goOn says how to see the items after a page, "" when there are none. unkept says why
// there is no cursor.
func goOn(remaining int, next, unkept string) string {
	items := "items match"
	if remaining == 1 {
		items = "item matches"
	}
	switch {
	case unkept != "":
		return fmt.Sprintf("%d more %s. There is no cursor: %s. Narrow the filters.", remaining, items, unkept)
	case next != "":
		return fmt.Sprintf("%d more %s. Pass cursor '%s' to see next page.", remaining, items, next)
	case remaining > 0:
		return fmt.Sprintf("%d more are left out.", remaining)
	}
	return ""
}

// sentences joins the sentences that are not empty.
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " ")
}

// marshalled is a value of ours as JSON.
func marshalled(value any) json.RawMessage {
	object, err := orderedjson.Marshal(value)
	if err != nil { // texts, numbers and valid JSON always have a JSON form
		return json.RawMessage("{}")
	}
	return object
}
