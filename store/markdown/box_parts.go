package markdown

import (
	"iter"
	"strings"

	"issues-index/store/frontmatter"
)

// parts yields the parts of a text for which wanted is true, with their offsets. Parsing them
// one by one finds the blocks that parsing the text finds: each begins at a line that closes
// all blocks before it. It takes a fraction of the time where most of a text is not wanted.
// A text in which it is not plain where a block ends is one part.
func parts(text string, wanted func(part string) bool) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if !wanted(text) {
			return
		}
		starts, plain := freshStarts(text)
		if !plain {
			starts = []int{0}
		}
		for i, start := range starts {
			end := len(text)
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			if part := text[start:end]; wanted(part) && !yield(start, part) {
				return
			}
		}
	}
}

// freshStarts returns where a text and the lines that close all blocks begin: at the left
// margin, `#` headings, and words and list items after a blank line. Nothing but code and
// HTML goes on there. plain is false when the text has frontmatter, HTML, or fenced code
// that is indented or in another block.
func freshStarts(text string) (starts []int, plain bool) {
	if _, found, _ := frontmatter.Split(text); found {
		return nil, false
	}
	starts = []int{0}
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
			return nil, false
		case isFence:
			run := begin[:len(begin)-len(strings.TrimLeft(begin, begin[:1]))]
			if info := begin[len(run):]; run[0] != '`' || !strings.Contains(info, "`") {
				fence = run
			}
		case at > 0 && (isHeading(line) || blank && beginsBlock(line)):
			starts = append(starts, at)
		}
		blank = strings.Trim(line, " \t\r\n") == ""
		at += len(line)
	}
	return starts, true
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
