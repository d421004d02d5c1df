package pdpp

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
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
func (c *call) readWindow() selector {
	args := c.args
	s := selector{
		field: unquoted(strings.TrimSpace(args.String("field"))), q: args.String("q"),
		offset: args.Int("offset_chars", 0, math.MaxInt32, 0), limit: args.Int("limit_chars", 1, maxWindow, defaultWindow),
		before: args.Int("before_chars", 0, maxAround, -1), after: args.Int("after_chars", 0, maxAround, -1),
	}
	given := func(names ...string) bool { return slices.ContainsFunc(names, args.Has) }
	switch {
	case s.field == "" && given("offset_chars", "limit_chars", "q", "before_chars", "after_chars"):
		c.refuse(codeWindowSelector, "field", "Pass the name of a text field as field; fetch without these reads the record.",
			"A window of one field was asked for, and no field was given.")
	case s.field != "" && given("fields", "expand", "expand_limit"):
		c.refuse(codeWindowSelector, "field", "Pass field for a window of one text, or the others for the record.",
			"field was given with fields, expand or expand_limit.")
	case s.q != "" && given("offset_chars", "limit_chars"), s.q == "" && given("before_chars", "after_chars"):
		c.refuse(codeWindowSelector, "q", "Pass offset_chars and limit_chars, or q with before_chars and after_chars.",
			"The arguments of two ways to read a window do not go together.")
	}
	return s
}

// query returns the selector as a query of the RS.
func (s selector) query(connection string) url.Values {
	query := url.Values{"field": {s.field}}
	set := func(name string, value int) { query.Set(name, strconv.Itoa(value)) }
	if connection != "" {
		query.Set("connection_id", connection)
	}
	if s.q == "" {
		set("offset_chars", s.offset)
		set("limit_chars", s.limit)
		return query
	}
	query.Set("q", s.q)
	if s.before >= 0 {
		set("before_chars", s.before)
	}
	if s.after >= 0 {
		set("after_chars", s.after)
	}
	return query
}

// window reads a part of a text field. One that does not fit is asked for again with
// fewer characters, so that what the RS says of it stays true.
func (c *call) window(ctx context.Context, h handle, s selector) (tools.Result, error) {
	whole := 0
	for before := math.MaxInt; ; {
		response, err := c.getAt(ctx, h.path()+"/field-window", s.query(h.connection))
		if err != nil {
			return tools.Result{}, err
		}
		r, shown := c.windowed(h, s, response)
		if whole > 0 {
			r.Outcome, r.Original = tools.OutcomeChunked, whole
		}
		// A server that ignores the selector would be asked for ever.
		if c.args.Fits(r) || shown < 2 || shown >= before || !c.args.Budget().Chunking {
			return r, nil
		}
		before, whole = shown, max(whole, r.Size())
		s = s.smaller(max(1, min(shown/2+1, shown*c.args.Budget().Bytes*9/10/r.Size())))
	}
}

// smaller returns a selector for at most so many characters. Around a match, both sides give way.
func (s selector) smaller(most int) selector {
	s.limit = most
	for _, side := range []*int{&s.before, &s.after} {
		if *side < 0 || *side > most/2 {
			*side = most / 2
		}
	}
	return s
}

// windowed shows a window and returns how many characters it has.
func (c *call) windowed(h handle, s selector, response *rsResponse) (r tools.Result, shownChars int) {
	var of struct {
		Window struct {
			Text     string `json:"text"`
			Start    int    `json:"start_chars"`
			End      int    `json:"end_chars"`
			Total    int    `json:"total_chars"`
			Complete bool   `json:"complete"`
			Next     int    `json:"next_offset_chars"`
		} `json:"window"`
	}
	read(response.Body, &of)
	w := of.Window
	doc := document{result{h.String(), h.title() + " " + s.field, c.address(h.path())}, c.envelope(response)}
	text := fmt.Sprintf("Field %s of %s: characters %d to %d of %d.", shown(s.field), shown(doc.ID), w.Start, w.End,
		w.Total)
	switch {
	case w.Complete:
		text += " That is all of it."
	case w.Next > w.Start:
		doc.Note = "Next: " + callOf("fetch", "id", doc.ID, "field", s.field,
			"offset_chars", w.Next, "limit_chars", max(1, w.End-w.Start))
	case w.Start > 0:
		doc.Note = "It ends here; offset_chars 0 reads it from the start."
	}
	text, mark := fenced([]string{strings.TrimSpace(text + " " + doc.Note)}, nil, []tools.TextField{{Name: s.field,
		Text: w.Text}})
	r = tools.Result{Text: text, Mark: mark, Structured: doc, Items: 1}
	if !w.Complete {
		r.Outcome = tools.OutcomeChunked
	}
	return r, w.End - w.Start
}
