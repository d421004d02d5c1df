package markdown

import (
	"strings"

	"issues-index/store/frontmatter"
)

// partEnds returns where the parts of a text end that can be parsed one by one: before each line
// that closes all blocks, and at the end. Such lines are, at the left margin, `#` headings, and
// words and list items after a blank line. Nothing but code and HTML goes on there. A text is one
// part where it is not plain where a block ends: with frontmatter, HTML, or fenced code that is
// indented or in another block.
func partEnds(text string) (ends []int) {
	if _, found, _ := frontmatter.Split(text); found {
		return []int{len(text)}
	}
	fence, at := "", 0 // the fence of the code that is open
	blank := false     // whether the line before is
	for line := range strings.Lines(text) {
		begin := strings.TrimLeft(line, " \t>-*+.)0123456789")
		isFence := strings.HasPrefix(begin, "```") || strings.HasPrefix(begin, "~~~")
		switch {
		case fence != "":
			if closesFence(line, fence) {
				fence = ""
			}
		case isFence && len(begin) < len(line), strings.HasPrefix(begin, "<"):
			return append(ends[:0], len(text))
		case isFence:
			run := begin[:len(begin)-len(strings.TrimLeft(begin, begin[:1]))]
			if info := begin[len(run):]; run[0] != '`' || !strings.Contains(info, "`") {
				fence = run
			}
		case at > 0 && (isHeading(line) || blank && beginsBlock(line)):
			ends = append(ends, at)
		}
		blank = strings.Trim(line, " \t\r\n") == ""
		at += len(line)
	}
	return append(ends, len(text))
}

// closesFence reports whether a line ends fenced code.
func closesFence(line, fence string) bool {
	run := strings.TrimLeft(line, " ")
	if len(line)-len(run) > 3 {
		return false
	}
	rest := strings.TrimLeft(run, fence[:1])
	return len(run)-len(rest) >= len(fence) && strings.TrimSpace(rest) == ""
}

// isHeading reports whether a line is a `#` heading at the left margin.
func isHeading(line string) bool {
	text := strings.TrimLeft(line, "#")
	level := len(line) - len(text)
	return level >= 1 && level <= 6 && strings.HasPrefix(text, " ")
}

// beginsBlock reports whether a line begins a paragraph with a letter, or a list item, at
// the left margin.
func beginsBlock(line string) bool {
	first := line[0] | 0x20 // in lower case
	return 'a' <= first && first <= 'z' || len(line) > 1 && strings.IndexByte("-*+", line[0]) >= 0 && line[1] == ' '
}

// isBoxList reports whether each line of a part is blank, a heading, or an item at the left margin
// that is a box, as most lists of boxes are written. What such a part has needs no parser.
func isBoxList(part string) bool {
	if strings.ContainsAny(part, "\t\r\x00") {
		return false
	}
	for line := range strings.Lines(part) {
		if _, isBox := listedBox(line); !isBox && !isHeading(line) && strings.Trim(line, " \n") != "" {
			return false
		}
	}
	return true
}

// listedBoxes calls found for each box of a part that isBoxList, as boxesIn does.
func listedBoxes(part string, found func(at int, label string)) {
	at := 0
	for line := range strings.Lines(part) {
		if label, isBox := listedBox(line); isBox {
			found(at+len("- ["), label)
		}
		at += len(line)
	}
}

// listedBox is the label of a line that is an item with a box.
func listedBox(line string) (label string, isBox bool) {
	if len(line) < len("- [") || strings.IndexByte("-*+", line[0]) < 0 || line[1] != ' ' {
		return "", false
	}
	return boxLabel(line[len("- "):])
}
