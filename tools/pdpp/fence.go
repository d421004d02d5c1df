package pdpp

import (
	"slices"
	"strings"
	"unicode"

	"issues-index/tools"
	"issues-index/tools/answer"
)

// fenced writes below our own lines what others wrote: the fields of one line, then the
// texts one by one, all behind a mark that no line of theirs begins with. Nothing of ours
// comes after them, so no text can pass for a sentence of ours.
func fenced(lines []string, fields, texts []tools.Field) (text string, mark answer.Mark) {
	if len(fields)+len(texts) == 0 {
		return strings.Join(lines, "\n"), ""
	}
	below := make([]string, len(fields))
	for i, f := range fields {
		below[i] = escaped(f.Name) + ": " + f.Text
	}
	shown := slices.Concat(lines, below)
	for _, f := range texts {
		shown = append(shown, f.Text)
	}
	mark = answer.MarkFor(shown...)
	written := slices.Clone(lines)
	if len(fields) > 0 {
		written = append(append(written, mark.Begin("data")), below...)
	}
	for _, f := range texts {
		written = append(written, mark.Begin(escaped(f.Name)), f.Text)
	}
	return strings.Join(written, "\n"), mark
}

// fencedRecord is fenced with what a record holds.
func fencedRecord(lines []string, all []tools.Field) (text string, mark answer.Mark) {
	var fields, texts []tools.Field
	for _, f := range all {
		if strings.ContainsFunc(f.Text, endsLine) {
			texts = append(texts, f)
		} else {
			fields = append(fields, f)
		}
	}
	return fenced(lines, fields, texts)
}

// endsLine reports whether a character may end a line for someone who reads it.
func endsLine(r rune) bool {
	return r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}
