package issues

import (
	"slices"
	"strings"

	"issues-index/tools/answer"
)

// An entry is one whole document of an answer with several.
type entry struct {
	fields string
	text   *string // nil when it is not shown
}

// inMarks writes documents one below the other: a mark begins each, and one ends its
// text before the next begins. The mark is good for the lines above them, too.
func inMarks(entries []entry, above ...string) (string, answer.Mark) {
	texts := slices.Clone(above)
	for _, e := range entries {
		texts = append(texts, e.fields)
		if e.text != nil {
			texts = append(texts, *e.text)
		}
	}
	mark := answer.MarkFor(texts...)
	var b strings.Builder
	separator := "\n"
	for _, e := range entries {
		b.WriteString(separator + mark.Begin(e.fields))
		separator = "\n\n"
		if e.text != nil {
			b.WriteString("\n\n" + *e.text)
			separator = "\n" + string(mark) + "\n"
		}
	}
	return b.String(), mark
}
