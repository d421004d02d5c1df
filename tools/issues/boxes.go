package issues

import "issues-index/store/markdown"

// boxLines are the boxes of a text, a line each, such as `3 [x] Write tests`. Where they
// stand in several sections, each line ends with its own in parentheses.
func boxLines(text string) []string {
	boxes := markdown.Boxes(text)
	if len(boxes) == 0 {
		return nil
	}
	headings := markdown.Outline(text)
	sections := make([]string, len(boxes))
	several := false
	for i, b := range boxes {
		sections[i] = markdown.Above(headings, b.Line)
		several = several || sections[i] != sections[0]
	}
	lines := make([]string, len(boxes))
	for i, b := range boxes {
		lines[i] = b.String()
		if several && sections[i] != "" {
			lines[i] += " (" + sections[i] + ")"
		}
	}
	return lines
}
