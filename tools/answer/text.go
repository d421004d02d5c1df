package answer

import (
	"fmt"
	"issues-index/store/markdown"
	"strings"
)

// A LongText is a Markdown text that is read in parts.
type LongText struct {
	Tool string // that reads it
	Name string // of what it is the text of, for errors
	Seal string // tells it from other texts: a cursor is only good with the same one
	Body string
}

// A Passage is the part of a text that a call asks for: a section, or lines from 1.
type Passage struct {
	Section    string
	Start, End int // 0 when not given
}

// Given reports whether a call asks for a part and not for all of the text.
func (p Passage) Given() bool { return p.Section != "" || p.Start > 0 || p.End > 0 }

// An Extent is where a passage stands in its text, in lines from 1 and in bytes.
type Extent struct {
	Start, End int // lines, both included
	From, To   int // bytes
	Total      int // lines of the text
}

// A LineError says that a passage starts behind the last line.
type LineError struct {
	Start int
	Total int // lines of the text
}

func (e *LineError) Error() string {
	return fmt.Sprintf("start line %d is behind the last of %d lines", e.Start, e.Total)
}

// Locate finds the passage in a text. Its errors are *markdown.SectionError and *LineError.
func (p Passage) Locate(text string) (Extent, error) {
	x := Extent{Start: 1, Total: markdown.LineCount(text), To: len(text)}
	x.End = x.Total
	switch {
	case p.Section != "":
		heading, err := markdown.Find(markdown.Outline(text), p.Section)
		if err != nil {
			return Extent{}, err
		}
		x.Start, x.End = heading.Line, heading.EndLine
	case p.Given():
		x.Start = max(p.Start, 1)
		if x.Start > x.Total {
			return Extent{}, &LineError{Start: x.Start, Total: x.Total}
		}
		if p.End > 0 && p.End < x.Total {
			x.End = p.End
		}
	}
	x.From = len(markdown.Lines(text, 1, x.Start-1))
	x.To = x.From + len(markdown.Lines(text[x.From:], 1, x.End-x.Start+1))
	return x, nil
}

// Start returns where the first chunk of an extent begins.
func (t LongText) Start(x Extent) ChunkStart {
	s := ChunkStart{At: x.From}
	if x.To < len(t.Body) {
		s.Last = x.End
	}
	return s
}

// Resume returns where the chunk of a cursor begins, and the extent that is being read.
// A passage given with the cursor must be the one that the cursor was made with. Its
// error is a *ChunkCursorError.
func (t LongText) Resume(cursor string, asked Passage) (Extent, ChunkStart, error) {
	fail := func(reason ChunkCursorReason, line int) (Extent, ChunkStart, error) {
		return Extent{}, ChunkStart{}, &ChunkCursorError{Cursor: cursor, Tool: t.Tool, Name: t.Name, Reason: reason,
			Line: line}
	}
	s, ours, current := parseCursor(cursor, t.Body, t.Seal)
	switch {
	case !ours:
		return fail(CursorForeign, 0)
	case !current:
		return fail(CursorOutdated, s.Line)
	}
	x := Extent{Start: 1, Total: markdown.LineCount(t.Body), To: len(t.Body)}
	if x.End = x.Total; s.Last > 0 {
		x.End = s.Last
		x.To = len(markdown.Lines(t.Body, 1, s.Last))
	}
	if asked.Given() {
		if again, err := asked.Locate(t.Body); err != nil || again.To != x.To || again.From > s.At {
			return fail(CursorMismatch, 0)
		}
	}
	return x, s, nil
}

// A Chunk is one part of an extent.
type Chunk struct {
	ChunkStart
	Text       string
	Start, End int    // lines
	Chunks     int    // number of chunks of the extent
	Next       string // cursor, "" in the last chunk
}

// Cut returns the chunk that begins at a start.
func (t LongText) Cut(x Extent, s ChunkStart, limits ChunkLimits) Chunk {
	body := t.Body[:x.To]
	ends := chunks.ends(body, s.At, limits)
	end := len(body)
	if len(ends) > 0 {
		end = ends[0]
	}
	c := Chunk{ChunkStart: s, Text: body[s.At:end], Chunks: s.Index + max(len(ends), 1)}
	c.Start = 1 + strings.Count(body[:s.At], "\n")
	c.End = c.Start + strings.Count(strings.TrimSuffix(c.Text, "\n"), "\n")
	if end < x.To {
		c.Next = ChunkStart{end, 1 + strings.Count(body[:end], "\n"), s.Index + 1, s.Last}.Cursor(t.Body, t.Seal)
	}
	return c
}

// Shown says in an answer which part of a text it shows. Lines count from 1, chunks
// from 0. It is empty when the text is whole.
type Shown struct {
	Outline     []string `json:"outline,omitempty"`
	ChunkIndex  *int     `json:"chunkIndex,omitempty"`
	TotalChunks int      `json:"totalChunks,omitempty"`
	StartLine   int      `json:"startLine,omitempty"`
	EndLine     int      `json:"endLine,omitempty"`
	TotalLines  int      `json:"totalLines,omitempty"`
	NextCursor  string   `json:"nextCursor,omitempty"`
	Note        string   `json:"note,omitempty"`
}

// ShownProperties are the members of Shown in the schema of an answer.
const ShownProperties = `"outline":{"type":"array","items":{"type":"string"}},"chunkIndex":{"type":"integer"},` +
	`"totalChunks":{"type":"integer"}` +
	`,"startLine":{"type":"integer"},"endLine":{"type":"integer"},"totalLines":{"type":"integer"}` +
	`,"nextCursor":{"type":"string"},"note":{"type":"string"}`
