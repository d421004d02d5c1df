package issues

import (
	"context"
	"errors"
	"fmt"
	"math"

	"issues-index/index"
	"issues-index/store"
	"issues-index/tools"
)

// maxHeadings is the most headings that an error lists.
const maxHeadings = 40

// A reading answers issues_get. Lines count from 1 and are those of the
// description, not of the file.
type reading struct {
	Issue      document `json:"issue"`
	StartLine  int      `json:"startLine,omitempty"`
	EndLine    int      `json:"endLine,omitempty"`
	TotalLines int      `json:"totalLines,omitempty"`
}

func get(ix *index.Index) tools.Tool {
	return tools.Tool{
		Name: "issues_get",
		Description: "Read one document: every field and its Markdown text. Read-only. id may be an id, a path or a number. " +
			"Ask for less with fields, section (a heading) or startLine and endLine (lines of the text, from 1).",
		ReadOnly:   true,
		Idempotent: true,
		Input: schema(`"id":`+anyText+`,"fields":`+fieldsFilter+`,"section":`+anyText+
			`,"startLine":`+number+`,"endLine":`+number, "id"),
		Output: schema(`"issue":`+issueObject+`,"startLine":`+number+`,"endLine":`+number+`,"totalLines":`+number+`,"note":`+anyText, "issue"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			id := args.Required("id")
			fields := args.Enums("fields", fieldNames...)
			p := readPassage(args)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			row, err := ix.Get(ctx, id)
			if err != nil {
				return tools.Result{}, err
			}
			doc, err := load(ix, row)
			if err != nil {
				return tools.Result{}, err
			}
			if !p.given() {
				d := show(doc, row.Shared, fields)
				return tools.Result{Text: d.text(), Structured: reading{Issue: d}}, nil
			}
			return p.read(doc, row.Shared, fields)
		},
	}
}

// A passage is the part of a description that was asked for: a section or lines.
type passage struct {
	section    string
	start, end int // 0 when not given
}

func readPassage(args *tools.Args) passage {
	p := passage{
		section: args.String("section"),
		start:   args.Int("startLine", 1, math.MaxInt32, 0),
		end:     args.Int("endLine", 1, math.MaxInt32, 0),
	}
	switch {
	case p.section != "" && p.start+p.end > 0:
		args.Fail(tools.Errorf(tools.CodeValidation, "section and startLine or endLine were both given.").
			On("section").Try("Pass either a section or lines."))
	case p.end > 0 && p.end < p.start:
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid endLine %d: it is before startLine %d.", p.end, p.start).
			On("endLine").Try("Pass endLine %d or more, or leave it out to read to the end.", p.start))
	}
	return p
}

func (p passage) given() bool { return p.section != "" || p.start > 0 || p.end > 0 }

// read shows the passage in the description's place, of the other fields the
// title and those that were asked for.
func (p passage) read(doc *store.Document, shared bool, fields []string) (tools.Result, error) {
	total := store.LineCount(doc.Body)
	var text string
	if p.section != "" {
		found, heading, err := store.Section(doc.Body, p.section)
		if unfit := (*store.SectionError)(nil); errors.As(err, &unfit) {
			return tools.Result{}, sectionError(p.section, unfit)
		}
		text, p.start, p.end = found, heading.Line, heading.EndLine
	} else {
		p.start = max(p.start, 1)
		if p.start > total {
			return tools.Result{}, tools.Errorf(tools.CodeValidation, "Invalid startLine %d: the text has %d lines.", p.start, total).
				On("startLine").Try("Pass a startLine from 1 to %d.", total)
		}
		if p.end == 0 || p.end > total {
			p.end = total
		}
		text = store.Lines(doc.Body, p.start, p.end)
	}
	d := part(doc, shared, append([]string{"title"}, fields...))
	d.Description = nil
	head := fmt.Sprintf("%s\nlines %d-%d of %d:\n\n", d.text(), p.start, p.end, total)
	d.Description = &text
	return tools.Result{Text: head + text, Structured: reading{
		Issue: d, StartLine: p.start, EndLine: p.end, TotalLines: total,
	}}, nil
}

// sectionError names the headings that fit, else all there are.
func sectionError(section string, e *store.SectionError) error {
	failed := tools.Errorf(tools.CodeValidation, "No section %s.", tools.Quote(section)).On("section")
	if len(e.Candidates) == 0 {
		return failed.Try("The text has no headings: pass startLine and endLine, or read all of it.")
	}
	if e.Ambiguous {
		failed.Message = fmt.Sprintf("%d sections fit %s.", len(e.Candidates), tools.Quote(section))
	}
	headings := make([]string, 0, maxHeadings+1)
	for i, h := range e.Candidates {
		if i == maxHeadings {
			headings = append(headings, fmt.Sprintf("and %d more", len(e.Candidates)-i))
			break
		}
		headings = append(headings, fmt.Sprintf("%d-%d %s", h.Line, h.EndLine, tools.Plain(h.Text)))
	}
	return failed.Try("Pass one of these headings, or the lines before it as startLine and endLine:").Among(headings...)
}
