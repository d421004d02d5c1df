package markdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"issues-index/store/words"
)

// A Box is one item of a task list.
type Box struct {
	N       int // from 1, in the order of the text
	Checked bool
	Text    string // of its first line, as it is written
	Line    int    // from 1
	At      int    // offset of the byte between the brackets
}

// String is the box as a line of a list, such as "3 [x] Write tests".
func (b Box) String() string {
	mark := " "
	if b.Checked {
		mark = "x"
	}
	return strings.TrimSpace(fmt.Sprintf("%d [%s] %s", b.N, mark, words.OneLine(b.Text)))
}

// A BoxRef names a box by its number, and perhaps by the beginning of its text, which
// guards against numbers that have shifted.
type BoxRef struct {
	N    int
	Text string
}

// A BoxError says that a box is missing or has another text. Boxes are those that there
// are now, in the section that was named.
type BoxError struct {
	Ref   BoxRef
	Boxes []Box
}

func (e *BoxError) Error() string {
	for _, b := range e.Boxes {
		if b.N == e.Ref.N {
			return fmt.Sprintf("find box %d: its text is %q, not %q", e.Ref.N, b.Text, e.Ref.Text)
		}
	}
	return fmt.Sprintf("find box %d: there are %d", e.Ref.N, len(e.Boxes))
}

// boxLabel is the text behind the brackets that begin a task list item. ok is false for
// another line: GitHub wants white space behind the brackets, so that a link in their place
// is none. It runs for each list item of each document of a rebuild, where a regular
// expression took a third of the time.
func boxLabel(line string) (label string, ok bool) {
	if len(line) < 3 || line[0] != '[' || strings.IndexByte(" \txX", line[1]) < 0 || line[2] != ']' {
		return "", false
	}
	label = strings.TrimRight(line[3:], "\r\n")
	if label != "" && label[0] != ' ' && label[0] != '\t' || strings.ContainsAny(label, "\r\n") {
		return "", false
	}
	return strings.TrimSpace(label), true
}

// Boxes returns the boxes of a text, nested ones as boxes of their own, with the numbers
// that edits take. Those in code are text.
func Boxes(text string) (boxes []Box) {
	all := newLineTable(text)
	eachBox(text, func(at int, label string) {
		boxes = append(boxes, Box{Checked: checked(text[at]), Text: label, Line: all.number(at), At: at})
	})
	return within(boxes, 1, len(all.starts))
}

// A BoxCount says how many boxes a text has, and how many of them are checked.
type BoxCount struct{ Checked, Total int }

// CountBoxes counts the boxes of a text.
func CountBoxes(text string) (n BoxCount) {
	eachBox(text, func(at int, _ string) {
		n.Total++
		if checked(text[at]) {
			n.Checked++
		}
	})
	return n
}

// String is `2/5` where two of five boxes are checked, "" where there is no box.
func (n BoxCount) String() string {
	if n.Total == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", n.Checked, n.Total)
}

func checked(mark byte) bool { return mark == 'x' || mark == 'X' }

// brackets are what a box begins with.
var brackets = []string{"[ ]", "[x]", "[X]", "[\t]"}

// eachBox calls found for each box in order, with the offset of its mark and its text. Parsing
// the parts that may have boxes one by one finds those of the text, and takes a fraction of the
// time where most of it has none.
func eachBox(text string, found func(at int, label string)) {
	mayHaveBox := func(part string) bool {
		return slices.ContainsFunc(brackets, func(b string) bool { return strings.Contains(part, b) })
	}
	if !mayHaveBox(text) {
		return
	}
	start := 0
	for _, end := range partEnds(text) {
		if part := text[start:end]; mayHaveBox(part) {
			inPart := func(at int, label string) { found(start+at, label) }
			if isBoxList(part) {
				listedBoxes(part, inPart)
			} else {
				boxesIn(part, inPart)
			}
		}
		start = end
	}
}

// boxesIn is eachBox for a text that is parsed as a whole.
func boxesIn(text string, found func(at int, label string)) {
	doc, _, offset := blocks(text)
	eachBlock(doc, func(n ast.Node) {
		isText := n.Kind() == ast.KindTextBlock || n.Kind() == ast.KindParagraph
		if !isText || n.PreviousSibling() != nil || n.Parent().Kind() != ast.KindListItem || n.Lines().Len() == 0 {
			return
		}
		start := n.Lines().At(0)
		if label, ok := boxLabel(text[offset+start.Start : offset+start.Stop]); ok {
			found(offset+start.Start+1, label)
		}
	})
}

// within are the boxes between two lines, numbered from 1. Where each has a number of its
// own at the beginning of its text, as in "#3 Write tests", this is its number.
func within(boxes []Box, start, end int) (found []Box) {
	own := make(map[int]bool)
	for _, b := range boxes {
		if b.Line < start || b.Line > end {
			continue
		}
		b.N = len(found) + 1
		found = append(found, b)
		if n := ownNumber(b.Text); n > 0 {
			own[n] = true
		}
	}
	if len(found) == 0 || len(own) != len(found) {
		return found
	}
	for i := range found {
		found[i].N = ownNumber(found[i].Text)
	}
	return found
}

// ownNumber is the number that a box carries in its text, 0 for none.
func ownNumber(text string) int {
	digits, _, _ := strings.Cut(strings.TrimPrefix(text, "#"), " ")
	n, err := strconv.Atoi(digits)
	if !strings.HasPrefix(text, "#") || err != nil || n < 1 {
		return 0
	}
	return n
}

// find returns the box that is meant. Its text, when given, must begin the box's own, or be
// all of it and the heading above it in parentheses, as lists of boxes show it.
func (r BoxRef) find(boxes []Box, headings []Heading) (Box, error) {
	for _, b := range boxes {
		if b.N != r.N {
			continue
		}
		want, text := words.OneLine(r.Text), words.OneLine(b.Text)
		if strings.HasPrefix(text, want) {
			return b, nil
		}
		if want == text+" ("+words.OneLine(Above(headings, b.Line))+")" {
			return b, nil
		}
		break
	}
	return Box{}, &BoxError{Ref: r, Boxes: boxes}
}
