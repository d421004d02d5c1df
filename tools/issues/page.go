package issues

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"issues-index/index"
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

// A listing answers issues_list and issues_search.
type listing struct {
	Issues     []any  `json:"issues"` // row or wholeRow
	TotalCount int    `json:"totalCount"`
	NextCursor string `json:"nextCursor,omitempty"`
	Note       string `json:"note,omitempty"`
}

// turn answers with a page of q, of size rows unless q or the call says otherwise and
// of no more than there is room for. asked holds the call's arguments, read,
// under their names; it travels with the cursor. With a cursor the query is the
// cursor's own, and an argument given beside it must say what it said then; only
// the limit may be another. show makes the form that was asked for.
func turn[A any](ctx context.Context, ix *index.Index, args *tools.Args, asked A, q index.Query, size int, show func(A, index.Page) (form, error)) (tools.Result, error) {
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
	var f form
	var failed error
	var original int
	var cut bool
	open := func(p index.Page) {
		var then A
		if failed = json.Unmarshal([]byte(p.Query.View), &then); failed == nil {
			f, failed = show(then, p)
		}
	}
	q.Keep = func(p index.Page) (rows int) {
		if open(p); failed != nil {
			return len(p.Rows)
		}
		rows, original = keep(args, f, p)
		cut = rows < len(p.Rows)
		return rows
	}
	p, err := ix.Find(ctx, q)
	if err != nil {
		return tools.Result{}, err
	}
	if other := differing(args, q.View, p.Query.View); q.Cursor != "" && other != "" {
		return tools.Result{}, tools.Errorf(tools.CodeInvalidCursor, "Cursor %s was made with another %s.", tools.Quote(q.Cursor), other).
			On("cursor").Try("Pass the cursor alone to go on, or call %s again without a cursor.", q.Scope)
	}
	if f == nil && failed == nil { // no rows
		open(p)
	}
	if failed != nil {
		return tools.Result{}, fmt.Errorf("show a page: %w", failed)
	}
	r := f.show(p)
	r.Outcome, r.Original, r.Items = outcome(f, p, cut || !limited || q.Cursor != ""), original, len(p.Rows)
	return r, nil
}

// cursor is the cursor to go on from, "" for a first page.
func cursor(args *tools.Args) string { return strings.TrimSpace(args.String("cursor")) }

// differing names the first argument given now that is not what it was then.
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

// more says how to go on, "" on the last page.
func more(p index.Page) string {
	if p.Next == "" && p.Unkept == "" {
		return ""
	}
	return goOn(p.Remaining, p.Next, p.Unkept)
}

// A legend says what rows leave out.
type legend struct {
	priority bool   // the usual priority; in both channels a priority not shown is that
	day      string // the day of the update that most rows share
}

func (l legend) String() string {
	switch {
	case l.priority && l.day != "":
		return fmt.Sprintf("Priority is %s, updated %s unless shown.", usual, l.day)
	case l.priority:
		return fmt.Sprintf("Priority is %s unless shown.", usual)
	case l.day != "":
		return fmt.Sprintf("Updated %s unless shown.", l.day)
	}
	return ""
}

// listResult is a page in both channels: its items as they are and as text, under a
// first line that says what was found, how to go on and what the items leave
// out, as usual and, by omitted, to fit. empty says what to try when there are
// none. mark is that of whole documents in the texts.
func listResult(p index.Page, items []any, texts []string, mark answer.Mark, said legend, omitted, empty string) tools.Result {
	first := fmt.Sprintf("Showing %d of %d issues.", len(items), p.Total)
	note := sentences(more(p), omitted)
	switch {
	case len(items) == 0 && p.Total > 0:
		first = fmt.Sprintf("No issues here: the page is past the end of %d. Start again without cursor and offset.", p.Total)
		note = first
	case len(items) == 0:
		first, note = empty, empty
	case said.day != "":
		note = sentences(note, legend{day: said.day}.String())
	}
	text := strings.Join(append([]string{sentences(first, more(p), omitted, said.String())}, texts...), "\n")
	if len(text) > repeatAfter && p.Next != "" {
		text = mark.End(text) + "\n" + more(p)
	}
	return tools.Result{Text: text, Mark: mark, Structured: listing{
		Issues: items, TotalCount: p.Total, NextCursor: p.Next, Note: note,
	}}
}

// sentences joins those that there are.
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " ")
}
