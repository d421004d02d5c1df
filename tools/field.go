package tools

import (
	"slices"
	"strings"

	"issues-index/tools/answer"
)

// A Field is a name and a text of others that belongs to it.
type Field struct{ Name, Text string }

// WriteFields writes a line a field; a text of several lines stands between two marks.
// The mark is good for the lines beside the fields, too. It is "" when there is none.
func WriteFields(fields []Field, beside ...string) (text string, mark answer.Mark) {
	texts := slices.Clone(beside)
	for _, f := range fields {
		texts = append(texts, f.Name, f.Text)
	}
	mark = answer.MarkFor(texts...)
	lines := make([]string, len(fields))
	marked := false
	for i, f := range fields {
		lines[i] = mark.Field(f.Name, f.Text)
		marked = marked || strings.HasSuffix(lines[i], "\n"+string(mark))
	}
	if !marked {
		mark = ""
	}
	return strings.Join(lines, "\n"), mark
}
