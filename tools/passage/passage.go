// Package passage reads parts of long Markdown texts for the tools that answer
// with one: a section, lines, or one chunk after the other.
//
// It knows nothing about where a text comes from or what stands beside it in an
// answer. Its invariants: lines count from 1; chunks join to what was asked for,
// byte for byte; a cursor is good for the text that it was made for, and says so
// when that changed.
package passage

import (
	"errors"
	"fmt"
	"math"

	"issues-index/store"
	"issues-index/tools"
)

// maxHeadings is the most headings that an error lists.
const maxHeadings = 40

// A Passage is the part of a text that was asked for: a section or lines.
type Passage struct {
	Section    string
	Start, End int // 0 when not given
}

// Read reads the arguments section, startLine and endLine.
func Read(args *tools.Args) Passage {
	p := Passage{
		Section: args.String("section"),
		Start:   args.Int("startLine", 1, math.MaxInt32, 0),
		End:     args.Int("endLine", 1, math.MaxInt32, 0),
	}
	switch {
	case p.Section != "" && p.Start+p.End > 0:
		args.Fail(tools.Errorf(tools.CodeValidation, "section and startLine or endLine were both given.").
			On("section").Try("Pass either a section or lines."))
	case p.End > 0 && p.End < p.Start:
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid endLine %d: it is before startLine %d.", p.End, p.Start).
			On("endLine").Try("Pass endLine %d or more, or leave it out to read to the end.", p.Start))
	}
	return p
}

// Given reports whether a part was asked for.
func (p Passage) Given() bool { return p.Section != "" || p.Start > 0 || p.End > 0 }

// An Extent is a part of a text, in lines from 1 and in bytes.
type Extent struct {
	Start, End int // lines, both included
	From, To   int
	Total      int // lines of the text
}

// Locate finds the passage, all of the text when none was given.
func (p Passage) Locate(text string) (Extent, error) {
	x := Extent{Start: 1, Total: store.LineCount(text), To: len(text)}
	x.End = x.Total
	switch {
	case p.Section != "":
		_, heading, err := store.Section(text, p.Section)
		if unfit := (*store.SectionError)(nil); errors.As(err, &unfit) {
			return Extent{}, sectionError(p.Section, unfit)
		}
		x.Start, x.End = heading.Line, heading.EndLine
	case p.Given():
		x.Start = max(p.Start, 1)
		if x.Start > x.Total {
			return Extent{}, tools.Errorf(tools.CodeValidation, "Invalid startLine %d: the text has %d lines.", x.Start, x.Total).
				On("startLine").Try("Pass a startLine from 1 to %d.", x.Total)
		}
		if p.End > 0 && p.End < x.Total {
			x.End = p.End
		}
	}
	x.From = len(store.Lines(text, 1, x.Start-1))
	x.To = x.From + len(store.Lines(text[x.From:], 1, x.End-x.Start+1))
	return x, nil
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
