package answer

import (
	"encoding/json"
	"fmt"
	"strings"

	"issues-index/store/markdown"
)

// A Document is an answer with a text and what is known beside it: whole where that fits, else the
// first chunk of the text with an outline, and further chunks by cursor. What stands beside a text
// gets less before a chunk does.
type Document struct {
	LongText
	Passage Passage
	Cursor  string // of the call, "" to begin
	NoText  bool   // only what is known beside the text was asked for
	// Onward makes the cursor of a call, which needs no other argument, of that of a chunk. nil is for
	// calls that name the text beside the cursor.
	Onward func(chunk string) string

	// Show writes what stands beside the text, a line for each field, and the object with what it
	// shows of the text. Level 0 has everything, each level above it has less, and the last one has
	// room beside any chunk: it names the document.
	Show func(level int, shown Shown, text *string) (lines string, object json.RawMessage)
	Last int // level
	// Less says what a level between the first and the last leaves out, and how to get it.
	Less func(level int) string
	// MostTokens is the largest budget that a call can ask for.
	MostTokens int
}

// leastChunk is the smallest chunk worth a call, in tokens.
const leastChunk = 10

// Fit returns the answer. Its errors are *markdown.SectionError, *LineError and *ChunkCursorError.
func (d Document) Fit(b Budget, room Space) (Fitted, error) {
	if d.Cursor != "" {
		x, at, err := d.Resume(d.Cursor, d.Passage)
		if err != nil {
			return Fitted{}, err
		}
		return d.chunk(x, at, b, room), nil
	}
	x, err := d.Passage.Locate(d.Body)
	if err != nil {
		return Fitted{}, err
	}
	if d.NoText {
		return d.fields(x, b, room), nil
	}
	if b.Off || !b.Chunking || x.To-x.From <= b.Bytes { // else it cannot fit
		if whole := d.whole(x, 0); whole.in(room) || !b.Chunking {
			return whole, nil
		}
	}
	return d.chunk(x, d.Start(x), b, room), nil
}

// in reports whether the answer has room, with the mark that the server may put at its end.
func (f Fitted) in(room Space) bool { return SpaceOf(f.Mark.EndOnly(f.Text), f.Object).In(room) }

// fields answers without the text.
func (d Document) fields(x Extent, b Budget, room Space) Fitted {
	f := d.whole(x, 0)
	original := SpaceOf(f.Text, f.Object).Larger()
	for level := 1; level <= d.Last && !f.in(room) && b.Summarization; level++ {
		f = d.whole(x, level)
		f.Narrowed, f.Original = true, original
	}
	return f
}

// whole answers with a passage that is not cut.
func (d Document) whole(x Extent, level int) Fitted {
	text := d.Body[x.From:x.To]
	s := Shown{}
	var sentences []string
	if d.Passage.Given() {
		s.StartLine, s.EndLine, s.TotalLines = x.Start, x.End, x.Total
		sentences = append(sentences, fmt.Sprintf("Lines %d-%d of %d.", x.Start, x.End, x.Total))
	}
	if level > 0 {
		s.Note = d.Less(level)
		sentences = append(sentences, s.Note)
	}
	shown := &text
	if d.NoText {
		shown = nil
	}
	return d.write(level, s, sentences, shown)
}

// write writes an answer. Our sentences come first, then the fields and the outline, then the text
// below a blank line.
func (d Document) write(level int, s Shown, sentences []string, text *string) Fitted {
	first := join(sentences...)
	if first != "" {
		first += "\n"
	}
	lines, object := d.Show(level, s, text)
	if len(s.Outline) > 0 {
		lines += "\noutline:\n" + strings.Join(s.Outline, "\n")
	}
	f := Fitted{Text: first + lines, Object: object, Rows: 1}
	if text != nil {
		f.Mark = MarkFor(f.Text, *text)
		f.Text = first + f.Mark.BeginOnly(lines) + "\n\n" + *text
	}
	return f
}

// chunk answers with one chunk. The first comes with as much beside it as fits.
func (d Document) chunk(x Extent, at ChunkStart, b Budget, room Space) Fitted {
	c := d.Cut(x, at, d.limits(b, room))
	if c.Chunks == 1 {
		return d.alone(x, b, room)
	}
	if c.Index > 0 {
		return d.part(x, c, d.Last, nil)
	}
	headings := Within(markdown.Outline(d.Body), x.Start, x.End)
	var f Fitted
	for level := 0; level <= d.Last; level++ {
		if level > 0 && level < d.Last && !b.Summarization {
			continue
		}
		if f = d.part(x, c, level, nil); !f.in(room) {
			continue
		}
		taken := SpaceOf(f.Mark.EndOnly(f.Text), f.Object)
		const names = len(`,"outline":[]`) + len("\noutline:")
		outline := Outline(headings, min(room.Text-taken.Text, room.Object-taken.Object)-names, room.Lines-taken.Lines-1)
		if outlined := d.part(x, c, level, outline); len(outline) > 0 && outlined.in(room) {
			f = outlined
		}
		break
	}
	f.Original = d.original(x)
	return f
}

// original is what a passage takes with all that is known beside it, in bytes of the larger channel.
// It is not written out: a text may be very long.
func (d Document) original(x Extent) int {
	lines, object := d.Show(0, Shown{}, nil)
	text := d.Body[x.From:x.To]
	return max(len(lines)+len(text), len(object)+Escaped(text))
}

// alone answers with a passage that fits once there is less beside it.
func (d Document) alone(x Extent, b Budget, room Space) Fitted {
	f := d.whole(x, 0)
	for level := 1; level <= d.Last && !f.in(room); level++ {
		if level == d.Last || b.Summarization {
			f = d.whole(x, level)
		}
	}
	f.Narrowed, f.Original = true, d.original(x)
	return f
}

// part writes a chunk. Hosts cut the middle out of long answers, so that a long text says at its
// end, too, how to go on.
func (d Document) part(x Extent, c Chunk, level int, outline []string) Fitted {
	var more, ways, less string
	if c.Next != "" && d.Onward != nil {
		c.Next = d.Onward(c.Next)
		more = fmt.Sprintf("Pass cursor '%s' to see the next chunk.", c.Next)
	} else if c.Next != "" {
		more = fmt.Sprintf("Pass cursor '%s' with the id to see the next chunk.", c.Next)
	}
	if c.Index == 0 && level < d.Last {
		ways = fmt.Sprintf("Or pass section (a heading), startLine and endLine, or maxTokens (up to %d) for larger chunks.",
			d.MostTokens)
	}
	if c.Index == 0 && level > 0 && level < d.Last {
		less = d.Less(level)
	}
	s := Shown{
		Outline: outline, ChunkIndex: &c.Index, TotalChunks: c.Chunks, StartLine: c.Start, EndLine: c.End,
		TotalLines: x.Total,
		NextCursor: c.Next, Note: join(more, ways, less),
	}
	first := fmt.Sprintf("Chunk %d of %d of %s, lines %d-%d of %d.", c.Index+1, c.Chunks, d.Name, c.Start, c.End, x.Total)
	f := d.write(level, s, []string{join(first, s.Note)}, &c.Text)
	f.Chunked = true
	if len(f.Text) > repeatAfter && more != "" {
		f.Text = f.Mark.End(f.Text) + "\n[" + more + "]"
	}
	return f
}

// limits returns the limits of a chunk: those of the budget, or less to leave room for the least
// that stands beside it. They are the same for all chunks of a text, so that chunks join.
func (d Document) limits(b Budget, room Space) ChunkLimits {
	const many = 99_999
	least := d.part(Extent{Total: many}, Chunk{
		ChunkStart: ChunkStart{Index: many}, Chunks: many, Start: many, End: many, Next: strings.Repeat("x", 24),
	}, d.Last, nil)
	size := SpaceOf(least.Text+strings.Repeat("x", 100), least.Object) // the sentence that is repeated
	limits := b.Chunk()
	tokens := RoomInMarks(d.Body, min(room.Text-size.Text, room.Object-size.Object)*3/10)
	limits.Tokens = max(leastChunk, min(limits.Tokens, tokens))
	limits.Lines = max(1, min(limits.Lines, room.Lines-size.Lines-2))
	return limits
}

// join joins the sentences that are not empty.
func join(sentences ...string) string {
	var all []string
	for _, s := range sentences {
		if s != "" {
			all = append(all, s)
		}
	}
	return strings.Join(all, " ")
}
