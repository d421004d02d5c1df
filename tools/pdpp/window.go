package pdpp

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"issues-index/tools"
)

const codeWindowSelector tools.Code = "invalid_field_window_selector"

// What a window may be asked for, in characters: those of the RS.
const (
	defaultWindow = 4096
	maxWindow     = 16384
	maxAround     = 8192
)

// A selector says which part of a text field is wanted: so many characters from an
// offset on, or those around the first place where q stands.
type selector struct {
	field         string
	q             string
	offset, limit int
	before, after int // -1 when not given
}

// readWindow reads the arguments of a window; its field is "" when none is wanted.
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

// query is the window as the RS is asked for it.
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

// A fieldWindow is what the RS answers.
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

// window reads a part of a text field; one that does not fit is asked for again, with
// fewer characters, so that what the RS says of it stays true.
func (c *Client) window(ctx context.Context, args *tools.Args, h handle, s selector) (tools.Result, error) {
	whole, before := 0, 0
	for {
		a, err := c.get(ctx, h.path()+"/field-window", s.query(h.connection))
		if err != nil {
			return tools.Result{}, err
		}
		r, shown := c.windowed(h, s, a)
		if whole > 0 {
			r.Outcome, r.Original = tools.OutcomeChunked, whole
		}
		notice := before == 0 || shown < before // a server may take none of it
		if args.Fits(r) || shown < 2 || !notice || !args.Budget().Chunking {
			return r, nil
		}
		before = shown
		whole = max(whole, r.Size())
		s = s.smaller(shown, r.Size(), args.Budget().Bytes)
	}
}

// smaller is a selector for less than the characters that were shown.
func (s selector) smaller(shown, size, room int) selector {
	fewer := max(1, min(shown/2+1, shown*room*9/10/max(size, 1)))
	if s.q == "" {
		s.limit = min(fewer, shown-1)
		return s
	}
	// Around a match, what is before it gives way no less than what follows.
	const byDefault = 2048
	if s.before < 0 {
		s.before = byDefault
	}
	if s.after < 0 {
		s.after = byDefault
	}
	if s.before+s.after == 0 {
		s.q, s.limit = "", shown-1
		return s
	}
	s.before, s.after = s.before/2, s.after/2
	return s
}

// windowed shows a window, and returns how many characters it has.
func (c *Client) windowed(h handle, s selector, a *response) (tools.Result, int) {
	var w fieldWindow
	read(a.Body, &w)
	doc := document{ID: h.String(), Title: h.title() + " " + s.field, URL: strings.TrimRight(c.provider, "/") + h.path(), envelope: c.envelope(a)}
	text := fmt.Sprintf("Field %s of %s: characters %d to %d of %d.", escaped(s.field), doc.ID, w.Window.Start, w.Window.End, w.Window.Total)
	switch {
	case w.Window.Complete:
		text += " That is all of it."
	case w.Window.Next != nil && *w.Window.Next > w.Window.Start:
		call := object([]member{{"id", encode(doc.ID)}, {"field", encode(s.field)},
			{"offset_chars", encode(*w.Window.Next)}, {"limit_chars", encode(max(1, w.Window.End-w.Window.Start))}})
		doc.Note = fmt.Sprintf("Next: fetch %s", inLine(call))
	case w.Window.Start > 0:
		doc.Note = "It ends here; offset_chars 0 reads it from its beginning."
	}
	if doc.Note != "" {
		text += " " + doc.Note
	}
	text, mark := fenced([]string{text}, nil, []tools.Field{{Name: s.field, Text: w.Window.Text}})
	return tools.Result{Text: text, Mark: mark, Structured: doc, Items: 1, Outcome: outcomeOf(w)}, w.Window.End - w.Window.Start
}

func outcomeOf(w fieldWindow) tools.Outcome {
	if w.Window.Complete {
		return tools.OutcomePlain
	}
	return tools.OutcomeChunked
}
