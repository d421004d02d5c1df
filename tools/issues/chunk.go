package issues

import (
	"encoding/json"
	"fmt"
	"strings"

	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/guard"
)

const (
	// leastSize is what a document's fields may always take, in bytes.
	leastSize = 100
	// leastChunk is the smallest chunk worth a call, in tokens.
	leastChunk = 10
)

// lastLine is the line that ends a passage, 0 when the body's end does.
func (r reader) lastLine(x extent) int {
	if x.to == len(r.doc.Body) {
		return 0
	}
	return x.end
}

// resume answers the chunk that a cursor stands before.
func (r reader) resume(cursor string) (tools.Result, error) {
	p, ours, current := placeOf(cursor, r.doc)
	switch {
	case !ours:
		return tools.Result{}, tools.Errorf(tools.CodeInvalidCursor, "Cursor %s is none of %s: it was altered, or made for another document.",
			tools.Quote(cursor), tools.Plain(r.id)).On("cursor").
			Try("Pass it with the id of the document that it came with, or call issues_get without a cursor to start again.")
	case !current:
		return tools.Result{}, tools.Errorf(tools.CodeInvalidCursor, "The text of %s changed since the cursor was made.", tools.Plain(r.id)).
			On("cursor").Try("Call issues_get with the id again to start over, or with startLine %d to go on from where the cursor stood.", p.line)
	}
	x := extent{start: 1, total: store.LineCount(r.doc.Body), to: len(r.doc.Body)}
	if x.end = x.total; p.last > 0 {
		x.end = p.last
		x.to = len(store.Lines(r.doc.Body, 1, p.last))
	}
	if r.passage.given() {
		asked, err := r.passage.locate(r.doc.Body)
		if err != nil || asked.to != x.to || asked.from > p.at {
			return tools.Result{}, tools.Errorf(tools.CodeInvalidCursor, "Cursor %s was made with another section or other lines.", tools.Quote(cursor)).
				On("cursor").Try("Pass the id and the cursor alone to go on, or the section or lines without a cursor.")
		}
	}
	return r.chunk(x, p), nil
}

// A chunk is one part of a long text, and where it stands.
type chunk struct {
	place
	text       string
	start, end int    // lines
	chunks     int    // of all that was asked for
	next       string // cursor, "" behind the last chunk
}

// A surrounding is what an answer shows beside the chunk.
type surrounding struct {
	document
	shortening
	outline []string
	terse   bool // no word on other ways to read than the cursor
}

// chunk answers one chunk: the first with what there is to know of the document,
// the others with its name. What surrounds the chunk is made smaller until the
// answer fits, and then the chunk.
func (r reader) chunk(x extent, p place) tools.Result {
	var headings []store.Heading
	if p.index == 0 {
		headings = within(store.Outline(r.doc.Body), x.start, x.end)
	}
	for limits := r.limits(); ; limits.Tokens, limits.Lines = limits.Tokens/2, max(1, limits.Lines/2) {
		c := r.cut(x, p, limits)
		var result tools.Result
		for _, around := range r.surroundings(c, headings) {
			if result = r.show(x, c, around); r.args.Fits(result) {
				return result
			}
		}
		if limits.Tokens <= leastChunk {
			return result
		}
	}
}

// cut cuts the chunk at a place, and counts the others.
func (r reader) cut(x extent, p place, limits guard.Limits) chunk {
	body := r.doc.Body
	chunker := guard.NewChunker(body[:x.to], p.at, limits)
	end := chunker.Next()
	c := chunk{place: p, text: body[p.at:end], chunks: p.index + 1 + chunker.Rest()}
	c.start = 1 + strings.Count(body[:p.at], "\n")
	c.end = c.start + strings.Count(strings.TrimSuffix(c.text, "\n"), "\n")
	if end < x.to {
		c.next = place{end, 1 + strings.Count(body[:end], "\n"), p.index + 1, p.last}.cursor(r.doc)
	}
	return c
}

// surroundings are what may stand beside a chunk, the best first.
func (r reader) surroundings(c chunk, headings []store.Heading) []surrounding {
	const (
		told  = 500 // bytes of sentences and names of fields
		lines = 25  // of the document's fields
	)
	b, d := r.args.Budget(), r.head()
	if c.index > 0 {
		named, _ := d.bare(titleLength, false)
		return []surrounding{{document: named}, r.least()}
	}
	room := max(leastSize, b.Bytes-guard.Escaped(c.text)-told)
	outline := func(size int) []string {
		if c.chunks == 1 {
			return nil
		}
		return outlineOf(headings, size, max(0, b.Lines-(c.end-c.start+1)-lines))
	}
	all := []surrounding{
		{document: d, outline: outline(room)}, {document: d, outline: outline(room / 2)}, {document: d, outline: outline(room / 4)},
	}
	if !b.Summarization {
		return append(all, surrounding{document: d})
	}
	shortened := func(size, outlined int) surrounding {
		shown, missing := d.shorten(size)
		return surrounding{document: shown, shortening: missing, outline: outline(outlined)}
	}
	bare, missing := d.bare(titleLength, true)
	return append(all, shortened(room/2, room/3), shortened(room/3, room/4), surrounding{document: d},
		shortened(room/2, 0), shortened(room/4, 0), surrounding{document: bare, shortening: missing},
		surrounding{document: bare, terse: true}, r.least())
}

// least is what stands beside every chunk.
func (r reader) least() surrounding {
	const title = 40 // bytes
	d, _ := r.head().bare(title, false)
	return surrounding{document: d, terse: true}
}

// limits are those of a chunk: what the budget has for one, or less when that is
// too much beside the least that must be said. They are the same for all chunks
// of a text.
func (r reader) limits() guard.Limits {
	b := r.args.Budget()
	const many = 99_999
	beside := r.show(extent{total: many}, chunk{place: place{index: many}, chunks: many, start: many, end: many, next: strings.Repeat("x", 24)}, r.least())
	said, err := json.Marshal(beside.Structured)
	text := guard.Measure(beside.Text + strings.Repeat("x", 100)) // the line that repeats how to go on
	if err != nil {
		return b.Chunk()
	}
	object := guard.Measure(string(said))
	limits := b.Chunk()
	left := b.Bytes - max(text.Bytes, object.Bytes)
	limits.Tokens = max(leastChunk, min(limits.Tokens, left*3/10, b.Tokens-max(text.Cost(), object.Cost())))
	limits.Lines = max(1, min(limits.Lines, b.Lines-text.Lines-1))
	return limits
}

// show writes a chunk and what surrounds it.
func (r reader) show(x extent, c chunk, around surrounding) tools.Result {
	d, missing := around.document, around.note(r.id, r.fields)
	if r.shared {
		d.Path = r.doc.Path
	}
	head := d.text()
	answer := reading{Issue: d, StartLine: c.start, EndLine: c.end, TotalLines: x.total}
	answer.Issue.Description = &c.text
	result := tools.Result{Items: 1}
	if c.index == 0 {
		result.Original = r.size(x)
	}
	if c.chunks == 1 {
		if !r.passage.given() {
			answer.StartLine, answer.EndLine, answer.TotalLines = 0, 0, 0
		} else {
			missing = sentences(missing, fmt.Sprintf("Lines %d-%d of %d:", c.start, c.end, x.total))
		}
		answer.Note = around.note(r.id, r.fields)
		result.Text, result.Structured, result.Outcome = head+"\n"+missing+"\n\n"+c.text, answer, tools.OutcomeSummarized
		return result
	}
	more, ways := "", ""
	if c.next != "" {
		more = fmt.Sprintf("Pass cursor '%s' with the id to see the next chunk.", c.next)
	}
	if c.index == 0 && !around.terse {
		ways = fmt.Sprintf("Or pass section (a heading), startLine and endLine, or maxTokens (up to %d) for larger chunks.", r.args.Settings().MaxTokens)
	}
	answer.Outline, answer.ChunkIndex, answer.TotalChunks, answer.NextCursor = around.outline, &c.index, c.chunks, c.next
	answer.Note = sentences(more, ways, missing)
	first := fmt.Sprintf("Chunk %d of %d of %s, lines %d-%d of %d.", c.index+1, c.chunks, name(cutBytes(d.ID, titleLength)), c.start, c.end, x.total)
	parts := []string{sentences(first, more, ways), head}
	if missing != "" {
		parts = append(parts, missing)
	}
	if len(around.outline) > 0 {
		parts = append(append(parts, "outline:"), around.outline...)
	}
	result.Text = strings.Join(parts, "\n") + "\n\n" + c.text
	if len(result.Text) > repeatAfter && more != "" {
		result.Text += "\n[" + more + "]"
	}
	result.Structured, result.Outcome = answer, tools.OutcomeChunked
	return result
}
