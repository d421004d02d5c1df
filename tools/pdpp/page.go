package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

// A listPage is a list as the RS answers it.
type listPage struct {
	Rows        []json.RawMessage `json:"data"`
	HasMore     bool              `json:"has_more"`
	NextCursor  word              `json:"next_cursor"`
	NextChanges word              `json:"next_changes_since"`
	Links       struct {
		Next string `json:"next"`
	} `json:"links"`
	Meta struct {
		Count    json.RawMessage `json:"count"`
		Accuracy string          `json:"count_accuracy"`
		Warnings []warning       `json:"warnings"`
		Recall   struct {
			Complete *bool `json:"complete"`
		} `json:"recall"`
	} `json:"meta"`

	response *rsResponse
	previews []preview // of the rows
	asked    int       // rows of the page that this one takes the place of, 0 for none
	left     int       // rows that are left out and that no other page has
	allIDs   bool      // the text has the ids of all rows, however long it gets
}

// list asks the RS for a list.
func (c *Client) list(ctx context.Context, path string, query url.Values) (*listPage, error) {
	r, err := c.get(ctx, path, query)
	if err != nil {
		return nil, err
	}
	p := &listPage{response: r}
	if !read(r.Body, p) || p.Rows == nil {
		return nil, tools.Errorf(tools.CodeProvider, "The resource server's answer is not a list of the expected form.").
			Try("Ask the user whether %s is a PDPP resource server of a known version.", c.provider)
	}
	return p, nil
}

// first returns the page with its first rows only.
func (p *listPage) first(rows int) *listPage {
	short, response := *p, *p.response
	short.Rows, short.previews, short.response = p.Rows[:rows], p.previews[:rows], &response
	response.Body = withRows(response.Body, short.Rows...)
	return &short
}

// cursor returns the cursor of the next page, "" when there is none. Some servers have it
// only in their link to that page.
func (p *listPage) cursor() string {
	link, err := url.Parse(p.Links.Next)
	if p.NextCursor != "" || err != nil {
		return string(p.NextCursor)
	}
	return link.Query().Get("cursor")
}

// total returns the number of all rows as the RS counted it, "" when it did not.
func (p *listPage) total() string {
	var number word
	kind := p.Meta.Accuracy
	if json.Unmarshal(p.Meta.Count, &number) != nil || number == "" {
		var counted struct {
			Kind  string `json:"kind"`
			Value word   `json:"value"`
		}
		read(p.Meta.Count, &counted)
		number, kind = counted.Value, counted.Kind
	}
	switch {
	case number == "":
		return ""
	case kind == "" || kind == "exact":
		return shownWord(string(number))
	}
	return shownWord(string(number)) + " (" + shownWord(kind) + ")"
}

// What to pass where a list has no pages, and where rows of it are left out.
var (
	forMore = map[string]string{
		"search":        "pass a larger limit (at most 100), streams or a connection_id, or mode lexical, which has pages",
		"query_records": "pass a connection_id, with which there are pages, or narrow the question with a filter",
	}
	forLeft = map[string]string{
		"search":        "narrow the question, or pass mode lexical, which has pages",
		"query_records": "pass fields, so that rows are smaller, or narrow the question with a filter",
	}
)

// notes returns the sentences on how to go on.
func (p *listPage) notes(tool string, args *tools.Args) (notes []string) {
	cursor := p.cursor()
	if p.asked > 0 {
		notes = append(notes, fmt.Sprintf("The page has %s instead of %d, to fit.", words.Count(len(p.Rows), "row"), p.asked))
	}
	switch {
	case p.left > 0: // the next page would pass over them
		notes = append(notes, fmt.Sprintf("%s of this answer are left out to fit, and no next page has them: %s.", words.Count(p.left, "more row"), forLeft[tool]))
	case cursor != "":
		// A cursor of changes goes on with them by itself; with changes_since beside it
		// the RS begins again.
		changes := []any{"cursor", cursor, "changes_since", nil}
		if p.asked > 0 { // the next page would not fit either
			changes = append(changes, "limit", len(p.Rows))
		}
		notes = append(notes, "Next page: "+nextCall(tool, args, changes...))
	case p.HasMore:
		notes = append(notes, "More match, but there is no cursor to them: "+forMore[tool]+".")
	}
	if p.NextChanges != "" && cursor == "" { // before the last page it would skip the rest
		notes = append(notes, "next_changes_since="+escaped(string(p.NextChanges)))
	}
	return notes
}

// text summarizes the page: heading and notes, warnings, and a line for each row. It
// returns how many rows it has no room for.
func (p *listPage) text(tool string, args *tools.Args, heading string, notes []string) (text string, hidden int) {
	heading += "."
	id := "" // the first that can be fetched
	if i := slices.IndexFunc(p.previews, func(row preview) bool { return row.id != "" }); i >= 0 {
		id = p.previews[i].id
		heading += " first_fetch_id=" + id
	}
	head := append([]string{heading}, notes...)
	head = append(head, warnings(p.Meta.Warnings)...)
	return summarize(head, p.previews, id, p.allIDs, func(fit int) string {
		return nextCall(tool, args, "limit", fit) + " has shorter pages."
	})
}

// A listRequest is a list to ask for, and how it is shown.
type listRequest struct {
	path    string
	query   url.Values
	preview func(row json.RawMessage) preview
	// show renders a page: all of it at level 0, less of each row at each level above.
	show func(p *listPage, level int) pageView
	last int // level
	// noPages says that a shorter list has other rows than the first of a longer one, or
	// no cursor to the rest: all rows stay, and say less.
	noPages bool
}

// A pageView is a page as it is answered.
type pageView struct {
	tools.Result
	hidden int // rows of the page that the text has no room for
}

func (v pageView) fits(args *tools.Args) bool { return v.hidden == 0 && args.Fits(v.Result) }

// usualRow is what a row takes, in bytes; most take less.
const usualRow = 1250

// fitted asks for a list. If it does not fit, it asks again for as many rows as do: so
// has_more and next_cursor stay true, and no row is lost between two pages. If the list
// has no shorter page, its rows say less.
func (c *Client) fitted(ctx context.Context, args *tools.Args, l listRequest) (tools.Result, error) {
	budget := args.Budget()
	pages := !l.noPages && budget.Pagination && !budget.Off
	const byDefault = 25 // rows of a page of the RS
	if rows := max(1, budget.Bytes/usualRow); pages && !l.query.Has("limit") && rows < byDefault {
		l.query.Set("limit", strconv.Itoa(rows))
	}
	p, err := c.rows(ctx, l)
	if err != nil {
		return tools.Result{}, err
	}
	v := l.show(p, 0)
	whole := v.Size()
	// A complete list without a cursor may get one when it is asked for in pages.
	if !v.fits(args) && pages && len(p.Rows) > 1 && (p.cursor() != "" || !p.HasMore) {
		l.query.Set("limit", strconv.Itoa(l.fitting(args, p)))
		shorter, err := c.rows(ctx, l)
		if err != nil {
			return tools.Result{}, err
		}
		if len(shorter.Rows) < len(p.Rows) && shorter.cursor() != "" {
			shorter.asked = len(p.Rows)
			p, v = shorter, l.show(shorter, 0)
			v.Outcome = tools.OutcomePaginated
		}
	}
	if !v.fits(args) {
		v = l.reduced(args, p)
	}
	if v.Outcome != tools.OutcomePlain {
		v.Original = whole
	}
	return v.Result, nil
}

// rows asks for a list and makes the previews of its rows.
func (c *Client) rows(ctx context.Context, l listRequest) (*listPage, error) {
	p, err := c.list(ctx, l.path, l.query)
	if err != nil {
		return nil, err
	}
	for _, raw := range p.Rows {
		p.previews = append(p.previews, l.preview(raw))
	}
	return p, nil
}

// fitting returns how many rows of a page fit on a page of their own.
func (l listRequest) fitting(args *tools.Args, p *listPage) int {
	like := *p
	like.asked = len(p.Rows)
	if p.cursor() == "" { // the shorter page will have one, in three places
		cursor := strings.Repeat("c", 200)
		response := *p.response
		body := members(response.Body)
		body.Put("links", encode([]string{cursor, cursor}))
		response.Body = encode(body)
		like.NextCursor, like.response = word(cursor), &response
	}
	return max(1, sort.Search(len(p.Rows)-1, func(n int) bool { return !l.show(like.first(n+1), 0).fits(args) }))
}

// reduced shows a page with less of each row. If that is too much still, it shows the
// first rows only, without the cursor, which leads past the others.
func (l listRequest) reduced(args *tools.Args, p *listPage) (v pageView) {
	all := *p
	all.allIDs = true
	for level := 0; level <= l.last && (level == 0 || args.Budget().Summarization); level++ {
		v = l.show(&all, level)
		if level > 0 {
			v.Outcome = tools.OutcomeSummarized
		}
		if v.fits(args) {
			return v
		}
	}
	if len(p.Rows) <= 1 || !args.Budget().Summarization { // the server cuts it
		return v
	}
	first := func(rows int) pageView {
		short := all.first(rows)
		short.left = len(p.Rows) - rows
		short.response.Body = without(short.response.Body, "next_cursor", "links")
		return l.show(short, l.last)
	}
	v = first(max(1, sort.Search(len(p.Rows)-1, func(n int) bool { return !first(n + 1).fits(args) })))
	v.Outcome = tools.OutcomeSummarized
	return v
}

// unpaged fits a list of which the RS has no pages: it is whole if it fits, and else has as
// many of its first rows, in short, as fit.
func unpaged(args *tools.Args, rows int, show func(shown int, short bool) tools.Result) tools.Result {
	whole := show(rows, false)
	if args.Fits(whole) || !args.Budget().Summarization {
		return whole
	}
	fitting := sort.Search(rows, func(n int) bool { return !args.Fits(show(n+1, true)) })
	r := show(min(rows, max(1, fitting)), true)
	r.Outcome, r.Original = tools.OutcomeSummarized, whole.Size()
	return r
}
