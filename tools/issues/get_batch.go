package issues

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// maxBatch is the most documents of one call.
const maxBatch = 50

// A batch answers issues_get_batch: what was found in the order asked for, each
// document once, and what was not.
type batch struct {
	Issues    []batchDocument `json:"issues"`
	NotFound  []string        `json:"notFound"`
	Ambiguous []ambiguity     `json:"ambiguous,omitempty"`
	Note      string          `json:"note,omitempty"`

	found, asked int      // documents and ids
	rows         []string // the documents that are shown as list rows
	entries      []entry  // those that are shown as asked for
}

// A batchDocument is a document as it was asked for, or its list row.
type batchDocument struct {
	document
	Updated string `json:"updated,omitempty"` // of a row, the day
	Omitted string `json:"omitted,omitempty"` // of a row, what did not fit
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
			"What cannot be found is named. Leave the text out with fields.",
		ReadOnly:   true,
		Idempotent: true,
		Input:      tools.ObjectSchema(`"ids":{"type":"array","items":`+anyText+`,"maxItems":50},"fields":`+fieldsFilter+`,"maxTokens":`+number, "ids"),
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
			f, err := readBatch(ctx, ix, lookups, fields, args.Budget())
			if err != nil {
				return tools.Result{}, err
			}
			return f.fit(args), nil
		},
	}
}

// readBatch reads what was looked up, each document once.
func readBatch(ctx context.Context, ix *index.Index, lookups []index.Lookup, fields []string, b answer.Budget) (*batchForm, error) {
	f := &batchForm{fields: fields}
	seen := make(map[string]bool)
	for _, l := range lookups {
		d, err := readOne(ctx, ix, l, seen, fields, b)
		var gone *index.NotFoundError
		var several *index.AmbiguousError
		var outside *store.PathError
		switch {
		case errors.As(err, &outside):
			f.notFound = append(f.notFound, l.ID)
			f.notes = append(f.notes, fmt.Sprintf("%s %s.", tools.Quote(outside.Path), outside.Reason))
		case errors.As(err, &gone):
			f.notFound = append(f.notFound, l.ID)
			if len(gone.Suggestions) > 0 {
				f.notes = append(f.notes, fmt.Sprintf("Instead of %s, did you mean %s?", name(l.ID), strings.Join(gone.Suggestions, ", ")))
			}
		case errors.As(err, &several):
			f.ambiguous = append(f.ambiguous, ambiguity{ID: l.ID, Paths: paths(several.Candidates)})
		case err != nil:
			return nil, err
		case d != nil:
			f.found = append(f.found, d)
		}
	}
	return f, nil
}

// readOne reads a looked-up document, nil when an earlier id named it already.
// One that cannot fit is not held in memory whole.
func readOne(ctx context.Context, ix *index.Index, l index.Lookup, seen map[string]bool, fields []string, b answer.Budget) (*batchItem, error) {
	if l.Err != nil || seen[l.Row.Path] {
		return nil, l.Err
	}
	seen[l.Row.Path] = true
	doc, err := load(ix, l.Row)
	if gone := (*index.NotFoundError)(nil); errors.As(err, &gone) {
		l.Row, doc, err = find(ctx, ix, l.ID) // moved meanwhile, perhaps
	}
	if err != nil {
		return nil, err
	}
	whole, size, tooLong := show(doc, l.Row.Shared, fields), 0, false
	if text := whole.Description; text != nil {
		size = answer.Escaped(*text)
		if tooLong = size > b.Bytes && b.Summarization && !b.Off; tooLong {
			whole.Description = nil
		}
	}
	return &batchItem{
		row: rowOf(doc, levels[1].id(handle(l.Row), l.Row.Path)), size: size, tooLong: tooLong,
		forms: [...]batchEntry{complete: {batchDocument: batchDocument{document: whole}}},
	}, nil
}

func paths(rows []index.Row) []string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.Path
	}
	return list
}

// text is what was not found, then the documents.
func (b batch) text() (string, answer.Mark) {
	lines := []string{fmt.Sprintf("%d of %d documents found.", b.found, b.asked)}
	if len(b.NotFound) > 0 {
		names := make([]string, len(b.NotFound))
		for i, id := range b.NotFound {
			names[i] = name(id)
		}
		lines = append(lines, "Not found: "+strings.Join(names, ", ")+".")
	}
	for _, a := range b.Ambiguous {
		lines = append(lines, name(a.ID)+" is one of:")
		for _, path := range a.Paths {
			lines = append(lines, " "+pathText(path))
		}
	}
	if b.Note != "" {
		lines = append(lines, b.Note)
	}
	lines = append(lines, b.rows...)
	if len(b.entries) == 0 {
		return strings.Join(lines, "\n"), ""
	}
	text, mark := inMarks(b.entries, lines...)
	return strings.Join(append(lines, text), "\n"), mark
}
