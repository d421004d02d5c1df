package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"issues-index/store/orderedjson"
	"issues-index/tools/answer"
)

// A Result is a tool's answer in both channels. A host shows the model either,
// so each must be enough to go on.
type Result struct {
	Text string
	// Structured is marshalled once, to a JSON object that conforms to the
	// tool's Output. Its slices must not be nil: null is not an empty list. A
	// json.RawMessage is sent as it is.
	Structured any

	// Mark is that of a Text that shows texts of others as they are: what the server
	// adds to it stands below a mark.
	Mark answer.Mark

	// Hint says how to get what the server cuts from an answer that is too large; "" is
	// a hint made of the tool's arguments.
	Hint string

	// Outcome says how the answer was made to fit; "" is OutcomePlain.
	Outcome Outcome
	// Original is the size of the answer without a budget, in bytes of the larger
	// channel; 0 when the budget changed nothing.
	Original int
	// Items is how many documents or the like the answer holds.
	Items int
}

// An Outcome says what was done to an answer so that it fits. When two things were done
// it names both, with + between them.
type Outcome string

// With returns the outcome of an answer to which something else was done, too.
func (o Outcome) With(other Outcome) Outcome {
	switch {
	case o == "" || o == OutcomePlain:
		return other
	case other == "" || other == OutcomePlain || o.Has(other):
		return o
	}
	return o + "+" + other
}

// Has reports whether something was done, perhaps with something else.
func (o Outcome) Has(other Outcome) bool {
	return slices.Contains(strings.Split(string(o), "+"), string(other))
}

// The outcomes.
const (
	OutcomePlain      Outcome = "plain"
	OutcomePaginated  Outcome = "paginated"
	OutcomeSummarized Outcome = "summarized"
	OutcomeChunked    Outcome = "chunked"
)

// json returns Structured as JSON, and keeps that in its place.
func (r *Result) json() (json.RawMessage, error) {
	object, written := r.Structured.(json.RawMessage)
	if !written {
		var err error
		if object, err = orderedjson.Marshal(r.Structured); err != nil {
			return nil, fmt.Errorf("write structured content: %w", err)
		}
	}
	if len(object) < 2 || object[0] != '{' || written && !json.Valid(object) {
		return nil, fmt.Errorf("write structured content: %T is no JSON object", r.Structured)
	}
	r.Structured = object
	return object, nil
}

// Size is what an answer takes in bytes, in the larger of its channels.
func (r Result) Size() int {
	object, err := r.json()
	if err != nil {
		return len(r.Text)
	}
	return max(len(r.Text), len(object))
}

// Fits reports whether an answer keeps to the budget, in the channels that are sent. A
// tool makes a smaller answer when its first one does not fit, and says in it how to go
// on. The server cuts an answer that still does not fit.
func (a *Args) Fits(r Result) bool { return a.fits(&r) }

func (a *Args) fits(r *Result) bool {
	b := a.call.budget
	if b.Off {
		return true
	}
	said := a.remarks()
	if !b.Holds(a.call.output.text(r, said)) {
		return false
	}
	object, err := a.call.output.object(r, said)
	return err != nil || b.Holds(string(object)) // an answer that cannot be written fails later
}

// Smaller returns the answer at level 0 if it fits. Otherwise it makes the answer at one
// level after the other, each with less in it, until one fits or the last is reached.
func (a *Args) Smaller(last int, answer func(level int) Result) Result {
	r := answer(0)
	if !a.Budget().Summarization || a.fits(&r) {
		return r
	}
	whole := r.Size()
	for level := 1; level <= last; level++ {
		if r = answer(level); a.fits(&r) {
			break
		}
	}
	r.Outcome, r.Original = OutcomeSummarized, whole
	return r
}

// A TextField is a name and a text of others that belongs to it.
type TextField struct{ Name, Text string }

// WriteFields writes a line a field; a text of several lines stands between two marks.
// The mark is good for the lines beside the fields, too. It is "" when there is none.
func WriteFields(fields []TextField, beside ...string) (text string, mark answer.Mark) {
	texts := slices.Clone(beside)
	for _, f := range fields {
		texts = append(texts, f.Name, f.Text)
	}
	mark = answer.MarkFor(texts...)
	lines := make([]string, len(fields))
	marked := false
	for i, f := range fields {
		lines[i] = mark.Field(f.Name, f.Text)
		marked = marked || strings.HasSuffix(lines[i], "\n"+string(mark))
	}
	if !marked {
		mark = ""
	}
	return strings.Join(lines, "\n"), mark
}

// Fitted is the result of a view that was made to fit.
func Fitted(f answer.Fitted) Result {
	r := Result{Text: f.Text, Structured: f.Object, Mark: f.Mark, Items: f.Rows, Original: f.Original}
	if f.Narrowed {
		r.Outcome = OutcomeSummarized
	}
	if f.Chunked {
		r.Outcome = OutcomeChunked
	}
	return r
}

// List answers with as many rows of a list as fit. Its first page has a cursor to the rest, or a
// sentence that says how to get it, as what stands around the rows says.
func (a *Args) List(l *answer.List) Result {
	room, b := a.Room(), a.Budget()
	n, whole := l.Fit(room, b.Flags)
	r := Fitted(l.Write(n))
	if !whole.In(room) {
		r.Original = whole.Larger()
	}
	if l.Around(n).More != "" {
		r.Outcome = OutcomePaginated.With(r.Outcome)
	}
	return r
}
