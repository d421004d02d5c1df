package issues

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
)

const (
	// leastSize is what a document's fields may always take, in bytes.
	leastSize = 100
	// leastChunk is the smallest chunk worth a call, in tokens.
	leastChunk = 10
)

// text is the document's body to read in parts. A document that is moved to the
// archive keeps its file's name, and so its cursors.
func (r reader) text() answer.LongText {
	return answer.LongText{Tool: "issues_get", Name: tools.Plain(r.id), Seal: path.Base(r.doc.Path), Body: r.doc.Body}
}

// resume answers the chunk that a cursor stands before.
func (r reader) resume(cursor string) (tools.Result, error) {
	x, p, err := r.text().Resume(cursor, r.passage)
	if err != nil {
		return tools.Result{}, err
	}
	return r.chunk(x, p), nil
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
// listResult fits, and then the chunk.
func (r reader) chunk(x answer.Extent, p answer.ChunkStart) tools.Result {
	var headings []store.Heading
	original := 0
	if p.Index == 0 {
		headings = answer.Within(store.Outline(r.doc.Body), x.Start, x.End)
		original = r.size(x)
	}
	for limits := r.limits(); ; limits.Tokens, limits.Lines = limits.Tokens/2, max(1, limits.Lines/2) {
		c := r.text().Cut(x, p, limits)
		var result tools.Result
		for _, around := range r.surroundings(c, headings) {
			result = r.show(x, c, around)
			if result.Original = original; r.args.Fits(result) {
				return result
			}
		}
		if limits.Tokens <= leastChunk {
			return result
		}
	}
}

// surroundings are what may stand beside a chunk, the best first.
func (r reader) surroundings(c answer.Chunk, headings []store.Heading) []surrounding {
	const (
		told  = 500 // bytes of sentences and names of fields
		lines = 25  // of the document's fields
	)
	b, d := r.args.Budget(), r.head()
	if c.Index > 0 {
		named, _ := d.bare(titleLength, false)
		return []surrounding{{document: named}, r.least()}
	}
	room := max(leastSize, b.Bytes-answer.Escaped(c.Text)-told)
	outline := func(size int) []string {
		if c.Chunks == 1 {
			return nil
		}
		return answer.Outline(headings, size, max(0, b.Lines-(c.End-c.Start+1)-lines))
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
func (r reader) limits() answer.ChunkLimits {
	b := r.args.Budget()
	const many = 99_999
	beside := r.show(answer.Extent{Total: many}, answer.Chunk{ChunkStart: answer.ChunkStart{Index: many}, Chunks: many, Start: many, End: many, Next: strings.Repeat("x", 24)}, r.least())
	said, err := json.Marshal(beside.Structured)
	text := answer.Measure(beside.Text + strings.Repeat("x", 100)) // the mark and the line that repeats how to go on
	if err != nil {
		return b.Chunk()
	}
	object := answer.Measure(string(said))
	limits := b.Chunk()
	left := b.Bytes - max(text.Bytes, object.Bytes)
	room := answer.RoomInMarks(r.doc.Body, min(left*3/10, b.Tokens-max(text.Tokens(), object.Tokens())))
	limits.Tokens = max(leastChunk, min(limits.Tokens, room))
	limits.Lines = max(1, min(limits.Lines, b.Lines-text.Lines-2))
	return limits
}

// show writes a chunk and what surrounds it.
func (r reader) show(x answer.Extent, c answer.Chunk, around surrounding) tools.Result {
	d, missing := around.document, around.note(r.id, r.fields)
	if r.shared {
		d.Path = r.doc.Path
	}
	head := d.text()
	mark := answer.MarkFor(head, c.Text)
	head = mark.BeginOnly(head)
	answer := reading{Issue: d, Shown: answer.Shown{StartLine: c.Start, EndLine: c.End, TotalLines: x.Total}}
	answer.Issue.Description = &c.Text
	result := tools.Result{Mark: mark, Items: 1}
	if c.Chunks == 1 {
		if !r.passage.Given() {
			answer.StartLine, answer.EndLine, answer.TotalLines = 0, 0, 0
		} else {
			missing = sentences(missing, fmt.Sprintf("Lines %d-%d of %d:", c.Start, c.End, x.Total))
		}
		answer.Note = around.note(r.id, r.fields)
		result.Text, result.Structured, result.Outcome = head+"\n"+missing+"\n\n"+c.Text, answer, tools.OutcomeSummarized
		return result
	}
	more, ways := "", ""
	if c.Next != "" {
		more = fmt.Sprintf("Pass cursor '%s' with the id to see the next chunk.", c.Next)
	}
	if c.Index == 0 && !around.terse {
		ways = fmt.Sprintf("Or pass section (a heading), startLine and endLine, or maxTokens (up to %d) for larger chunks.", r.args.Settings().MaxTokens)
	}
	answer.Outline, answer.ChunkIndex, answer.TotalChunks, answer.NextCursor = around.outline, &c.Index, c.Chunks, c.Next
	answer.Note = sentences(more, ways, missing)
	first := fmt.Sprintf("Chunk %d of %d of %s, lines %d-%d of %d.", c.Index+1, c.Chunks, name(cutBytes(d.ID, titleLength)), c.Start, c.End, x.Total)
	parts := []string{sentences(first, more, ways), head}
	if missing != "" {
		parts = append(parts, missing)
	}
	if len(around.outline) > 0 {
		parts = append(append(parts, "outline:"), around.outline...)
	}
	result.Text = strings.Join(parts, "\n") + "\n\n" + c.Text
	if len(result.Text) > repeatAfter && more != "" {
		result.Text = mark.End(result.Text) + "\n[" + more + "]"
	}
	result.Structured, result.Outcome = answer, tools.OutcomeChunked
	return result
}
