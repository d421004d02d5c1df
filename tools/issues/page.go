package issues

import (
	"bytes"
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

const (
	// fullLimit is the most documents of a page, with their text, when no limit
	// is given.
	fullLimit = 10

	// repeatAfter is the size of a text, in bytes, from which it says at its end
	// too how to go on: hosts cut the middle out of long answers.
	repeatAfter = 2000
)

// A listAnswer answers issues_list and issues_search.
type listAnswer struct {
	Issues     []json.RawMessage `json:"issues"` // issueRow or fullRow
	TotalCount int               `json:"totalCount"`
	NextCursor string            `json:"nextCursor,omitempty"`
	Note       string            `json:"note,omitempty"`
}

// A listRows renders the rows of a page: a line each, or whole documents.
type listRows struct {
	rows   []renderedRow
	full   bool       // rows are whole documents, in marks
	wide   int        // bytes: a row that takes more is narrowed before rows are left out
	unread int        // bytes of what was never held in memory, since it cannot fit
	header listHeader // says what the rows leave out
	empty  string     // what to say when there are no rows

	// narrow leaves out the next thing that a row can do without, false when there is
	// no such thing.
	narrow func(row int) (renderedRow, bool)
	// cutToPrice shortens the rows until the page keeps to its price. It is nil where
	// rows have no price.
	cutToPrice func()
}

// A renderedRow is a row as it stands in both channels. The object of a document that
// went away since the index was read is nil.
type renderedRow struct {
	text    string  // a line, or a line for each field of a whole document
	body    *string // of a whole document, nil when it is not shown
	object  json.RawMessage
	mark    int    // bytes of the mark that the text and the body need
	omitted string // what the row leaves out to fit
}

// size includes what stands between rows, but for marks.
func (r renderedRow) size() answer.Space {
	if r.object == nil {
		return answer.Space{}
	}
	size := answer.SpaceOf(r.text, r.object).Plus(answer.Space{Text: 1, Object: 1})
	if r.body != nil {
		size.Text += len("\n\n") + len(*r.body)
		size.Lines += 2 + strings.Count(*r.body, "\n")
	}
	return size
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
func page[A any](ctx context.Context, ix *index.Index, args *tools.Args, asked A, q index.Query, size int, render func(A, index.Page) (*listRows, error)) (tools.Result, error) {
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
		if other := differing(args, q.View, p.Query.View); q.Cursor != "" && other != "" {
			return 0, tools.Errorf(tools.CodeInvalidCursor, "Cursor %s was made with another %s.", tools.Quote(q.Cursor), other).
				On("cursor").Try("Pass the cursor alone to go on, or call %s again without a cursor.", q.Scope)
		}
		var then A
		if err := json.Unmarshal([]byte(p.Query.View), &then); err != nil {
			return 0, fmt.Errorf("remember the arguments: %w", err)
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
	r := rows.result(p)
	r.Original = original
	// A page that ends where the call asked it to end is as it was asked for.
	if p.Next != "" && (len(p.Rows) < found || !limited || q.Cursor != "") {
		r.Outcome = tools.OutcomePaginated
	}
	if omissions(rows.rows[:len(p.Rows)]) != "" {
		r.Outcome = r.Outcome.With(tools.OutcomeSummarized)
	}
	return r, nil
}

// fit returns how many rows of the page fit. original is the size that the whole page
// would have had, 0 when it fits.
func (l *listRows) fit(args *tools.Args, p index.Page) (n, original int) {
	room := args.Room()
	fit := answer.Rows{
		Sizes: make([]answer.Space, len(l.rows)), Room: room, Flags: args.Budget().Flags, Wide: l.wide,
		Around: func(n int) answer.Space { return l.around(p.First(n), room) },
		Narrow: func(i int) (answer.Space, bool) {
			row, ok := l.narrow(i)
			if ok {
				l.rows[i] = row
			}
			return row.size(), ok
		},
	}
	measure := func() {
		for i, r := range l.rows {
			fit.Sizes[i] = r.size()
		}
	}
	measure()
	fits := l.unread == 0 && len(l.rows) == len(p.Rows)
	whole, b := fit.Total(len(l.rows)), args.Budget()
	if !fits || !whole.In(room) {
		original = whole.Larger() + l.unread
	}
	// A small page is the same under any settings. A large one is shown as it is where
	// nothing may be cut.
	small := original == 0 && whole.Larger() <= b.Bytes
	if l.cutToPrice != nil && (small || original > 0 && b.Summarization) {
		if original > 0 {
			fit.NarrowWide()
		}
		l.cutToPrice()
		measure()
	}
	return fit.Fit(), original
}

// around returns the size of a page without its rows.
func (l *listRows) around(p index.Page, room answer.Space) answer.Space {
	text, object := l.head(p)
	size := answer.SpaceOf(text, marshalled(object))
	if more := after(p); more != "" && room.Text > repeatAfter {
		size = size.Plus(answer.Space{Text: len(more) + 1, Lines: 1})
	}
	if l.full {
		marks := 2*markOf(l.rows[:len(p.Rows)]) + len("\n \n")
		size = size.Plus(answer.Space{Text: marks * (len(p.Rows) + 1), Lines: 2 * len(p.Rows)})
	}
	return size
}

// head returns what stands above the rows (what was found, how to go on, what the rows
// leave out) and the object without its rows.
func (l *listRows) head(p index.Page) (string, listAnswer) {
	rows := l.rows[:len(p.Rows)]
	shown := 0
	for _, r := range rows {
		if r.object != nil {
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
	return text, listAnswer{Issues: []json.RawMessage{}, TotalCount: p.Total, NextCursor: p.Next, Note: note}
}

// totalOf is how many items match, as far as that was counted.
func totalOf(p index.Page) string {
	if p.AtLeast {
		return fmt.Sprintf("%d or more", p.Total)
	}
	return strconv.Itoa(p.Total)
}

// result writes the page for both channels.
func (l *listRows) result(p index.Page) tools.Result {
	head, object := l.head(p)
	rows := slices.DeleteFunc(slices.Clone(l.rows[:len(p.Rows)]), func(r renderedRow) bool { return r.object == nil })
	text := strings.Builder{}
	text.WriteString(head)
	objects := make([][]byte, len(rows))
	for i, r := range rows {
		objects[i] = r.object
		if !l.full {
			text.WriteString("\n" + r.text)
		}
	}
	result := tools.Result{Items: len(p.Rows)}
	if l.full && len(rows) > 0 {
		var documents string
		documents, result.Mark = inMarks(rows)
		text.WriteString("\n" + documents)
	}
	result.Text = text.String()
	if more := after(p); len(result.Text) > repeatAfter && p.Next != "" {
		result.Text = result.Mark.End(result.Text) + "\n" + more
	}
	result.Structured = withIssues(marshalled(object), bytes.Join(objects, []byte(",")))
	return result
}

// withIssues puts issues, which are JSON already, into an object that begins without any.
func withIssues(object json.RawMessage, issues []byte) json.RawMessage {
	const begin = `{"issues":[`
	return slices.Concat(object[:len(begin)], issues, object[len(begin):])
}

// omissions says what the rows leave out to fit and how to get it, "" for nothing.
func omissions(rows []renderedRow) string {
	counts := make(map[string]int)
	for _, r := range rows {
		if r.omitted == "" {
			continue
		}
		for thing := range strings.SplitSeq(r.omitted, ", ") {
			thing, _, _ = strings.Cut(thing, " (")
			counts[thing]++
		}
	}
	if len(counts) == 0 {
		return ""
	}
	var things []string
	for _, thing := range slices.Sorted(maps.Keys(counts)) {
		things = append(things, fmt.Sprintf("%s (%d)", thing, counts[thing]))
	}
	return "Omitted to fit, and in how many: " + strings.Join(things, ", ") + ". issues_get reads them."
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
