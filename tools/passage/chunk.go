package passage

import (
	"strings"

	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// A Text is a long text and what it is of.
type Text struct {
	Tool string // that reads it
	Name string // of what it is the text of, for sentences
	Seal string // what tells it from other texts: cursors are bound to it
	Body string // Markdown
}

// Start is the place where the reading of an extent begins.
func (t Text) Start(x Extent) Place {
	p := Place{At: x.From}
	if x.To < len(t.Body) {
		p.Last = x.End
	}
	return p
}

// Resume returns the place that a cursor stands for, and the extent that is being
// read. What was asked for beside the cursor has to be what it was made with.
func (t Text) Resume(cursor string, asked Passage) (Extent, Place, error) {
	p, ours, current := placeOf(cursor, t.Body, t.Seal)
	switch {
	case !ours:
		return Extent{}, Place{}, tools.Errorf(tools.CodeInvalidCursor, "Cursor %s is none of %s: it was altered, or made for another document.",
			tools.Quote(cursor), t.Name).On("cursor").
			Try("Pass it with the id of the document that it came with, or call %s without a cursor to start again.", t.Tool)
	case !current:
		return Extent{}, Place{}, tools.Errorf(tools.CodeInvalidCursor, "The text of %s changed since the cursor was made.", t.Name).
			On("cursor").Try("Call %s with the id again to start over, or with startLine %d to go on from where the cursor stood.", t.Tool, p.Line)
	}
	x := Extent{Start: 1, Total: store.LineCount(t.Body), To: len(t.Body)}
	if x.End = x.Total; p.Last > 0 {
		x.End = p.Last
		x.To = len(store.Lines(t.Body, 1, p.Last))
	}
	if asked.Given() {
		if again, err := asked.Locate(t.Body); err != nil || again.To != x.To || again.From > p.At {
			return Extent{}, Place{}, tools.Errorf(tools.CodeInvalidCursor, "Cursor %s was made with another section or other lines.", tools.Quote(cursor)).
				On("cursor").Try("Pass the id and the cursor alone to go on, or the section or lines without a cursor.")
		}
	}
	return x, p, nil
}

// A Chunk is one part of an extent, and where it stands.
type Chunk struct {
	Place
	Text       string
	Start, End int    // lines
	Chunks     int    // of all that was asked for
	Next       string // cursor, "" behind the last chunk
}

// Cut cuts the chunk at a place, and counts the others.
func (t Text) Cut(x Extent, p Place, limits answer.Limits) Chunk {
	body := t.Body[:x.To]
	here := spotOf(body, p.At, limits)
	r := recent.take(here)
	if r == nil {
		r = begin(here, body)
	}
	r.next(body)
	end := r.at
	c := Chunk{Place: p, Text: body[p.At:end], Chunks: p.Index + 1 + r.left}
	c.Start = 1 + strings.Count(body[:p.At], "\n")
	c.End = c.Start + strings.Count(strings.TrimSuffix(c.Text, "\n"), "\n")
	if end < x.To {
		recent.keep(r)
		c.Next = Place{end, 1 + strings.Count(body[:end], "\n"), p.Index + 1, p.Last}.Cursor(t.Body, t.Seal)
	}
	return c
}
