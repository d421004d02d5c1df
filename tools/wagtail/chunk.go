package wagtail

import (
	"encoding/json"
	"fmt"
	"strings"

	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// leastChunk is the smallest chunk worth a call, in tokens.
const leastChunk = 10

// A field is a field of a page that is text to read.
type field struct {
	Name     string
	Markdown string
}

// joinFields makes one text of the fields of a page, each under its name, so that a
// name is a section of it.
func joinFields(fields []field) string {
	texts := make([]string, len(fields))
	for n, f := range fields {
		texts[n] = "# " + f.Name + "\n\n" + f.Markdown
	}
	return strings.Join(texts, "\n\n")
}

// A passage is the part of a text that was asked for.
type passage struct {
	answer.Passage
	cursor string // the place of one, "" for the beginning
}

func readPassage(args *tools.Args, from pageCursor) passage {
	return passage{Passage: args.Passage(), cursor: from.place}
}

// A part is as much of a text as an answer shows.
type part struct {
	answer.Shown
	Text string
	head string // sentences for the first line of the answer
}

// A body is a long text that a tool answers with.
type body struct {
	tool string
	name string // of what it is the text of, for sentences
	head string // what a cursor begins with, so that it needs nothing beside it
	less string // sentence on how to read what stands beside the text, where it was cut
	text string // Markdown, or HTML
	seal string // what a cursor is bound to
}

// A surrounding is what may stand beside a part: so much of the detail that show
// knows (0 is all, 2 the least), and an outline of so many bytes.
type surrounding struct {
	detail  int
	outline int
	terse   bool // no word on other ways to read on than the cursor
}

// answer shows the text whole where that fits, else the passage or the chunk of it
// that was asked for. show writes the answer around a part of the text.
func (b body) answer(args *tools.Args, asked passage, show func(p part, detail int) tools.Result) (tools.Result, error) {
	t := teller{body: b, text: answer.LongText{Tool: b.tool, Name: b.name, Seal: b.seal, Body: b.text}, args: args, asked: asked, show: show}
	if b.text == "" && (asked.Given() || asked.cursor != "") {
		return tools.Result{}, tools.Errorf(tools.CodeValidation, "There is no text in %s to read a part of.", b.name).
			Try("Call %s with the id alone.", b.tool)
	}
	if asked.cursor != "" {
		x, at, err := t.text.Resume(asked.cursor, asked.Passage)
		if err != nil {
			return tools.Result{}, err
		}
		return t.chunk(x, at), nil
	}
	x, err := asked.Locate(b.text)
	if err != nil {
		return tools.Result{}, err
	}
	budget := args.Budget()
	if budget.Off || !budget.Chunking || x.To-x.From <= budget.Bytes { // else no need to write it out
		if whole := t.whole(x); args.Fits(whole) || !budget.Chunking {
			return whole, nil
		}
	}
	return t.chunk(x, t.text.Start(x)), nil
}

// A teller answers one call.
type teller struct {
	body
	text  answer.LongText
	args  *tools.Args
	asked passage
	show  func(part, int) tools.Result
}

// whole is the answer with nothing missing.
func (t teller) whole(x answer.Extent) tools.Result {
	p := part{Text: t.text.Body[x.From:x.To]}
	if t.asked.Given() {
		p.StartLine, p.EndLine, p.TotalLines = x.Start, x.End, x.Total
		p.head = fmt.Sprintf("Lines %d-%d of %d.", x.Start, x.End, x.Total)
	}
	return t.marked(p, 0)
}

// marked is an answer with a part of the text, if there is any, at its end.
func (t teller) marked(p part, detail int) tools.Result {
	r := t.show(p, detail)
	if p.Text != "" {
		r.Mark = answer.MarkFor(r.Text)
		r.Text = r.Mark.BeginOnly(r.Text)
	}
	return r
}

// chunk answers one chunk: the first with what there is to know of the page, the
// others with its name. What surrounds the chunk is made smaller until the answer
// fits, and then the chunk.
func (t teller) chunk(x answer.Extent, at answer.ChunkStart) tools.Result {
	var headings []store.Heading
	original := 0
	if at.Index == 0 {
		headings = answer.Within(store.Outline(t.text.Body), x.Start, x.End)
		original = sizeOf(t.whole(x))
	}
	for limits := t.limits(); ; limits.Tokens, limits.Lines = limits.Tokens/2, max(1, limits.Lines/2) {
		c := t.text.Cut(x, at, limits)
		var result tools.Result
		for _, around := range t.surroundings(c) {
			result = t.tell(x, c, around, headings)
			if result.Original = original; t.args.Fits(result) {
				return result
			}
		}
		if limits.Tokens <= leastChunk {
			return result
		}
	}
}

// surroundings are what may stand beside a chunk, the best first.
func (t teller) surroundings(c answer.Chunk) []surrounding {
	const told = 500 // bytes of sentences and names of fields
	if c.Index > 0 {
		return []surrounding{{detail: 2, terse: true}}
	}
	room := max(100, t.args.Budget().Bytes-answer.Escaped(c.Text)-told)
	all := []surrounding{{0, room, false}, {0, room / 2, false}, {0, room / 4, false}}
	if t.args.Budget().Summarization {
		all = append(all, surrounding{1, room / 3, false}, surrounding{1, 0, false}, surrounding{2, room / 4, false}, surrounding{2, 0, false})
	}
	return append(all, surrounding{2, 0, true})
}

// limits are those of a chunk: what the budget has for one, or less when that is
// too much beside the least that must be said. They are the same for all chunks of
// a text.
func (t teller) limits() answer.ChunkLimits {
	const many = 99_999
	b := t.args.Budget()
	beside := t.tell(answer.Extent{Total: many}, answer.Chunk{
		ChunkStart: answer.ChunkStart{Index: many}, Chunks: many, Start: many, End: many, Next: strings.Repeat("x", 24),
	}, surrounding{detail: 2, terse: true}, nil)
	limits := b.Chunk()
	said, err := json.Marshal(beside.Structured)
	if err != nil {
		return limits
	}
	text := answer.Measure(beside.Text + strings.Repeat("x", 100)) // the mark and the line that repeats how to go on
	object := answer.Measure(string(said))
	left := b.Bytes - max(text.Bytes, object.Bytes)
	room := answer.RoomInMarks(t.text.Body, min(left*3/10, b.Tokens-max(text.Tokens(), object.Tokens())))
	limits.Tokens = max(leastChunk, min(limits.Tokens, room))
	limits.Lines = max(1, min(limits.Lines, b.Lines-text.Lines-2))
	return limits
}

// tell writes a chunk and what surrounds it.
func (t teller) tell(x answer.Extent, c answer.Chunk, around surrounding, headings []store.Heading) tools.Result {
	const lines = 25 // of what stands before the text
	p := part{Text: c.Text}
	if c.Chunks == 1 {
		if t.asked.Given() {
			p.StartLine, p.EndLine, p.TotalLines = c.Start, c.End, x.Total
			p.head = fmt.Sprintf("Lines %d-%d of %d.", c.Start, c.End, x.Total)
		}
		p.Note = t.lessSaid(c, around)
		p.head = sentences(p.head, p.Note)
		result := t.marked(p, around.detail)
		result.Outcome = tools.OutcomeSummarized
		return result
	}
	more, ways := "", ""
	if c.Next != "" {
		c.Next = t.head + c.Next
		more = fmt.Sprintf("Pass cursor '%s' to see the next chunk.", c.Next)
	}
	if c.Index == 0 && !around.terse {
		ways = fmt.Sprintf("Or pass section (a heading), startLine and endLine, or maxTokens (up to %d) for larger chunks.", t.args.Settings().MaxTokens)
	}
	if around.outline > 0 {
		p.Outline = answer.Outline(headings, around.outline, max(0, t.args.Budget().Lines-(c.End-c.Start+1)-lines))
	}
	p.Shown = answer.Shown{
		Outline: p.Outline, ChunkIndex: &c.Index, TotalChunks: c.Chunks, StartLine: c.Start, EndLine: c.End, TotalLines: x.Total,
		NextCursor: c.Next, Note: sentences(more, ways, t.lessSaid(c, around)),
	}
	p.head = sentences(fmt.Sprintf("Chunk %d of %d, lines %d-%d of %d.", c.Index+1, c.Chunks, c.Start, c.End, x.Total), p.Note)
	result := t.marked(p, around.detail)
	result.Outcome = tools.OutcomeChunked
	if len(p.Outline) > 0 {
		before, _ := strings.CutSuffix(result.Text, separated(c.Text))
		result.Text = before + "\noutline:\n" + strings.Join(p.Outline, "\n") + separated(c.Text)
	}
	if len(result.Text) > repeatAfter && more != "" {
		result.Text = result.Mark.End(result.Text) + "\n[" + more + "]"
	}
	return result
}

// lessSaid is what to say of what stands beside the first chunk with less than all
// there is to know, "" when nothing is missing.
func (t teller) lessSaid(c answer.Chunk, around surrounding) string {
	if c.Index > 0 || around.detail == 0 || t.show(part{}, around.detail).Text == t.show(part{}, 0).Text {
		return ""
	}
	return t.less
}

// sizeOf is what an answer costs, in bytes of the larger channel.
func sizeOf(r tools.Result) int {
	object, err := json.Marshal(r.Structured)
	if err != nil {
		return len(r.Text)
	}
	return max(len(r.Text), len(object))
}
