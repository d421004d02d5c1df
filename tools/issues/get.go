package issues

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/markdown"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// An issueAnswer answers issues_get. Its lines count in the description, not in the file.
type issueAnswer struct {
	Issue documentView `json:"issue"`
	answer.Shown
}

func get(ix *index.Index) tools.Tool {
	return tools.Tool{
		Name: "issues_get",
		Description: "Get one issue: read or show every field and its Markdown text. Read-only. id: an id, path or number. " +
			"For less: fields, section (a heading), startLine and endLine (from 1).",
		ReadOnly:   true,
		Idempotent: true,
		Input: tools.ObjectSchema(`"id":`+anyText+`,"fields":`+fieldsFilter+`,"section":`+anyText+
			`,"startLine":`+number+`,"endLine":`+number+`,"cursor":`+anyText+`,"maxTokens":`+number, "id"),
		Output: tools.ObjectSchema(`"issue":`+documentObject+`,`+answer.ShownProperties, "issue"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			id := args.Required("id")
			g := getCall{args: args, fields: args.Enums("fields", fieldNames...), passage: args.Passage()}
			from := cursor(args)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			var row index.Row
			var err error
			if len(g.fields) == 0 && from == "" && !g.passage.Given() {
				var links index.DocumentLinks
				links, g.doc, err = ix.LoadLinked(ctx, id, false)
				g.links, row = &links, links.Row
			} else {
				row, g.doc, err = ix.Load(ctx, id)
			}
			if err != nil {
				return tools.Result{}, err
			}
			g.claim = claimOf(ctx, ix, g.doc)
			g.id, g.shared = shortID(row.Handle(), row.Path), row.Shared
			g.head = sync.OnceValue(g.showHead)
			if from != "" {
				return g.resume(from)
			}
			return g.read()
		},
	}
}

// A getCall is one call of issues_get.
type getCall struct {
	args    *tools.Args
	fields  []string
	passage answer.Passage

	doc    *store.Document
	claim  *claimView
	links  *index.DocumentLinks // nil when they are not shown
	id     string               // to name the document by
	shared bool                 // only its path does
	// head is showHead, once: to count the boxes takes a look at the whole text.
	head func() documentView
}

// read answers with the whole document or passage if it fits, else with a part.
func (g getCall) read() (tools.Result, error) {
	x, err := g.passage.Locate(g.doc.Body)
	if err != nil {
		return tools.Result{}, err
	}
	b := g.args.Budget()
	hasText := g.passage.Given() || len(g.fields) == 0 || slices.Contains(g.fields, "description")
	chunked := hasText && b.Chunking
	if b.Off || !chunked || x.To-x.From <= b.Bytes { // else no need to write it out
		if whole := g.whole(x); g.args.Fits(whole) || !chunked && (hasText || !b.Summarization) {
			return whole, nil
		}
	}
	if !hasText {
		return g.squeezed(), nil
	}
	return g.chunk(x, g.text().Start(x)), nil
}

// view shows the document, or the given fields. Who works on it belongs to its status.
func (g getCall) view(fields []string) documentView {
	d := show(g.doc, g.shared, fields)
	if len(fields) == 0 || slices.Contains(fields, "status") || slices.Contains(fields, "assignee") {
		d.Claim = g.claim
	}
	if g.links != nil && len(fields) == 0 {
		d = d.linked(g.doc, g.links)
	}
	return d
}

// showHead returns the fields that the answer shows beside the text.
func (g getCall) showHead() documentView {
	fields := g.fields
	if g.passage.Given() {
		fields = append([]string{"title"}, fields...)
	}
	d := g.view(fields)
	d.Description = nil
	return d
}

// whole returns the answer with nothing cut.
func (g getCall) whole(x answer.Extent) tools.Result {
	if !g.passage.Given() {
		d := g.view(g.fields)
		result := tools.Result{Text: d.text(), Structured: issueAnswer{Issue: d}, Items: 1}
		if d.Description != nil {
			result.Mark = answer.MarkFor(result.Text)
			result.Text = result.Mark.BeginOnly(result.Text)
		}
		return result
	}
	d := g.head()
	text := g.doc.Body[x.From:x.To]
	head := fmt.Sprintf("%s\nlines %d-%d of %d:\n\n", d.text(), x.Start, x.End, x.Total)
	d.Description = &text
	mark := answer.MarkFor(head, text)
	return tools.Result{Text: mark.BeginOnly(head + text), Mark: mark, Items: 1, Structured: issueAnswer{
		Issue: d, Shown: answer.Shown{StartLine: x.Start, EndLine: x.End, TotalLines: x.Total},
	}}
}

// size returns the size of the whole answer: the bytes of the larger channel.
func (g getCall) size(x answer.Extent) int {
	d := g.head()
	text := g.doc.Body[x.From:x.To]
	return max(len(d.text())+len(text), len(marshalled(d))+answer.Escaped(text))
}

// squeezed returns an answer without the text and with its long fields cut.
func (g getCall) squeezed() tools.Result {
	d, note := g.head().squeezed(g.args.Room().Bytes()-len(`{"issue":}`)-len("\n\n"), g.hint())
	return tools.Result{
		Text: d.text() + "\n" + note, Structured: issueAnswer{Issue: d, Shown: answer.Shown{Note: note}},
		Items: 1, Outcome: tools.OutcomeSummarized, Original: g.size(answer.Extent{}),
	}
}

// hint says how to read what an answer leaves out of a document's fields.
func (g getCall) hint() string {
	if len(g.fields) > 0 {
		return "Pass a larger maxTokens, or read the file, to see more."
	}
	return fmt.Sprintf("Read them with issues_get {id: '%s', fields: […]}, with maxTokens, or in the file.", words.OneLine(g.id))
}

// text returns the body for reading in chunks. Cursors are bound to the file's name,
// which a document keeps when it moves to the archive.
func (g getCall) text() answer.LongText {
	return answer.LongText{Tool: "issues_get", Name: tools.Plain(g.id), Seal: path.Base(g.doc.Path), Body: g.doc.Body}
}

// resume answers with the chunk that a cursor points to.
func (g getCall) resume(cursor string) (tools.Result, error) {
	x, p, err := g.text().Resume(cursor, g.passage)
	if err != nil {
		return tools.Result{}, err
	}
	return g.chunk(x, p), nil
}

// A chunkContext is what an answer shows beside a chunk.
type chunkContext struct {
	documentView
	outline []string
	note    string
	short   bool // leaves out the other ways to read on
}

// least returns the context that every chunk has room for.
func (g getCall) least() chunkContext {
	const title = 40 // bytes
	return chunkContext{documentView: documentView{ID: g.head().ID, Title: words.CutBytes(g.head().Title, title)}, short: true}
}

// chunk answers with one chunk. The first comes with the document's fields and an
// outline, as far as they fit beside the chunk. The others come with its id and title.
func (g getCall) chunk(x answer.Extent, p answer.ChunkStart) tools.Result {
	c := g.text().Cut(x, p, g.limits())
	if c.Index > 0 {
		d := g.head()
		result := g.show(x, c, chunkContext{documentView: documentView{ID: d.ID, Title: words.CutBytes(d.Title, titleLength)}})
		if !g.args.Fits(result) {
			result = g.show(x, c, g.least())
		}
		return result
	}
	least := g.show(x, c, g.least())
	size, room := answer.SpaceOf(least.Text, marshalled(least.Structured)), g.args.Room()
	left := min(room.Text-size.Text, room.Object-size.Object) - len("note")
	headings := answer.Within(markdown.Outline(g.doc.Body), x.Start, x.End)
	original := g.size(x)
	for _, beside := range g.contexts(left) {
		if c.Chunks > 1 && !beside.short {
			const ways = 300 // bytes
			lines := room.Lines - size.Lines - strings.Count(beside.text(), "\n") - 3
			beside.outline = answer.Outline(headings, left-ways-len(marshalled(beside.documentView))-len(beside.note), lines)
		}
		result := g.show(x, c, beside)
		if result.Original = original; g.args.Fits(result) {
			return result
		}
	}
	least.Original = original
	return least
}

// contexts returns what to try beside the first chunk in so many bytes, best first.
func (g getCall) contexts(bytes int) []chunkContext {
	d := g.head()
	all := []chunkContext{{documentView: d}}
	if !g.args.Budget().Summarization {
		return all
	}
	for _, part := range []int{bytes * 2 / 3, bytes / 3} {
		squeezed, note := d.squeezed(part, g.hint())
		all = append(all, chunkContext{documentView: squeezed, note: note})
	}
	named := documentView{ID: shortID(d.ID, d.Path), Title: words.CutBytes(d.Title, titleLength), Status: words.Cut(d.Status, narrowWord), Path: d.Path}
	return append(all, chunkContext{documentView: named, note: "The other fields are left out. " + g.hint()}, chunkContext{documentView: named, short: true})
}

// limits returns the limits of a chunk: those of the budget, or less to leave room for the
// least context. They are the same for all chunks of a text, so that chunks join.
func (g getCall) limits() answer.ChunkLimits {
	const many, leastTokens = 99_999, 10
	beside := g.show(answer.Extent{Total: many}, answer.Chunk{ChunkStart: answer.ChunkStart{Index: many}, Chunks: many, Start: many, End: many, Next: strings.Repeat("x", 24)}, g.least())
	again := strings.Repeat("x", 100) // the line that repeats how to go on
	size, room := answer.SpaceOf(beside.Text+again, marshalled(beside.Structured)), g.args.Room()
	limits := g.args.Budget().Chunk()
	tokens := answer.RoomInMarks(g.doc.Body, min(room.Text-size.Text, room.Object-size.Object)*3/10)
	limits.Tokens = max(leastTokens, min(limits.Tokens, tokens))
	limits.Lines = max(1, min(limits.Lines, room.Lines-size.Lines-2))
	return limits
}

// show writes a chunk and its context.
func (g getCall) show(x answer.Extent, c answer.Chunk, beside chunkContext) tools.Result {
	d := beside.documentView
	if g.shared {
		d.Path = g.doc.Path
	}
	head := d.text()
	mark := answer.MarkFor(head, c.Text)
	head = mark.BeginOnly(head)
	reply := issueAnswer{Issue: d, Shown: answer.Shown{StartLine: c.Start, EndLine: c.End, TotalLines: x.Total, Note: beside.note}}
	reply.Issue.Description = &c.Text
	result := tools.Result{Mark: mark, Items: 1}
	if c.Chunks == 1 {
		missing := beside.note
		if !g.passage.Given() {
			reply.StartLine, reply.EndLine, reply.TotalLines = 0, 0, 0
		} else {
			missing = sentences(missing, fmt.Sprintf("Lines %d-%d of %d:", c.Start, c.End, x.Total))
		}
		result.Text, result.Structured, result.Outcome = head+"\n"+missing+"\n\n"+c.Text, reply, tools.OutcomeSummarized
		return result
	}
	more, ways := "", ""
	if c.Next != "" {
		more = fmt.Sprintf("Pass cursor '%s' with the id to see the next chunk.", c.Next)
	}
	if c.Index == 0 && !beside.short {
		ways = fmt.Sprintf("Or pass section (a heading), startLine and endLine, or maxTokens (up to %d) for larger chunks.", g.args.Settings().MaxTokens)
	}
	reply.Outline, reply.ChunkIndex, reply.TotalChunks, reply.NextCursor = beside.outline, &c.Index, c.Chunks, c.Next
	reply.Note = sentences(more, ways, beside.note)
	first := fmt.Sprintf("Chunk %d of %d of %s, lines %d-%d of %d.", c.Index+1, c.Chunks, name(words.CutBytes(d.ID, titleLength)), c.Start, c.End, x.Total)
	parts := []string{sentences(first, more, ways), head}
	if beside.note != "" {
		parts = append(parts, beside.note)
	}
	if len(beside.outline) > 0 {
		parts = append(append(parts, "outline:"), beside.outline...)
	}
	result.Text = strings.Join(parts, "\n") + "\n\n" + c.Text
	if len(result.Text) > repeatAfter && more != "" {
		result.Text = mark.End(result.Text) + "\n[" + more + "]"
	}
	result.Structured, result.Outcome = reply, tools.OutcomeChunked
	return result
}
