package issues

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"sync"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store"
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
			g.id, g.shared = documents.ShortID(row.Handle(), row.Path), row.Shared
			g.head = sync.OnceValue(g.showHead)
			g.squeezed = sync.OnceValues(func() (documentView, string) { return g.head().squeezed(g.roomForFields(), g.hint()) })
			fitted, err := g.document(from).Fit(args.Budget(), args.Room())
			return tools.Fitted(fitted), err
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
	// squeezed is the head with its long fields cut, and what was cut.
	squeezed func() (documentView, string)
}

// document is the answer. Cursors are bound to the file's name, which a document keeps when it
// moves to the archive.
func (g getCall) document(cursor string) answer.Document {
	return answer.Document{
		LongText: answer.LongText{Tool: "issues_get", Name: documents.Name(tools.Plain(g.id)), Seal: path.Base(g.doc.Path),
			Body: g.doc.Body},
		Passage: g.passage, Cursor: cursor,
		NoText: cursor == "" && !g.hasText(),
		Show:   g.show, Last: 3, Less: g.less, MostTokens: g.args.Settings().MaxTokens,
	}
}

// hasText reports whether the call asks for text beside the fields.
func (g getCall) hasText() bool {
	return g.passage.Given() || len(g.fields) == 0 || slices.Contains(g.fields, "description")
}

// show writes the document's fields: at level 0 all that were asked for, then with the long ones
// cut, then what says which document it is, and at last only its id and the beginning of its title.
func (g getCall) show(level int, shown answer.Shown, text *string) (lines string, object json.RawMessage) {
	const leastTitle = 40 // bytes
	d := g.head()
	switch level {
	case 0:
	case 1:
		d, _ = g.squeezed()
	case 2:
		d = documentView{ID: documents.ShortID(d.ID, d.Path), Title: words.CutBytes(d.Title, documents.TitleLength),
			Status: words.Cut(d.Status, narrowWord), Path: d.Path}
	default:
		d = documentView{ID: g.id, Title: words.CutBytes(d.Title, leastTitle)}
	}
	if g.shared {
		d.Path = g.doc.Path
	}
	lines = d.fields()
	d.Description = text
	return lines, marshalled(issueAnswer{Issue: d, Shown: shown})
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

// less says what the fields of a level leave out.
func (g getCall) less(level int) string {
	if level > 1 {
		return "The other fields are left out. " + g.hint()
	}
	_, note := g.squeezed()
	return note
}

// roomForFields is the room that the fields may take where they do not fit whole, in bytes.
func (g getCall) roomForFields() int {
	room := g.args.Room().Bytes()
	if !g.hasText() {
		return room - len(`{"issue":}`) - len("\n\n")
	}
	return room / 2
}

// hint says how to read what an answer leaves out of a document's fields.
func (g getCall) hint() string {
	if len(g.fields) > 0 {
		return "Pass a larger maxTokens, or read the file, to see more."
	}
	return fmt.Sprintf("Read them with issues_get {id: '%s', fields: […]}, with maxTokens, or in the file.",
		words.OneLine(g.id))
}
