package wagtail

import (
	"fmt"
	"maps"
	"net/url"
	"strings"

	"issues-index/store/markdown"
	"issues-index/tools"
	"issues-index/tools/answer"
)

const (
	// leastChunk is the smallest chunk worth a call, in tokens.
	leastChunk = 10
	// outlineShare is the room of an outline beside a chunk, for each byte that a field may have.
	outlineShare = 4
)

// A pageAnswer is the answer of wagtail_get_page_details and wagtail_get_page_html.
type pageAnswer struct {
	Page document `json:"page"`
	answer.Shown
}

// A longDocument is a document with its text, of which an answer shows all or a part.
type longDocument struct {
	document
	answer.LongText
	args     *tools.Args
	query    url.Values // of the call, for the cursor
	extent   answer.Extent
	headings []markdown.Heading // of the extent
}

// answerText answers with a document and its text: whole where that fits, else the section or
// the chunk that the call asks for.
func (s *Site) answerText(args *tools.Args, tool string, query url.Values, d document, text string) (tools.Result,
	error) {
	onward := maps.Clone(query)
	onward.Del("at")
	t := longDocument{document: d, args: args, query: onward, LongText: answer.LongText{
		Tool: tool, Name: fmt.Sprintf("%s %d", d.kind, d.ID), Body: text, Seal: s.base.String() + encodeCursor(tool, onward),
	}}
	if d.ID == 0 {
		t.Name = d.URL
	}
	var start answer.ChunkStart
	var err error
	if query.Has("at") {
		t.extent, start, err = t.Resume(query.Get("at"), answer.Passage{})
	} else if t.extent, err = (answer.Passage{Section: query.Get("section")}).Locate(text); err == nil {
		start = t.Start(t.extent)
	}
	if err != nil {
		return tools.Result{}, err
	}
	whole := answer.Chunk{ChunkStart: start, Text: text[t.extent.From:t.extent.To], Start: t.extent.Start,
		End: t.extent.End, Chunks: 1}
	budget := args.Budget()
	if start.Index == 0 && (budget.Off || !budget.Chunking || len(whole.Text) <= budget.Bytes) { // else it cannot fit
		if r := t.show(whole, d.widest()); args.Fits(r) || !budget.Chunking {
			return r, nil
		}
	}
	widest := 0
	if start.Index == 0 {
		t.headings = answer.Within(markdown.Outline(text), t.extent.Start, t.extent.End)
		widest = max(d.widest(), budget.Bytes/outlineShare)
	}
	for limits := budget.Chunk(); ; limits.Tokens, limits.Lines = limits.Tokens/2, max(1, limits.Lines/2) {
		c := t.Cut(t.extent, start, limits)
		r := fitted(args, widest, func(width int) tools.Result { return t.show(c, width) })
		if args.Fits(r) || limits.Tokens <= leastChunk {
			return r, nil
		}
	}
}

// show answers with a chunk, below fields of at most so many characters; the first has an outline
// as well.
func (t longDocument) show(c answer.Chunk, width int) tools.Result {
	d := t.document.at(width)
	d.Text = c.Text
	shown, where, onward, less := answer.Shown{}, "", "", ""
	if c.Index == 0 {
		less = d.less()
	}
	if t.query.Has("section") || c.Chunks > 1 {
		shown.StartLine, shown.EndLine, shown.TotalLines = c.Start, c.End, t.extent.Total
		where = fmt.Sprintf("Lines %d-%d of %d.", c.Start, c.End, t.extent.Total)
	}
	r := tools.Result{Items: 1}
	if c.Chunks > 1 {
		r.Outcome = tools.OutcomeChunked
		shown.ChunkIndex, shown.TotalChunks = &c.Index, c.Chunks
		const fields = 25 // lines of fields before the text
		shown.Outline = answer.Outline(t.headings, outlineShare*width, max(0, t.args.Budget().Lines-(c.End-c.Start+1)-fields))
		where = fmt.Sprintf("Chunk %d of %d, lines %d-%d of %d.", c.Index+1, c.Chunks, c.Start, c.End, t.extent.Total)
	}
	if c.Next != "" {
		query := maps.Clone(t.query)
		query.Set("at", c.Next)
		shown.NextCursor = encodeCursor(t.Tool, query)
		onward = fmt.Sprintf("Pass cursor '%s' to see the next chunk.", shown.NextCursor)
		if c.Index == 0 {
			less = sentences(fmt.Sprintf("Or pass section (a heading), or maxTokens (up to %d) for larger chunks.",
				t.args.Settings().MaxTokens), less)
		}
	}
	shown.Note = sentences(onward, less)
	r.Text = sentences(d.heading(), where, shown.Note) + d.lines()
	if len(shown.Outline) > 0 {
		r.Text += "\noutline:\n" + strings.Join(shown.Outline, "\n")
	}
	r.Text += separated(c.Text)
	if c.Text != "" {
		r.Mark = answer.MarkFor(r.Text)
		r.Text = r.Mark.BeginOnly(r.Text)
	}
	if onward != "" && len(r.Text) > longAnswer {
		r.Text = r.Mark.End(r.Text) + "\n[" + onward + "]"
	}
	r.Structured = pageAnswer{Page: d, Shown: shown}
	return r
}
