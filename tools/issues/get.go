package issues

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"issues-index/index"
	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// A reading answers issues_get. Lines are those of the description, not of the file.
type reading struct {
	Issue document `json:"issue"`
	answer.Shown
}

func get(ix *index.Index) tools.Tool {
	return tools.Tool{
		Name: "issues_get",
		Description: "Get one issue: read or show every field and its Markdown text. Read-only. id may be an id, a path or a number. " +
			"Ask for less with fields, section (a heading) or startLine and endLine (lines of the text, from 1).",
		ReadOnly:   true,
		Idempotent: true,
		Input: tools.ObjectSchema(`"id":`+anyText+`,"fields":`+fieldsFilter+`,"section":`+anyText+
			`,"startLine":`+number+`,"endLine":`+number+`,"cursor":`+anyText+`,"maxTokens":`+number, "id"),
		Output: tools.ObjectSchema(`"issue":`+documentObject+`,`+answer.ShownProperties, "issue"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			id := args.Required("id")
			r := reader{args: args, fields: args.Enums("fields", fieldNames...), passage: args.Passage()}
			from := cursor(args)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			row, doc, err := find(ctx, ix, id)
			if err != nil {
				return tools.Result{}, err
			}
			r.doc = doc
			r.id, r.shared = levels[1].id(handle(row), row.Path), row.Shared
			if from != "" {
				return r.resume(from)
			}
			return r.read()
		},
	}
}

// A reader answers one call of issues_get.
type reader struct {
	args    *tools.Args
	fields  []string
	passage answer.Passage

	doc    *store.Document
	id     string // to name the document by
	shared bool   // only its path does
}

// read answers the document or the passage whole when that fits, else in part.
func (r reader) read() (tools.Result, error) {
	x, err := r.passage.Locate(r.doc.Body)
	if err != nil {
		return tools.Result{}, err
	}
	b := r.args.Budget()
	hasText := r.passage.Given() || len(r.fields) == 0 || slices.Contains(r.fields, "description")
	chunked := hasText && b.Chunking
	if b.Off || !chunked || x.To-x.From <= b.Bytes { // else no need to write it out
		if whole := r.whole(x); r.args.Fits(whole) || !chunked && (hasText || !b.Summarization) {
			return whole, nil
		}
	}
	if !hasText {
		return r.short(), nil
	}
	return r.chunk(x, r.text().Start(x)), nil
}

// head is what the answer shows of the document beside its text.
func (r reader) head() document {
	var d document
	if r.passage.Given() {
		d = part(r.doc, r.shared, append([]string{"title"}, r.fields...))
	} else {
		d = show(r.doc, r.shared, r.fields)
	}
	d.Description = nil
	return d
}

// whole is the answer with nothing missing.
func (r reader) whole(x answer.Extent) tools.Result {
	if !r.passage.Given() {
		d := show(r.doc, r.shared, r.fields)
		result := tools.Result{Text: d.text(), Structured: reading{Issue: d}, Items: 1}
		if d.Description != nil {
			result.Mark = answer.MarkFor(result.Text)
			result.Text = result.Mark.BeginOnly(result.Text)
		}
		return result
	}
	d := r.head()
	text := r.doc.Body[x.From:x.To]
	head := fmt.Sprintf("%s\nlines %d-%d of %d:\n\n", d.text(), x.Start, x.End, x.Total)
	d.Description = &text
	mark := answer.MarkFor(head, text)
	return tools.Result{Text: mark.BeginOnly(head + text), Mark: mark, Items: 1, Structured: reading{
		Issue: d, Shown: answer.Shown{StartLine: x.Start, EndLine: x.End, TotalLines: x.Total},
	}}
}

// size is what the whole answer would cost, in bytes of the larger channel.
func (r reader) size(x answer.Extent) int {
	d := r.head()
	text := r.doc.Body[x.From:x.To]
	object, err := json.Marshal(reading{Issue: d})
	if err != nil {
		return len(text)
	}
	return max(len(d.text())+len(text), len(object)+answer.Escaped(text))
}

// short is an answer without the text, its long fields cut until it fits.
func (r reader) short() tools.Result {
	d := r.head()
	original := r.size(answer.Extent{})
	for size := r.args.Budget().Bytes; ; size -= size / 4 {
		shown, missing := d.shorten(size)
		note := missing.note(r.id, r.fields)
		result := tools.Result{Text: shown.text() + "\n" + note, Structured: reading{Issue: shown, Shown: answer.Shown{Note: note}},
			Items: 1, Outcome: tools.OutcomeSummarized, Original: original}
		if r.args.Fits(result) || size <= leastSize {
			return result
		}
	}
}
