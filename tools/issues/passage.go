package issues

import (
	"errors"
	"fmt"
	"math"

	"issues-index/store"
	"issues-index/tools"
)

// maxHeadings is the most headings that an error lists.
const maxHeadings = 40

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

// An extent is a part of a body, in lines from 1 and in bytes.
type extent struct {
	start, end int // lines, both included
	from, to   int
	total      int // lines of the body
}

// locate finds the passage, all of the body when none was given.
func (p passage) locate(body string) (extent, error) {
	x := extent{start: 1, total: store.LineCount(body), to: len(body)}
	x.end = x.total
	switch {
	case p.section != "":
		_, heading, err := store.Section(body, p.section)
		if unfit := (*store.SectionError)(nil); errors.As(err, &unfit) {
			return extent{}, sectionError(p.section, unfit)
		}
		x.start, x.end = heading.Line, heading.EndLine
	case p.given():
		x.start = max(p.start, 1)
		if x.start > x.total {
			return extent{}, tools.Errorf(tools.CodeValidation, "Invalid startLine %d: the text has %d lines.", x.start, x.total).
				On("startLine").Try("Pass a startLine from 1 to %d.", x.total)
		}
		if p.end > 0 && p.end < x.total {
			x.end = p.end
		}
	}
	x.from = len(store.Lines(body, 1, x.start-1))
	x.to = x.from + len(store.Lines(body[x.from:], 1, x.end-x.start+1))
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
