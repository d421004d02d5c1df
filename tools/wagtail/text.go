package wagtail

import (
	"fmt"
	"strings"

	"issues-index/store/markdown"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// leastChunk is the smallest chunk worth a call, in tokens.
const leastChunk = 10

// A textPart is as much of a text as an answer shows.
type textPart struct {
	answer.Shown
	Text string
	head string // sentences for the first line of the answer
}

// A textAnswer answers with a page and its text: whole where that fits, else the passage
// or the chunk that the call asks for.
type textAnswer struct {
	answer.LongText
	args    *tools.Args
	passage answer.Passage
	from    pageCursor // of the call
	to      pageCursor // of the next call, without the chunk
	less    string     // how to read what was left out beside the text
	// show writes the answer around a part of the text. The larger detail is, the less
	// of the page there is beside the text: 0 is all, 2 the least.
	show func(p textPart, detail int) tools.Result
}

// answer returns the answer.
func (t textAnswer) answer() (tools.Result, error) {
	t.Seal = fmt.Sprintf("%s %s", t.Seal, t.to.head())
	if t.Body == "" && (t.passage.Given() || t.from.place != "") {
		return tools.Result{}, tools.Errorf(tools.CodeValidation, "There is no text in %s to read a part of.", t.Name).
			Try("Call %s with only the id.", t.Tool)
	}
	if t.from.place != "" {
		x, at, err := t.Resume(t.from.place, t.passage)
		if err != nil {
			return tools.Result{}, err
		}
		return t.chunk(x, at), nil
	}
	x, err := t.passage.Locate(t.Body)
	if err != nil {
		return tools.Result{}, err
	}
	budget := t.args.Budget()
	if budget.Off || !budget.Chunking || x.To-x.From <= budget.Bytes { // else it cannot fit
		if whole := t.whole(x); t.args.Fits(whole) || !budget.Chunking {
			return whole, nil
		}
	}
	return t.chunk(x, t.Start(x)), nil
}

// whole returns the answer with nothing left out.
func (t textAnswer) whole(x answer.Extent) tools.Result {
	return t.marked(t.lines(textPart{Text: t.Body[x.From:x.To]}, x.Start, x.End, x.Total), 0)
}

// lines says which lines a passage has.
func (t textAnswer) lines(p textPart, start, end, total int) textPart {
	if t.passage.Given() {
		p.StartLine, p.EndLine, p.TotalLines = start, end, total
		p.head = fmt.Sprintf("Lines %d-%d of %d.", start, end, total)
	}
	return p
}

// marked returns an answer with the text, if any, marked as content.
func (t textAnswer) marked(p textPart, detail int) tools.Result {
	r := t.show(p, detail)
	if p.Text != "" {
		r.Mark = answer.MarkFor(r.Text)
		r.Text = r.Mark.BeginOnly(r.Text)
	}
	return r
}

// chunk answers with one chunk, the first with the page's fields and an outline. These
// are made smaller until the answer fits, then the chunk is.
func (t textAnswer) chunk(x answer.Extent, at answer.ChunkStart) tools.Result {
	var headings []markdown.Heading
	original := 0
	if at.Index == 0 {
		headings = answer.Within(markdown.Outline(t.Body), x.Start, x.End)
		original = t.whole(x).Size()
	}
	for limits := t.limits(); ; limits.Tokens, limits.Lines = limits.Tokens/2, max(1, limits.Lines/2) {
		c := t.Cut(x, at, limits)
		var result tools.Result
		for _, beside := range t.besides(c) {
			result = t.render(x, c, beside, headings)
			if result.Original = original; t.args.Fits(result) {
				return result
			}
		}
		if limits.Tokens <= leastChunk {
			return result
		}
	}
}

// A besideChunk says what an answer has beside a chunk.
type besideChunk struct {
	detail  int
	outline int  // bytes
	terse   bool // no other ways to read on than the cursor
}

// besides returns what an answer may have beside a chunk, the best first.
func (t textAnswer) besides(c answer.Chunk) []besideChunk {
	least := besideChunk{detail: 2, terse: true}
	if c.Index > 0 {
		return []besideChunk{least}
	}
	const sentences = 500 // bytes, with the names of fields
	budget := t.args.Budget()
	room := max(100, budget.Bytes-answer.Escaped(c.Text)-sentences)
	all := []besideChunk{{outline: room}, {outline: room / 4}}
	if budget.Summarization {
		all = append(all, besideChunk{detail: 1, outline: room / 3}, besideChunk{detail: 1}, besideChunk{detail: 2, outline: room / 4})
	}
	return append(all, least)
}

// limits returns the limits of a chunk: the budget's, or less when the least that an
// answer has beside it leaves less. They are the same for all chunks of a text.
func (t textAnswer) limits() answer.ChunkLimits {
	const many = 99_999
	least := t.render(answer.Extent{Total: many}, answer.Chunk{
		ChunkStart: answer.ChunkStart{Index: many}, Chunks: many, Start: many, End: many, Next: strings.Repeat("x", 24),
	}, besideChunk{detail: 2, terse: true}, nil)
	least.Text += strings.Repeat("x", 100) // the mark and the line that repeats how to go on
	b := t.args.Budget()
	limits, size := b.Chunk(), least.Size()
	room := answer.RoomInMarks(t.Body, min((b.Bytes-size)*3/10, b.Tokens-answer.Estimate(size)))
	limits.Tokens = max(leastChunk, min(limits.Tokens, room))
	limits.Lines = max(1, min(limits.Lines, b.Lines-strings.Count(least.Text, "\n")-3))
	return limits
}

// render writes a chunk and what is beside it.
func (t textAnswer) render(x answer.Extent, c answer.Chunk, beside besideChunk, headings []markdown.Heading) tools.Result {
	less := ""
	if c.Index == 0 && beside.detail > 0 && t.show(textPart{}, beside.detail).Text != t.show(textPart{}, 0).Text {
		less = t.less
	}
	p := textPart{Text: c.Text}
	if c.Chunks == 1 {
		p = t.lines(p, c.Start, c.End, x.Total)
		p.Note = less
		p.head = sentences(p.head, less)
		result := t.marked(p, beside.detail)
		result.Outcome = tools.OutcomeSummarized
		return result
	}
	more, ways := "", ""
	if c.Next != "" {
		c.Next = t.to.head() + c.Next
		more = fmt.Sprintf("Pass cursor '%s' to see the next chunk.", c.Next)
	}
	if c.Index == 0 && !beside.terse {
		ways = fmt.Sprintf("Or pass section (a heading), startLine and endLine, or maxTokens (up to %d) for larger chunks.", t.args.Settings().MaxTokens)
	}
	const fields = 25 // lines of fields before the text
	p.Shown = answer.Shown{
		ChunkIndex: &c.Index, TotalChunks: c.Chunks, StartLine: c.Start, EndLine: c.End, TotalLines: x.Total,
		Outline:    answer.Outline(headings, beside.outline, max(0, t.args.Budget().Lines-(c.End-c.Start+1)-fields)),
		NextCursor: c.Next, Note: sentences(more, ways, less),
	}
	p.head = sentences(fmt.Sprintf("Chunk %d of %d, lines %d-%d of %d.", c.Index+1, c.Chunks, c.Start, c.End, x.Total), p.Note)
	result := t.marked(p, beside.detail)
	result.Outcome = tools.OutcomeChunked
	if len(p.Outline) > 0 {
		before, _ := strings.CutSuffix(result.Text, separated(c.Text))
		result.Text = before + "\noutline:\n" + strings.Join(p.Outline, "\n") + separated(c.Text)
	}
	const long = 2000 // bytes; see paginated
	if len(result.Text) > long && more != "" {
		result.Text = result.Mark.End(result.Text) + "\n[" + more + "]"
	}
	return result
}
