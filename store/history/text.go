package history

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"issues-index/store/markdown"
)

// compareTexts compares two bodies: boxes by their texts, other lines by their sections.
// A box that was only checked or unchecked is no changed line.
func compareTexts(before, after string) (changes []HistoryChange) {
	if before == after {
		return nil
	}
	was, is := cutText(before), cutText(after)
	changes = compareBoxes(was.boxes, is.boxes)
	sections := make(map[string]int) // where in changes
	section := func(name string) *HistoryChange {
		i, known := sections[name]
		if !known {
			i = len(changes)
			sections[name] = i
			changes = append(changes, HistoryChange{Field: Text, Part: name})
		}
		return &changes[i]
	}
	for _, c := range lcs.DiffLines(was.lines, is.lines) {
		for line := c.Start; line < c.End; line++ {
			section(markdown.Above(was.headings, line+1)).Removed++
		}
		for line := c.ReplStart; line < c.ReplEnd; line++ {
			section(markdown.Above(is.headings, line+1)).Added++
		}
	}
	if len(changes) == 0 && was.ends != is.ends {
		return []HistoryChange{{Field: LineEnds, From: was.ends, To: is.ends}}
	}
	return changes
}

// A cutBody is a body in lines, without their ends. No box is checked in it.
type cutBody struct {
	lines    []string
	boxes    []markdown.Box
	headings []markdown.Heading
	ends     string
}

func cutText(body string) cutBody {
	t := cutBody{boxes: markdown.Boxes(body), headings: markdown.Outline(body), ends: "LF"}
	t.lines = slices.Collect(strings.Lines(body))
	windows := 0
	for i, line := range t.lines {
		t.lines[i] = strings.TrimSuffix(line, "\n")
		if strings.HasSuffix(t.lines[i], "\r") {
			t.lines[i] = strings.TrimSuffix(t.lines[i], "\r")
			windows++
		}
	}
	switch {
	case windows > 0 && windows == strings.Count(body, "\n"):
		t.ends = "CRLF"
	case windows > 0:
		t.ends = "LF and CRLF"
	}
	if body != "" && !strings.HasSuffix(body, "\n") {
		t.ends += ", none at the end"
	}
	for _, box := range t.boxes {
		line := &t.lines[box.Line-1]
		if at := strings.IndexByte(*line, '[') + 1; at > 0 && at < len(*line) {
			*line = (*line)[:at] + " " + (*line)[at+1:]
		}
	}
	return t
}

// compareBoxes finds the boxes that were checked and unchecked. Of boxes with one text the
// first is the first.
func compareBoxes(before, after []markdown.Box) (changes []HistoryChange) {
	was := make(map[string][]bool)
	for _, box := range before {
		was[box.Text] = append(was[box.Text], box.Checked)
	}
	state := map[bool]string{true: Checked, false: Unchecked}
	for _, box := range after {
		same := was[box.Text]
		if len(same) == 0 {
			continue
		}
		was[box.Text] = same[1:]
		if same[0] != box.Checked {
			change := HistoryChange{Field: Boxes, Part: box.Text, From: state[same[0]], To: state[box.Checked]}
			changes = append(changes, change)
		}
	}
	return changes
}
