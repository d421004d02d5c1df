package issues

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
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
		Input: tools.ObjectSchema(`"ids":{"type":"array","items":`+anyText+`},"fields":`+fieldsFilter+`,"maxTokens":`+
			number, "ids"),
		Output: tools.ObjectSchema(`"issues":{"type":"array","items":`+documentObject+`},"notFound":`+anyTexts+
			`,"ambiguous":{"type":"array"}`,
			"issues", "notFound"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			ids := words.Once(args.RequiredIDs("ids", maxBatch))
			fields := args.Enums("fields", fieldNames...)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			lookups, err := ix.GetBatch(ctx, ids)
			if err != nil {
				return tools.Result{}, err
			}
			b := &batch{args: args, fields: fields, usual: layoutOf(ix).DefaultPriority()}
			if err := b.readAll(ctx, ix, lookups); err != nil {
				return tools.Result{}, err
			}
			return b.result(), nil
		},
	}
}

// A batch is what one call of issues_get_batch found. Ids that were not found or are
// ambiguous come before the documents, since they say what to ask next.
type batch struct {
	args   *tools.Args
	fields []string // that were asked for, none for all
	usual  string   // priority, which rows leave out

	list      answer.List // the documents, as they were asked for
	rows      []index.Row // the same
	lines     []issueRow  // what stands for a document that does not fit, beyond level 0
	notFound  []string
	ambiguous []ambiguity
	notes     []string
}

// readAll reads what was looked up, each document once.
func (b *batch) readAll(ctx context.Context, ix *index.Index, lookups []index.Lookup) error {
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
			if len(gone.Suggestions) > 0 && len(l.ID) <= documents.TitleLength { // a cut id is none
				b.notes = append(b.notes, fmt.Sprintf("Instead of %s, did you mean %s?", documents.Name(l.ID),
					strings.Join(gone.Suggestions, ", ")))
			}
		case errors.As(err, &several):
			b.ambiguous = append(b.ambiguous, ambiguity{ID: l.ID, Paths: paths(several.Candidates)})
		case err != nil:
			return err
		}
	}
	return nil
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
	line := summaryRow(l.Row, b.usual)
	line.ID, line.Created = documents.ShortID(line.ID, l.Row.Path), ""
	row := fullRow{documentView: whole}.render()
	if text := whole.Description; text != nil && len(*text) > b.args.Room().Bytes() && b.args.Budget().Summarization {
		row = b.line(line)
		b.list.Unread += len(*text)
	}
	b.rows, b.lines, b.list.Rows = append(b.rows, l.Row), append(b.lines, line), append(b.list.Rows, row)
	return nil
}

// line is a document that is shown as a row of a list.
func (b *batch) line(r issueRow) answer.Row {
	row := r.render()
	row.Omitted = strings.TrimPrefix(row.Omitted+", text", ", ")
	return row
}

func paths(rows []index.Row) []string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.Path
	}
	return list
}

// result shows every document as it was asked for where that fits. Otherwise the last documents, and
// those that cannot fit, are rows of a list.
func (b *batch) result() tools.Result {
	b.list.Member, b.list.Asked, b.list.Wide = "issues", true, b.args.Room().Bytes()*3/4
	b.list.Narrow = func(i int) (answer.Row, bool) {
		if b.list.Rows[i].Block {
			return b.line(b.lines[i]), true
		}
		narrower, ok := b.lines[i].narrower(b.rows[i].Path)
		if !ok || narrower.Omitted == allOthers {
			return answer.Row{}, false
		}
		b.lines[i] = narrower
		return b.line(narrower), true
	}
	b.list.Around = b.around
	r := b.args.List(&b.list)
	if r.Original > 0 {
		r.Outcome = tools.OutcomeSummarized
	}
	return r
}

// around is what stands above the first n documents, and the object without documents.
func (b *batch) around(n int) answer.Around {
	most := len(b.notFound) + len(b.ambiguous)
	a := batchAnswer{Issues: []json.RawMessage{}, NotFound: []string{}}
	lines := []string{fmt.Sprintf("%d of %d documents found.", len(b.list.Rows), len(b.list.Rows)+most)}
	var names []string
	for _, id := range b.notFound {
		a.NotFound, names = append(a.NotFound, words.Cut(id, documents.TitleLength)),
			append(names, documents.Name(words.Cut(id, documents.TitleLength)))
	}
	if len(names) > 0 {
		lines = append(lines, "Not found: "+strings.Join(names, ", ")+".")
	}
	notes := append([]string{b.missing(n)}, b.notes...)
	for _, one := range b.ambiguous {
		one.ID = words.Cut(one.ID, documents.TitleLength)
		left := len(one.Paths) - maxPaths
		one.Paths = one.Paths[:min(len(one.Paths), maxPaths)]
		lines = append(lines, documents.Name(one.ID)+" is one of:")
		for _, path := range one.Paths {
			lines = append(lines, " "+documents.PathText(path))
		}
		if left > 0 {
			notes = append(notes, words.Count(left, "path")+" of "+one.ID+" are left out: issues_get with the id lists them.")
		}
		a.Ambiguous = append(a.Ambiguous, one)
	}
	if len(b.ambiguous) > 0 {
		notes = append(notes, "Pass a path in place of an ambiguous id.")
	}
	if a.Note = sentences(notes...); a.Note != "" {
		lines = append(lines, a.Note)
	}
	return answer.Around{Head: strings.Join(lines, "\n"), Object: marshalled(a)}
}

// missing says how many of the first n documents are as asked for, what the rows of the others
// lack, and how to read them. It is "" when nothing is missing.
func (b *batch) missing(n int) string {
	all, whole := len(b.list.Rows), 0
	for _, r := range b.list.Rows[:n] {
		if r.Block {
			whole++
		}
	}
	if whole == all {
		return ""
	}
	as := "shown whole"
	if len(b.fields) > 0 {
		as = "shown with the fields asked for"
	}
	note := fmt.Sprintf("To fit, %d of %d documents are %s and %d as list rows%s (priority is %s unless shown).",
		whole, all, as, n-whole, b.lacking(), b.usual)
	if n < all {
		note += fmt.Sprintf(" %d are left out, from %s on.", all-n, documents.Name(b.lines[n].ID))
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
