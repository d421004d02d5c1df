package markdown

import (
	"sort"
	"strings"
)

// LineCount is the number of lines of a body. A last line without a line feed
// counts; the empty body has none.
func LineCount(body string) int {
	n := strings.Count(body, "\n")
	if body != "" && !strings.HasSuffix(body, "\n") {
		n++
	}
	return n
}

// Lines returns the lines from start to end of a body, both included and
// counted from 1, byte for byte with their line ends. Lines that do not exist
// are left out.
func Lines(body string, start, end int) string { return newLineTable(body).lines(start, end) }

// A lineTable has the offsets of a text's lines.
type lineTable struct {
	text   string
	starts []int
}

func newLineTable(text string) lineTable {
	l := lineTable{text, []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// start is the offset of a line, counted from 1, or the end of the text behind the last.
func (l lineTable) start(line int) int {
	switch {
	case line < 1:
		return 0
	case line > len(l.starts):
		return len(l.text)
	}
	return l.starts[line-1]
}

// content is the lines from one to another without the blank ones at the beginning and the
// end. Where all are blank, last is the line before first, and first is the place for a text:
// behind the first blank line.
func (l lineTable) content(from, to int) (first, last int) {
	for first, last = from, to; first <= last && l.blank(last); last-- {
	}
	for ; first <= last && l.blank(first); first++ {
	}
	if first > last {
		first = min(from, to) + 1
		last = first - 1
	}
	return first, last
}

// number is the line, from 1, that an offset is on.
func (l lineTable) number(offset int) int { return sort.SearchInts(l.starts, offset+1) }

// lines are the lines between two, both included, with their ends.
func (l lineTable) lines(from, to int) string {
	return l.text[l.start(from):max(l.start(from), l.start(to+1))]
}

// line is a line with its end.
func (l lineTable) line(n int) string { return l.lines(n, n) }

// blank reports whether a line holds nothing but white space.
func (l lineTable) blank(line int) bool {
	return strings.TrimSpace(l.line(line)) == ""
}
