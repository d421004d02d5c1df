package issues

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

const (
	// maxBatch is the most documents of one call.
	maxBatch = 50
	// maxPaths is the most paths of an ambiguous id that a batch lists.
	maxPaths = 10
)

// A batchAnswer answers issues_get_batch: what was found in the order asked for, each
// document once, and what was not.
type batchAnswer struct {
	Issues    []json.RawMessage `json:"issues"` // documents as asked for, or issueRow
	NotFound  []string          `json:"notFound"`
	Ambiguous []ambiguity       `json:"ambiguous,omitempty"`
	Note      string            `json:"note,omitempty"`
}

// An ambiguity is an id that names several documents.
type ambiguity struct {
	ID    string   `json:"id"`
	Paths []string `json:"paths"`
}

func getBatch(ix *index.Index) tools.Tool {
	return tools.Tool{
		Name: "issues_get_batch",
		Description: "Read up to 50 issues at once, each as issues_get does. Read-only. " +
			"Leave the text out with fields.",
		ReadOnly:   true,
		Idempotent: true,
		Input:      tools.ObjectSchema(`"ids":{"type":"array","items":`+anyText+`},"fields":`+fieldsFilter+`,"maxTokens":`+number, "ids"),
		Output: tools.ObjectSchema(`"issues":{"type":"array","items":`+documentObject+`},"notFound":`+anyTexts+`,"ambiguous":{"type":"array"}`,
			"issues", "notFound"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			ids := args.RequiredIDs("ids", maxBatch)
			fields := args.Enums("fields", fieldNames...)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			lookups, err := ix.GetBatch(ctx, ids)
			if err != nil {
				return tools.Result{}, err
			}
			b, err := readBatch(ctx, ix, args, lookups, fields)
			if err != nil {
				return tools.Result{}, err
			}
			return b.fit(), nil
		},
	}
}

// A batch is what one call of issues_get_batch found. Ids that were not found or are
// ambiguous come before the documents, since they say what to ask next.
type batch struct {
	args   *tools.Args
	fields []string // that were asked for, none for all
	room   answer.Space
	usual  string // priority, which rows leave out

	documents []batchDocument
	notFound  []string
	ambiguous []ambiguity
	notes     []string
	omitted   int // documents at the end that do not even fit as rows
}

// A batchDocument is a document in its two forms: as asked for and as a list row.
type batchDocument struct {
	row      issueRow
	path     string
	rendered [2]renderedRow // the row and the whole
	whole    bool           // shown as it was asked for
	tooLong  int            // bytes of a text that was dropped because it can never fit
}

// shown returns the form that the answer shows.
func (d batchDocument) shown() renderedRow {
	if d.whole {
		return d.rendered[1]
	}
	return d.rendered[0]
}

// readBatch reads what was looked up, each document once.
func readBatch(ctx context.Context, ix *index.Index, args *tools.Args, lookups []index.Lookup, fields []string) (*batch, error) {
	b := &batch{args: args, fields: fields, room: args.Room(), usual: layoutOf(ix).DefaultPriority()}
	seen := make(map[string]bool)
	for _, l := range lookups {
		err := b.read(ctx, ix, l, seen)
		var gone *index.NotFoundError
		var several *index.AmbiguousError
		var outside *store.PathError
		switch {
		case errors.As(err, &outside):
			b.notFound = append(b.notFound, l.ID)
			b.notes = append(b.notes, fmt.Sprintf("%s %s.", tools.Quote(outside.Path), outside.Reason))
		case errors.As(err, &gone):
			b.notFound = append(b.notFound, l.ID)
			if len(gone.Suggestions) > 0 {
				b.notes = append(b.notes, fmt.Sprintf("Instead of %s, did you mean %s?", name(l.ID), strings.Join(gone.Suggestions, ", ")))
			}
		case errors.As(err, &several):
			b.ambiguous = append(b.ambiguous, ambiguity{ID: l.ID, Paths: paths(several.Candidates)})
		case err != nil:
			return nil, err
		}
	}
	return b, nil
}

// read reads a looked-up document, unless an earlier id named it. It does not keep a text
// that cannot fit.
func (b *batch) read(ctx context.Context, ix *index.Index, l index.Lookup, seen map[string]bool) error {
	if l.Err != nil || seen[l.Row.Path] {
		return l.Err
	}
	seen[l.Row.Path] = true
	doc, err := load(ix, l.Row)
	if isGone(err) {
		l.Row, doc, err = ix.Load(ctx, l.ID) // moved meanwhile, perhaps
	}
	if err != nil {
		return err
	}
	whole := show(doc, l.Row.Shared, b.fields)
	d := batchDocument{row: summaryRow(l.Row, b.usual), path: l.Row.Path}
	d.row.ID, d.row.Created = shortID(d.row.ID, d.path), ""
	if text := whole.Description; text != nil && len(*text) > b.room.Bytes() && b.args.Budget().Summarization {
		d.tooLong, whole.Description = len(*text), nil
	}
	d.rendered = [2]renderedRow{d.row.render(), fullRow{documentView: whole}.render()}
	b.documents = append(b.documents, d)
	return nil
}

func paths(rows []index.Row) []string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.Path
	}
	return list
}

// fit shows every document as asked for if that fits. Otherwise every document gets a list
// row, and then, from the first on, each document that still fits is shown as asked for.
// When not even the rows fit, it leaves out the last ones.
func (b *batch) fit() tools.Result {
	tooLong := 0
	for i := range b.documents {
		b.documents[i].whole = true
		tooLong += b.documents[i].tooLong
	}
	size := b.size()
	if tooLong == 0 && (size.In(b.room) || !b.args.Budget().Summarization) {
		return b.result()
	}
	original := size.Larger() + tooLong
	for i := range b.documents {
		b.documents[i].whole = false
	}
	b.shorten()
	rows := answer.Rows{
		Room: b.room, Flags: answer.Flags{Summarization: true},
		Around: func(int) answer.Space { return b.around(0) },
		Narrow: func(i int) (answer.Space, bool) {
			d := &b.documents[i]
			narrower, ok := d.row.narrower(d.path)
			if !ok || narrower.Omitted == allOthers {
				return answer.Space{}, false
			}
			d.row, d.rendered[0] = narrower, narrower.render()
			return d.rendered[0].size(), true
		},
	}
	for _, d := range b.documents {
		rows.Sizes = append(rows.Sizes, d.rendered[0].size())
	}
	rows.Fit()
	for i := range b.documents {
		d := &b.documents[i]
		if d.whole = d.tooLong == 0; d.whole && !b.size().In(b.room) {
			d.whole = false
		}
	}
	for len(b.documents) > b.omitted+1 && !b.size().In(b.room) {
		b.omitted++
	}
	r := b.result()
	r.Outcome, r.Original = tools.OutcomeSummarized, original
	return r
}

// shorten cuts what the answer says beside the documents.
func (b *batch) shorten() {
	for i, id := range b.notFound {
		b.notFound[i] = words.Cut(id, titleLength)
	}
	b.notes = slices.DeleteFunc(b.notes, func(note string) bool { return len(note) > 2*titleLength }) // a cut id is none
	for i, a := range b.ambiguous {
		b.ambiguous[i].ID = words.Cut(a.ID, titleLength)
		if left := len(a.Paths) - maxPaths; left > 0 {
			b.ambiguous[i].Paths = a.Paths[:maxPaths]
			b.notes = append(b.notes, words.Count(left, "path")+" of "+b.ambiguous[i].ID+" are left out: issues_get with the id lists them.")
		}
	}
}

// shownDocuments returns the documents that are not left out.
func (b *batch) shownDocuments() []batchDocument { return b.documents[:len(b.documents)-b.omitted] }

// size returns the size of the answer, rounded up by a few bytes.
func (b *batch) size() answer.Space {
	whole, mark := 0, 0
	size := answer.Space{}
	for _, d := range b.shownDocuments() {
		size = size.Plus(d.shown().size())
		if d.whole {
			whole++
			mark = max(mark, d.shown().mark)
		}
	}
	return size.Plus(b.around(whole)).Plus(answer.Space{Text: whole * (2*mark + len("\n \n")), Lines: 2 * whole})
}

// around returns the size of the answer without its documents, of which some are whole.
func (b *batch) around(whole int) answer.Space {
	lines, object := b.head(whole)
	return answer.SpaceOf(strings.Join(lines, "\n"), marshalled(object))
}

// head returns the lines above the documents and the object without documents.
func (b *batch) head(whole int) ([]string, batchAnswer) {
	object := batchAnswer{Issues: []json.RawMessage{}, NotFound: append([]string{}, b.notFound...), Ambiguous: b.ambiguous}
	notes := append([]string{b.missing(whole)}, b.notes...)
	if len(b.ambiguous) > 0 {
		notes = append(notes, "Pass a path in place of an ambiguous id.")
	}
	object.Note = sentences(notes...)
	lines := []string{fmt.Sprintf("%d of %d documents found.", len(b.documents), len(b.documents)+len(b.notFound)+len(b.ambiguous))}
	if len(b.notFound) > 0 {
		names := make([]string, len(b.notFound))
		for i, id := range b.notFound {
			names[i] = name(id)
		}
		lines = append(lines, "Not found: "+strings.Join(names, ", ")+".")
	}
	for _, a := range b.ambiguous {
		lines = append(lines, name(a.ID)+" is one of:")
		for _, path := range a.Paths {
			lines = append(lines, " "+pathText(path))
		}
	}
	if object.Note != "" {
		lines = append(lines, object.Note)
	}
	return lines, object
}

// missing says how many documents are as asked for, what the rows of the others lack, and
// how to read them. It is "" when nothing is missing.
func (b *batch) missing(whole int) string {
	all := len(b.documents)
	if whole == all {
		return ""
	}
	as := "shown whole"
	if len(b.fields) > 0 {
		as = "shown with the fields asked for"
	}
	note := fmt.Sprintf("To fit, %d of %d documents are %s and %d as list rows%s (priority is %s unless shown).",
		whole, all, as, all-whole-b.omitted, b.lacking(), b.usual)
	if b.omitted > 0 {
		note += fmt.Sprintf(" %d are left out, from %s on.", b.omitted, name(b.documents[all-b.omitted].row.ID))
	}
	return note + " Read the others with issues_get, or call again with fewer ids or with maxTokens."
}

// lacking names what was asked for that no row has.
func (b *batch) lacking() string {
	if len(b.fields) == 0 {
		return " without their text"
	}
	var fields []string
	for _, field := range b.fields {
		switch field {
		case "title", "status", "priority", "labels":
		case "description":
			fields = append(fields, "text")
		case "dates":
			fields = append(fields, "createdAt")
		default:
			fields = append(fields, field)
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return " without " + strings.Join(fields, ", ")
}

// result writes the answer: what was not found, the rows, then the whole documents.
func (b *batch) result() tools.Result {
	var whole []renderedRow
	var rows []string
	var objects [][]byte
	for _, d := range b.shownDocuments() {
		objects = append(objects, d.shown().object)
		if d.whole {
			whole = append(whole, d.shown())
		} else {
			rows = append(rows, d.shown().text)
		}
	}
	lines, object := b.head(len(whole))
	lines = append(lines, rows...)
	result := tools.Result{Items: len(objects)}
	if len(whole) > 0 {
		var documents string
		documents, result.Mark = inMarks(whole, lines...)
		lines = append(lines, documents)
	}
	result.Text = strings.Join(lines, "\n")
	result.Structured = withIssues(marshalled(object), bytes.Join(objects, []byte(",")))
	return result
}
