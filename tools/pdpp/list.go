package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

// A list is a page of rows as the RS answers it.
type list struct {
	Rows        []json.RawMessage `json:"data"`
	HasMore     bool              `json:"has_more"`
	NextCursor  word              `json:"next_cursor"`
	NextChanges word              `json:"next_changes_since"`
	Meta        struct {
		Count struct {
			Kind  string `json:"kind"`
			Value word   `json:"value"`
		} `json:"count"`
		Warnings []warning `json:"warnings"`
		Recall   struct {
			Complete *bool `json:"complete"`
		} `json:"recall"`
	} `json:"meta"`

	response *rsResponse
	asked    int // rows of the page that this one takes the place of, 0 for none
	left     int // rows that are left out and that no other page has
	room     int // bytes of a row in each channel, 0 for any number
}

// A listView is how a list is shown.
type listView struct {
	thing     string   // a row is called so
	keys      []string // members of a row that are never left out; the first is its name
	records   bool     // rows are records or hits, which fetch reads by a handle
	results   bool     // the answer has results beside the data, as document clients expect them
	byDefault int      // rows to ask for unless the call says it, 0 to leave it to the RS

	// noPages says that a shorter list has other rows than the first of a longer one, or
	// no cursor to the rest.
	noPages bool

	empty string // what to do where there are no rows
	more  string // what to pass where a list has no pages
	less  string // what to pass where rows are left out
	whole string // how to get a row whole
}

// list asks the RS for a list.
func (c *call) list(ctx context.Context) (*list, error) {
	r, err := c.get(ctx)
	if err != nil {
		return nil, err
	}
	p := &list{response: r}
	if !read(r.Body, p) || p.Rows == nil {
		return nil, tools.Errorf(tools.CodeProvider, "The resource server's answer is not a list of the expected form.").
			Try("Ask the user whether %s is a PDPP resource server of a known version.", c.provider)
	}
	return p, nil
}

// first returns the list with its first rows.
func (p *list) first(rows int) *list {
	same, response := *p, *p.response
	same.Rows, same.response = p.Rows[:rows], &response
	response.Body = withRows(response.Body, same.Rows)
	return &same
}

func withRows(list json.RawMessage, rows []json.RawMessage) json.RawMessage {
	body := members(list)
	body.Put("data", encode(rows))
	return encode(body)
}

// heading says what the rows are, and which of them fetch takes first.
func (c *call) heading(v listView, p *list, first string) string {
	heading := words.Count(len(p.Rows)+p.left, v.thing)
	if total := p.Meta.Count; total.Value != "" {
		number := shown(string(total.Value))
		if total.Kind != "" && total.Kind != "exact" {
			number += " (" + shown(total.Kind) + ")"
		}
		heading = fmt.Sprintf("%d of %s %ss", len(p.Rows), number, v.thing)
	}
	if stream := c.names["stream"]; stream != "" {
		heading += " of " + shown(stream)
	}
	heading += "."
	if len(p.Rows) == 0 && v.empty != "" {
		heading += " " + v.empty
	}
	if first != "" {
		heading += " first_fetch_id=" + shown(first)
	}
	return heading
}

// notes returns the sentences on how to go on.
func (c *call) notes(v listView, p *list) (notes []string) {
	if p.asked > 0 {
		notes = append(notes, fmt.Sprintf("The page has %s instead of %d, to fit.", words.Count(len(p.Rows), "row"), p.asked))
	}
	switch {
	case p.left > 0: // the next page would pass over them
		notes = append(notes, fmt.Sprintf("%s of this answer are left out to fit, and no next page has them: %s.",
			words.Count(p.left, "more row"), v.less))
	case p.NextCursor != "":
		// A cursor of changes goes on with them by itself; with changes_since beside it
		// the RS begins again.
		changes := map[string]any{"cursor": p.NextCursor, "changes_since": nil}
		if p.asked > 0 { // the next page would not fit either
			changes["limit"] = len(p.Rows)
		}
		notes = append(notes, "Next page: "+c.again(changes))
	case p.HasMore:
		notes = append(notes, "More match, but there is no cursor to them: "+v.more+".")
	}
	if p.NextChanges != "" && p.NextCursor == "" { // before the last page it would skip the rest
		notes = append(notes, "next_changes_since="+shown(string(p.NextChanges)))
	}
	if complete := p.Meta.Recall.Complete; complete != nil && !*complete {
		notes = append(notes, "The search did not look everywhere (recall.complete is false), so more may match.")
	}
	return notes
}

// show shows a list in both channels.
func (c *call) show(v listView, p *list) tools.Result {
	var lines []string
	var left missing
	rows, results := slices.Clone(p.Rows), []result{}
	for i, raw := range p.Rows {
		r := c.row(v, raw)
		if p.room > 0 {
			rows[i] = left.narrowed(raw, p.room, v.keys)
			r.text = words.CutBytes(r.text, max(0, p.room-len(r.name)))
			r.Title, r.URL = "", ""
		}
		if r.ID != "" {
			results = append(results, r.result)
		}
		lines = append(lines, strings.TrimSpace(r.name+" "+r.text))
	}
	first := ""
	if len(results) > 0 {
		first = results[0].ID
	}
	notes := append(left.notes(first, len(rows), v.whole), c.notes(v, p)...)
	body := struct {
		envelope
		Results []result `json:"results,omitzero"`
	}{envelope: c.envelope(p.response, notes...)}
	if p.room > 0 {
		body.Data = withRows(p.response.Body, rows)
	}
	if v.results {
		body.Results = results
	}
	head := append(append([]string{c.heading(v, p, first)}, notes...), warnings(p.Meta.Warnings)...)
	return tools.Result{Text: strings.Join(append(head, lines...), "\n"), Structured: body, Items: len(p.Rows)}
}

// answer asks for a list and makes it fit. It asks again for as many whole rows as fit: so
// has_more and next_cursor stay true, and no row is lost between two pages. If the list has no
// shorter page, its rows say less.
func (v listView) answer(ctx context.Context, c *call) (tools.Result, error) {
	budget := c.args.Budget()
	if v.byDefault > 0 && !c.query.Has("limit") && budget.Pagination && !budget.Off {
		c.query.Set("limit", strconv.Itoa(v.byDefault))
	}
	p, err := c.list(ctx)
	if err != nil {
		return tools.Result{}, err
	}
	r := c.show(v, p)
	whole := r.Size()
	// A complete list without a cursor may get one when it is asked for in pages.
	pages := !v.noPages && budget.Pagination && (p.NextCursor != "" || !p.HasMore)
	if !c.args.Fits(r) && pages && len(p.Rows) > 1 {
		c.query.Set("limit", strconv.Itoa(c.fitting(v, p)))
		shorter, err := c.list(ctx)
		if err != nil {
			return tools.Result{}, err
		}
		if len(shorter.Rows) < len(p.Rows) && shorter.NextCursor != "" {
			shorter.asked = len(p.Rows)
			p, r = shorter, c.show(v, shorter)
			r.Outcome, r.Original = tools.OutcomePaginated, whole
		}
	}
	if !c.args.Fits(r) && budget.Summarization {
		r = c.narrower(v, p)
		r.Outcome, r.Original = tools.OutcomeSummarized, whole
	}
	return r, nil
}

// fitting returns how many rows of a page fit on a page of their own.
func (c *call) fitting(v listView, p *list) int {
	const cursor = 200 // bytes of one at most, which a complete list gets in three places
	fits := func(rows int) bool {
		page := p.first(rows)
		page.asked = len(p.Rows)
		if p.NextCursor == "" {
			page.NextCursor = word(strings.Repeat("c", cursor))
			body := members(page.response.Body)
			body.Put("links", encode(strings.Repeat("c", 2*cursor)))
			page.response.Body = encode(body)
		}
		return c.args.Fits(c.show(v, page))
	}
	return max(1, sort.Search(len(p.Rows)-1, func(n int) bool { return !fits(n + 1) }))
}

// narrower shows a list with less of each row. If that is too much still, it shows the first
// rows only, without the cursor, which leads past the others.
func (c *call) narrower(v listView, p *list) (r tools.Result) {
	same := *p
	for eighths := 7; eighths > 0; eighths-- {
		same.room = c.args.Budget().Bytes * eighths / 8 / max(1, len(p.Rows))
		if r = c.show(v, &same); c.args.Fits(r) || len(p.Rows) < 2 && eighths == 1 {
			return r
		}
	}
	first := func(rows int) tools.Result {
		short := same.first(rows)
		short.left = len(p.Rows) - rows
		short.response.Body = without(short.response.Body, "next_cursor", "links")
		return c.show(v, short)
	}
	return first(max(1, sort.Search(len(p.Rows)-1, func(n int) bool { return !c.args.Fits(first(n + 1)) })))
}
