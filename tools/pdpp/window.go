package pdpp

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"issues-index/tools"
)

const codeWindowSelector tools.Code = "invalid_field_window_selector"

// Limits of a window, in characters, as the RS has them.
const (
	defaultWindow = 4096
	maxWindow     = 16384
	maxAround     = 8192
)

// A selector says which part of a text field to read: limit characters from offset, or those
// around the first match of q.
type selector struct {
	field         string
	q             string
	offset, limit int
	before, after int // -1 when not given
}

// readWindow reads the arguments of a window; the field is "" when none is wanted.
func readWindow(args *tools.Args) selector {
	s := selector{
		field: unescaped(strings.TrimSpace(args.String("field"))), q: args.String("q"),
		offset: args.Int("offset_chars", 0, 1<<31-1, 0), limit: args.Int("limit_chars", 1, maxWindow, defaultWindow),
		before: args.Int("before_chars", 0, maxAround, -1), after: args.Int("after_chars", 0, maxAround, -1),
	}
	fail := func(argument, message, remedy string) {
		args.Fail(tools.Errorf(codeWindowSelector, "%s", message).On(argument).Try("%s", remedy))
	}
	for _, name := range []string{"offset_chars", "limit_chars", "q", "before_chars", "after_chars"} {
		if s.field == "" && args.Has(name) {
			fail("field", name+" is for a window of one field, and no field was given.", "Pass the name of a text field as field; fetch without these reads the record.")
		}
	}
	for _, name := range []string{"fields", "expand", "expand_limit"} {
		if s.field != "" && args.Has(name) {
			fail(name, "field and "+name+" were both given.", "Pass field for a window of one text, or "+name+" for the record.")
		}
	}
	around := s.before >= 0 || s.after >= 0
	switch {
	case s.q != "" && (args.Has("offset_chars") || args.Has("limit_chars")):
		fail("q", "q and offset_chars or limit_chars were both given.", "Pass offset_chars and limit_chars, or q with before_chars and after_chars.")
	case s.q == "" && s.field != "" && around:
		fail("q", "before_chars and after_chars go with q.", "Pass q, or offset_chars and limit_chars.")
	}
	return s
}

// query returns the selector as a query of the RS.
func (s selector) query(connection string) url.Values {
	query := url.Values{"field": {s.field}}
	if connection != "" {
		query.Set("connection_id", connection)
	}
	if s.q == "" {
		query.Set("offset_chars", strconv.Itoa(s.offset))
		query.Set("limit_chars", strconv.Itoa(s.limit))
		return query
	}
	query.Set("q", s.q)
	if s.before >= 0 {
		query.Set("before_chars", strconv.Itoa(s.before))
	}
	if s.after >= 0 {
		query.Set("after_chars", strconv.Itoa(s.after))
	}
	return query
}

// A fieldWindow is a window as the RS answers it.
type fieldWindow struct {
	Window struct {
		Text     string `json:"text"`
		Start    int    `json:"start_chars"`
		End      int    `json:"end_chars"`
		Total    int    `json:"total_chars"`
		Complete bool   `json:"complete"`
		HasMore  bool   `json:"has_more"`
		Next     *int   `json:"next_offset_chars"`
		Match    *int   `json:"match_start_chars"`
	} `json:"window"`
}

// window reads a part of a text field. One that does not fit is asked for again with
// fewer characters, so that what the RS says of it stays true.
func (c *Client) window(ctx context.Context, args *tools.Args, h handle, s selector) (tools.Result, error) {
	whole := 0
	for before := math.MaxInt; ; {
		response, err := c.get(ctx, h.path()+"/field-window", s.query(h.connection))
		if err != nil {
			return tools.Result{}, err
		}
		r, shown := c.windowed(h, s, response)
		if whole > 0 {
			r.Outcome, r.Original = tools.OutcomeChunked, whole
		}
		// A server that ignores the selector would be asked for ever.
		if args.Fits(r) || shown < 2 || shown >= before || !args.Budget().Chunking {
			return r, nil
		}
		before, whole = shown, max(whole, r.Size())
		s = s.smaller(shown, max(1, min(shown/2+1, shown*args.Budget().Bytes*9/10/r.Size())))
	}
}

// smaller returns a selector for fewer characters than were shown.
func (s selector) smaller(shown, fewer int) selector {
	if s.q == "" {
		s.limit = min(fewer, shown-1)
		return s
	}
	// Around a match, both sides give way.
	const byDefault = 2048
	if s.before < 0 {
		s.before = byDefault
	}
	if s.after < 0 {
		s.after = byDefault
	}
	if s.before+s.after == 0 { // the match itself is too long
		s.q, s.limit = "", shown-1
	}
	s.before, s.after = s.before/2, s.after/2
	return s
}

// windowed shows a window and returns how many characters it has.
func (c *Client) windowed(h handle, s selector, response *rsResponse) (r tools.Result, shown int) {
	var w fieldWindow
	read(response.Body, &w)
	doc := fetchedRecord{ID: h.String(), Title: h.title() + " " + s.field, URL: strings.TrimRight(c.provider, "/") + h.path(), envelope: c.envelope(response)}
	text := fmt.Sprintf("Field %s of %s: characters %d to %d of %d.", escaped(s.field), doc.ID, w.Window.Start, w.Window.End, w.Window.Total)
	switch {
	case w.Window.Complete:
		text += " That is all of it."
	case w.Window.Next != nil && *w.Window.Next > w.Window.Start:
		doc.Note = "Next: " + callOf("fetch", "id", doc.ID, "field", s.field,
			"offset_chars", *w.Window.Next, "limit_chars", max(1, w.Window.End-w.Window.Start))
	case w.Window.Start > 0:
		doc.Note = "It ends here; offset_chars 0 reads it from the start."
	}
	if doc.Note != "" {
		text += " " + doc.Note
	}
	text, mark := fenced([]string{text}, nil, []tools.TextField{{Name: s.field, Text: w.Window.Text}})
	r = tools.Result{Text: text, Mark: mark, Structured: doc, Items: 1}
	if !w.Window.Complete {
		r.Outcome = tools.OutcomeChunked
	}
	return r, w.Window.End - w.Window.Start
}
