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
)

const (
	maxLimit = 100
	// defaultLimit and fullLimit are the rows of a page when no limit is given;
	// the latter for documents with their text.
	defaultLimit = 25
	fullLimit    = 10

	// separator begins each document of an answer with several whole ones.
	separator = "\n=== "

	// repeatAfter is the size of a text, in bytes, from which it says at its end
	// too how to go on: hosts cut the middle out of long answers.
	repeatAfter = 2000
)

// A listing answers issues_list and issues_search.
type listing struct {
	Issues     []any  `json:"issues"` // row or document
	TotalCount int    `json:"totalCount"`
	NextCursor string `json:"nextCursor,omitempty"`
	Note       string `json:"note,omitempty"`
}

// turn asks for a page of q, of size rows unless the call says otherwise. asked
// holds the call's arguments, read, under their names; it travels with the
// cursor. With a cursor the query is the cursor's own, asked is set to what it
// was then, and an argument given beside the cursor must say the same; only the
// limit may be another.
func turn[A any](ctx context.Context, ix *index.Index, args *tools.Args, asked *A, q index.Query, size int) (index.Page, error) {
	q.Cursor = cursor(args)
	if q.Cursor != "" {
		size = 0 // that of the page before
	}
	q.Limit = args.Int("limit", 1, maxLimit, size)
	if err := args.Err(); err != nil {
		return index.Page{}, err
	}
	view, err := json.Marshal(asked)
	if err != nil {
		return index.Page{}, fmt.Errorf("remember the arguments: %w", err)
	}
	q.View = string(view)
	p, err := ix.Find(ctx, q)
	if err != nil || q.Cursor == "" {
		return p, err
	}
	if other := differing(args, q.View, p.Query.View); other != "" {
		return p, tools.Errorf(tools.CodeInvalidCursor, "Cursor %s was made with another %s.", tools.Quote(q.Cursor), other).
			On("cursor").Try("Pass the cursor alone to go on, or call %s again without a cursor.", q.Scope)
	}
	var then A
	if err := json.Unmarshal([]byte(p.Query.View), &then); err != nil {
		return p, fmt.Errorf("recall the arguments: %w", err)
	}
	*asked = then
	return p, nil
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
	if p.Next == "" {
		return ""
	}
	items := "items match"
	if p.Remaining == 1 {
		items = "item matches"
	}
	return fmt.Sprintf("%d more %s. Pass cursor '%s' to see next page.", p.Remaining, items, p.Next)
}

// minimal answers a page of minimal rows. Where they are wide, the text cuts
// titles shorter.
func minimal(p index.Page, empty string) tools.Result {
	items, texts := make([]any, len(p.Rows)), make([]string, len(p.Rows))
	width := 0
	for i, r := range p.Rows {
		shown := minimalRow(r)
		items[i], texts[i] = shown, shown.shortText(titleLength)
		width += len(texts[i])
	}
	if width > wideMinimal*len(p.Rows) {
		for i, r := range p.Rows {
			texts[i] = minimalRow(r).shortText(shortTitle)
		}
	}
	return answer(p, items, texts, legend{}, empty)
}

// summaries answers a page of summary rows. Where they are wide, the day of the
// update that most of them share is said once.
func summaries(p index.Page, empty string) tools.Result {
	rows := make([]row, len(p.Rows))
	width := 0
	said := legend{}
	for i, r := range p.Rows {
		rows[i] = summaryRow(r)
		bare := rows[i]
		bare.Snippet = "" // asked for, at its price
		width += len(bare.text())
		said.priority = said.priority || rows[i].Priority == ""
	}
	if width > wideSummary*len(rows) {
		said.day = dropSharedDay(rows)
	}
	items, texts := make([]any, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		items[i], texts[i] = r, r.text()
	}
	return answer(p, items, texts, said, empty)
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

// answer is a page in both channels: its items as they are and as text, under a
// first line that says what was found, how to go on and what the items leave
// out. empty says what to try when there are none.
func answer(p index.Page, items []any, texts []string, said legend, empty string) tools.Result {
	first := fmt.Sprintf("Showing %d of %d issues.", len(items), p.Total)
	note := more(p)
	switch {
	case len(items) == 0 && p.Total > 0:
		first = fmt.Sprintf("No issues here: the page is past the end of %d. Start again without cursor and offset.", p.Total)
		note = first
	case len(items) == 0:
		first, note = empty, empty
	case said.day != "":
		note = sentences(note, legend{day: said.day}.String())
	}
	text := strings.Join(append([]string{sentences(first, more(p), said.String())}, texts...), "\n")
	if len(text) > repeatAfter && p.Next != "" {
		text += "\n" + more(p)
	}
	return tools.Result{Text: text, Structured: listing{
		Issues: items, TotalCount: p.Total, NextCursor: p.Next, Note: note,
	}}
}

// sentences joins those that there are.
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " ")
}
