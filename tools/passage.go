package tools

import (
	"errors"
	"fmt"
	"math"

	"issues-index/store"
	"issues-index/tools/answer"
)

// Passage reads the arguments section, startLine and endLine.
func (a *Args) Passage() answer.Passage {
	p := answer.Passage{
		Section: a.String("section"),
		Start:   a.Int("startLine", 1, math.MaxInt32, 0),
		End:     a.Int("endLine", 1, math.MaxInt32, 0),
	}
	switch {
	case p.Section != "" && p.Start+p.End > 0:
		a.Fail(Errorf(CodeValidation, "section and startLine or endLine were both given.").
			On("section").Try("Pass either a section or lines."))
	case p.End > 0 && p.End < p.Start:
		a.Fail(Errorf(CodeValidation, "Invalid endLine %d: it is before startLine %d.", p.End, p.Start).
			On("endLine").Try("Pass endLine %d or more, or leave it out to read to the end.", p.Start))
	}
	return p
}

// passageError words what is wrong with a passage or its cursor, nil for anything else.
func passageError(err error) *Error {
	var section *store.SectionError
	var line *answer.LineError
	var cursor *answer.ChunkCursorError
	switch {
	case errors.As(err, &section):
		return noSection(section)
	case errors.As(err, &line):
		return Errorf(CodeValidation, "Invalid startLine %d: the text has %d lines.", line.Start, line.Total).
			On("startLine").Try("Pass a startLine from 1 to %d.", line.Total)
	case errors.As(err, &cursor):
		return chunkCursor(cursor)
	}
	return nil
}

// noSection lists the headings that fit, or all of them when none does.
func noSection(e *store.SectionError) *Error {
	const most = 40 // headings
	failed := Errorf(CodeValidation, "No section %s.", Quote(e.Heading)).On("section")
	if len(e.Candidates) == 0 {
		return failed.Try("The text has no headings: pass startLine and endLine, or read all of it.")
	}
	if e.Ambiguous {
		failed.Message = fmt.Sprintf("%d sections fit %s.", len(e.Candidates), Quote(e.Heading))
	}
	shown := e.Candidates[:min(len(e.Candidates), most)]
	for _, h := range shown {
		failed.Candidates = append(failed.Candidates, fmt.Sprintf("%d-%d %s", h.Line, h.EndLine, Plain(h.Text)))
	}
	failed.More = len(e.Candidates) - len(shown)
	return failed.Try("Pass one of these headings, or the lines before it as startLine and endLine:")
}

func chunkCursor(e *answer.ChunkCursorError) *Error {
	switch e.Reason {
	case answer.CursorOutdated:
		return Errorf(CodeInvalidCursor, "The text of %s changed since the cursor was made.", e.Name).On("cursor").
			Try("Call %s with the id again to start over, or with startLine %d to go on from where the cursor stood.", e.Tool, e.Line)
	case answer.CursorMismatch:
		return Errorf(CodeInvalidCursor, "Cursor %s was made with another section or other lines.", Quote(e.Cursor)).On("cursor").
			Try("Pass the id and the cursor alone to go on, or the section or lines without a cursor.")
	}
	return Errorf(CodeInvalidCursor, "Cursor %s does not belong to %s: it was altered, or made for another document.", Quote(e.Cursor), e.Name).On("cursor").
		Try("Pass it with the id of the document that it came with, or call %s without a cursor to start again.", e.Tool)
}
