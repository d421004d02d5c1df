package edit

import (
	"fmt"
	"strings"

	"issues-index/store/layout"
	"issues-index/store/markdown"
	"issues-index/store/words"
)

// StillOpen names the open boxes of a document that the change has closed, in a sentence
// without its full stop; "" when there is none to name. Cancelled work leaves boxes open.
func (a Applied) StillOpen() string {
	const most, length = 5, 60 // boxes, characters of each
	if a.Before == nil || a.Before.Category() == layout.Done || a.After.Category() != layout.Done {
		return ""
	}
	var named []string
	open := 0
	for _, box := range markdown.Boxes(a.After.Body) {
		if box.Checked {
			continue
		}
		if open++; open <= most {
			named = append(named, fmt.Sprintf("%d %q", box.N, words.Cut(words.OneLine(box.Text), length)))
		}
	}
	if open == 0 {
		return ""
	}
	verb := "boxes are"
	if open == 1 {
		verb = "box is"
	}
	said := fmt.Sprintf("%d %s still open: %s", open, verb, strings.Join(named, ", "))
	if open > most {
		said += fmt.Sprintf(" and %d more", open-most)
	}
	return said
}
