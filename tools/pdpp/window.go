package pdpp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

const codeWindowSelector tools.Code = "invalid_field_window_selector"

// Limits of a window, in characters, as the RS has them.
const (
	defaultWindow = 4096
	maxWindow     = 16384
	maxAround     = 8192
)

// checkWindow refuses arguments of a window of a text field that do not go together.
func checkWindow(c *call) {
	given := func(names ...string) bool { return slices.ContainsFunc(names, c.args.Has) }
	switch field := given("field"); {
	case !field && given("offset_chars", "limit_chars", "q", "before_chars", "after_chars"):
		c.refuse(codeWindowSelector, "field", "Pass the name of a text field as field; fetch without these reads the record.",
			"A window of one field was asked for, and no field was given.")
	case field && given("fields", "expand", "expand_limit"):
		c.refuse(codeWindowSelector, "field", "Pass field for a window of one text, or the others for the record.",
			"field was given with fields, expand or expand_limit.")
	case given("q") && given("offset_chars", "limit_chars"), !given("q") && given("before_chars", "after_chars"):
		c.refuse(codeWindowSelector, "q", "Pass offset_chars and limit_chars, or q with before_chars and after_chars.",
			"The arguments of two ways to read a window do not go together.")
	case field && !given("q", "limit_chars"):
		c.query.Set("limit_chars", strconv.Itoa(defaultWindow))
	}
}

// window reads a part of a text field. One that does not fit is asked for again with fewer
// characters, around a match on both sides, so that what the RS says of it stays true.
func (c *call) window(ctx context.Context, h handle) (tools.Result, error) {
	whole := 0
	for before := math.MaxInt; ; {
		response, err := c.getAt(ctx, h.path()+"/field-window", c.query)
		if err != nil {
			return tools.Result{}, err
		}
		r, shown := c.windowed(h, response)
		if whole > 0 {
			r.Outcome, r.Original = tools.OutcomeChunked, whole
		}
		// A server that ignores the selector would be asked for ever.
		if c.args.Fits(r) || shown < 2 || shown >= before || !c.args.Budget().Chunking {
			return r, nil
		}
		before, whole = shown, max(whole, r.Size())
		sides, most := []string{"limit_chars"}, max(1, min(shown/2+1, shown*c.args.Budget().Bytes*9/10/r.Size()))
		if c.query.Has("q") {
			sides, most = []string{"before_chars", "after_chars"}, most/2
		}
		for _, name := range sides {
			if now, err := strconv.Atoi(c.query.Get(name)); err != nil || now > most {
				c.query.Set(name, strconv.Itoa(most))
			}
		}
	}
}

// windowed shows a window and returns how many characters it has.
func (c *call) windowed(h handle, response *rsResponse) (r tools.Result, shownChars int) {
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
	w, field := of.Window, c.query.Get("field")
	doc := document{result{h.String(), h.title() + " " + field, c.address(h.path())}, c.envelope(response)}
	text := fmt.Sprintf("Field %s of %s: %d of %s, from character %d on.", shown(field), shown(doc.ID), w.End-w.Start,
		words.Count(w.Total, "character"), w.Start)
	switch {
	case w.Complete:
		text += " That is all of it."
	case w.Next > w.Start:
		doc.Note = "Next: " + callOf("fetch", "id", doc.ID, "field", field,
			"offset_chars", w.Next, "limit_chars", max(1, w.End-w.Start))
	case w.Start > 0:
		doc.Note = "It ends here; offset_chars 0 reads it from the start."
	}
	r = tools.Result{Structured: doc, Items: 1}
	lines := []string{strings.TrimSpace(text + " " + doc.Note)}
	r.Text, r.Mark = fenced(lines, nil, []tools.TextField{{Name: field, Text: w.Text}})
	if !w.Complete {
		r.Outcome = tools.OutcomeChunked
	}
	return r, w.End - w.Start
}
