package resources

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/markdown"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

func read(ctx context.Context, r *tools.ResourceRequest, withTools bool) (tools.ResourceText, error) {
	n, err := parseURI(r.URI)
	if err != nil {
		return tools.ResourceText{}, err
	}
	b, err := Workspace(ctx, r, n.workspace)
	if err != nil {
		return tools.ResourceText{}, err
	}
	defer b.Release()
	f, err := load(ctx, b.Index, n.id)
	if err != nil {
		return tools.ResourceText{}, err
	}
	passage := answer.Passage{Section: n.heading}
	x, err := passage.Locate(f.doc.Body)
	if missing := (*markdown.SectionError)(nil); errors.As(err, &missing) {
		wrong := *tools.ErrorOf(err)
		wrong.Code = tools.CodeNotFound
		return tools.ResourceText{}, wrong.Try("Take one of these headings, percent-encoded, or leave /%s/… out:",
			sectionPart)
	}
	if err != nil {
		return tools.ResourceText{}, err
	}
	s := resourceView{documentFile: f, name: n, passage: x, budget: r.Budget(b.Settings), withTools: withTools}
	if n.heading != "" {
		s.head = ""
	}
	return s.fitted(), nil
}

// A documentFile is a document and what stands before its text.
type documentFile struct {
	doc  *store.Document
	row  index.Row
	head string // the frontmatter with its fences
}

// mostReads is how often a file may change while it is read.
const mostReads = 5

// load reads a document and the bytes before its text as of one moment.
func load(ctx context.Context, ix *index.Index, id string) (f documentFile, err error) {
	for range mostReads {
		if f.row, f.doc, err = ix.Load(ctx, id); err != nil {
			return f, err
		}
		var data []byte
		if data, _, err = ix.Workspace().Read(f.doc.Path); err != nil {
			continue // it was moved, or cannot be read, which the next look finds out
		}
		head, whole := strings.CutSuffix(string(data), f.doc.Body)
		if f.head = head; whole {
			return f, nil
		}
	}
	if err == nil {
		err = errors.New("the document keeps changing while it is read: try again")
	}
	return f, err
}

// A resourceView is what is to be read of a document.
type resourceView struct {
	documentFile
	name      resourceName
	passage   answer.Extent
	budget    answer.Budget
	withTools bool
}

// fitted returns the text, or as much of it as there is room for and how to read on.
func (s resourceView) fitted() tools.ResourceText {
	whole := s.head + s.doc.Body[s.passage.From:s.passage.To]
	if s.budget.Off || s.budget.Holds(whole) {
		return tools.ResourceText{Text: whole, Whole: len(whole)}
	}
	const beside = 800 // bytes of what says how to read on
	head := s.head
	if most := s.budget.Bytes / 4; len(head) > most {
		head = words.CutBytes(head, most) + "\n"
	}
	text := answer.LongText{Tool: "issues_get", Name: tools.Plain(s.name.id), Seal: path.Base(s.doc.Path),
		Body: s.doc.Body}
	room := min(s.budget.Bytes, s.budget.Tokens*10/3) - len(head) - beside
	chunk := text.Cut(s.passage, text.Start(s.passage), answer.ChunkLimits{
		Tokens: max(1, room*3/10),
		Lines:  max(1, s.budget.Lines-strings.Count(head, "\n")-6),
	})
	return tools.ResourceText{Text: head + chunk.Text + s.readOn(chunk, head != s.head), Whole: len(whole), Cut: true}
}

// readOn says what a text leaves out, and how to get it.
func (s resourceView) readOn(c answer.Chunk, headCut bool) string {
	var said []string
	if headCut {
		said = append(said, "The frontmatter is cut.")
	}
	if c.Next != "" {
		said = append(said, fmt.Sprintf("This is as far as line %d of %d of the text.", c.End, s.passage.End))
	}
	id, ok := tools.Whole(s.row.ID)
	if s.row.Shared || !ok {
		id = s.row.Path
	}
	if s.withTools && c.Next != "" {
		said = append(said, fmt.Sprintf("The rest: issues_get {id: '%s', cursor: '%s'}.", tools.Line(id), c.Next))
	}
	section := resourceName{workspace: s.name.workspace, id: s.name.id}.String() + "/" + sectionPart + "/"
	if s.name.heading == "" && len(markdown.Outline(s.doc.Body)) > 0 && len(section) <= 300 {
		said = append(said, "One section: "+section+"{heading}.")
	}
	return "\n\n[" + strings.Join(said, " ") + "]\n"
}
