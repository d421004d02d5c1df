package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
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

// A rowList is a list on its way to an answer.
type rowList struct {
	answer.List
	*call
	view    listView
	page    *list
	results []result           // of the rows that fetch takes
	data    [2]json.RawMessage // the answer of the RS without its rows, and without its cursor, too
	left    missing
}

// rows shows a list in both channels.
func (c *call) rows(v listView, p *list) *rowList {
	l := &rowList{call: c, view: v, page: p}
	body := members(p.response.Body)
	body.Put("data", json.RawMessage("[]"))
	l.data = [2]json.RawMessage{encode(body), without(encode(body), "next_cursor", "links")}
	shown := make([]row, len(p.Rows))
	l.Member, l.Asked, l.Wide, l.Around = "data", true, math.MaxInt, l.around
	for i, raw := range p.Rows {
		shown[i] = c.row(v, raw)
		l.Rows = append(l.Rows, answer.Row{Text: strings.TrimSpace(shown[i].name + " " + shown[i].text), Object: raw})
		l.results = append(l.results, shown[i].result)
	}
	l.Narrow = func(i int) (answer.Row, bool) {
		now := l.Rows[i]
		// Rows do not come down step by step to twice an equal part, which many would have to.
		room := min(l.Taken(i)*7/8, max(leastValue, 2*c.args.Budget().Bytes/(len(l.Rows)+1)))
		object := l.left.narrowed(p.Rows[i], room, v.keys)
		text := words.CutBytes(now.Text, max(room, len(shown[i].name)))
		l.results[i].Title, l.results[i].URL = "", ""
		narrower := len(object)+len(text) < len(now.Object)+len(now.Text)
		return answer.Row{Text: text, Object: object, Omitted: "fields"}, narrower
	}
	return l
}

// around is what stands around the first n rows. Where rows are left out, there is no cursor, which
// would lead past them.
func (l *rowList) around(n int) answer.Around {
	p, left := l.page, len(l.Rows)-n
	results := []result{}
	for _, r := range l.results[:n] {
		if r.ID != "" {
			results = append(results, r)
		}
	}
	first := ""
	if len(results) > 0 {
		first = results[0].ID
	}
	next := l.next(left)
	notes := append(l.left.notes(first, n, l.view.whole), next...)
	body := struct {
		envelope
		Results []result `json:"results,omitzero"`
	}{envelope: l.envelope(p.response, notes...)}
	if body.Data = l.data[min(left, 1)]; l.view.results {
		body.Results = results
	}
	head := append(append([]string{l.heading(first)}, notes...), warnings(p.Meta.Warnings)...)
	return answer.Around{Head: strings.Join(head, "\n"), Object: encode(body)}
}

// heading says what the rows are, and which of them fetch takes first.
func (l *rowList) heading(first string) string {
	heading := words.Count(len(l.Rows), l.view.thing)
	if total := l.page.Meta.Count; total.Value != "" {
		number := shown(string(total.Value))
		if total.Kind != "" && total.Kind != "exact" {
			number += " (" + shown(total.Kind) + ")"
		}
		heading = fmt.Sprintf("%d of %s %ss", len(l.Rows), number, l.view.thing)
	}
	if stream := l.names["stream"]; stream != "" {
		heading += " of " + shown(stream)
	}
	heading += "."
	if len(l.Rows) == 0 && l.view.empty != "" {
		heading += " " + l.view.empty
	}
	if first != "" {
		heading += " first_fetch_id=" + shown(first)
	}
	return heading
}

// next returns the sentences on how to go on, where so many rows are left out.
func (l *rowList) next(left int) (notes []string) {
	p := l.page
	if p.asked > 0 {
		notes = append(notes, fmt.Sprintf("The page has %s instead of %d, to fit.", words.Count(len(p.Rows)-left, "row"),
			p.asked))
	}
	switch {
	case left > 0 && p.asked == 0: // the next page would pass over them
		notes = append(notes, fmt.Sprintf("%s of this answer are left out to fit, and no next page has them: %s.",
			words.Count(left, "more row"), l.view.less))
	case p.NextCursor != "":
		// A cursor of changes goes on with them by itself; with changes_since beside it
		// the RS begins again.
		changes := map[string]any{"cursor": p.NextCursor, "changes_since": nil}
		if p.asked > 0 { // the next page would not fit either
			changes["limit"] = len(p.Rows) - left
		}
		notes = append(notes, "Next page: "+l.again(changes))
	case p.HasMore:
		notes = append(notes, "More match, but there is no cursor to them: "+l.view.more+".")
	}
	if p.NextChanges != "" && p.NextCursor == "" { // before the last page it would skip the rest
		notes = append(notes, "next_changes_since="+shown(string(p.NextChanges)))
	}
	if complete := p.Meta.Recall.Complete; complete != nil && !*complete {
		notes = append(notes, "The search did not look everywhere (recall.complete is false), so more may match.")
	}
	return notes
}

// answer asks for a list and makes it fit. It asks again for as many whole rows as fit: so
// has_more and next_cursor stay true, and no row is lost between two pages. If the list has no
// shorter page, its rows say less.
func (v listView) answer(ctx context.Context, c *call) (tools.Result, error) {
	budget, room := c.args.Budget(), c.args.Room()
	if v.byDefault > 0 && !c.query.Has("limit") && budget.Pagination && !budget.Off {
		c.query.Set("limit", strconv.Itoa(v.byDefault))
	}
	p, err := c.list(ctx)
	if err != nil {
		return tools.Result{}, err
	}
	l := c.rows(v, p)
	n, whole := l.Fit(c.roomForPage(p), answer.Flags{Pagination: true})
	// A complete list without a cursor may get one when it is asked for in pages.
	pages := !v.noPages && budget.Pagination && (p.NextCursor != "" || !p.HasMore)
	if pages && n < len(p.Rows) && !whole.In(room) {
		c.query.Set("limit", strconv.Itoa(n))
		shorter, err := c.list(ctx)
		if err != nil {
			return tools.Result{}, err
		}
		if len(shorter.Rows) < len(p.Rows) && shorter.NextCursor != "" {
			shorter.asked = len(p.Rows)
			l = c.rows(v, shorter)
		}
	}
	n, _ = l.Fit(room, answer.Flags{Pagination: budget.Summarization, Summarization: budget.Summarization})
	r := tools.Fitted(l.Write(n))
	if l.page.asked > 0 {
		r.Outcome = tools.OutcomePaginated.With(r.Outcome)
	}
	if !whole.In(room) {
		r.Original = whole.Larger()
	}
	return r, nil
}

// roomForPage is the room for the rows of a page, of which an answer says that it has fewer rows,
// and how to go on from there: complete lists get a cursor.
func (c *call) roomForPage(p *list) answer.Space {
	said := len(c.again(map[string]any{"cursor": p.NextCursor})) + 150
	if p.NextCursor == "" {
		said += 600
	}
	room := c.args.Room()
	room.Text, room.Object, room.Lines = room.Text-said, room.Object-2*said, room.Lines-2
	return room
}
