package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"issues-index/store/pattern"
	"issues-index/store/words"
)

// A Box is one item of a task list.
type Box struct {
	N       int // from 1, in the order of the text
	Checked bool
	Text    string // of its first line, as it is written
	Line    int    // from 1
	at      int    // offset of the byte between the brackets
}

// String is the box as a line of a list, such as "3 [x] Write tests".
func (b Box) String() string {
	mark := " "
	if b.Checked {
		mark = "x"
	}
	return strings.TrimSpace(fmt.Sprintf("%d [%s] %s", b.N, mark, words.Cut(words.OneLine(b.Text), maxShown)))
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

// mark begins a task list item: GitHub wants white space behind the brackets, so that a
// link in their place is none.
var mark = pattern.Lazy(`^\[([ \txX])\](?:[ \t]+([^\r\n]*))?[\r\n]*$`)

// Boxes returns the boxes of a text, nested ones as boxes of their own. Those in code
// are text.
func Boxes(text string) (boxes []Box) {
	if !strings.Contains(text, "[") {
		return nil
	}
	doc, source, offset := blocks(text)
	line, counted := 1, 0
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		item, ok := n.(*ast.ListItem)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		first := item.FirstChild()
		if first == nil || first.Kind() != ast.KindTextBlock && first.Kind() != ast.KindParagraph || first.Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		start := first.Lines().At(0)
		found := mark().FindSubmatchIndex(source[start.Start:start.Stop])
		if found == nil {
			return ast.WalkContinue, nil
		}
		at := offset + start.Start + found[2]
		line += strings.Count(text[counted:at], "\n")
		counted = at
		box := Box{N: len(boxes) + 1, Checked: text[at] == 'x' || text[at] == 'X', Line: line, at: at}
		if found[4] >= 0 {
			box.Text = strings.TrimSpace(text[offset+start.Start+found[4] : offset+start.Start+found[5]])
		}
		boxes = append(boxes, box)
		return ast.WalkContinue, nil
	})
	if err != nil { // the function returns none
		return nil
	}
	return boxes
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

// find returns the box that is meant. Its text, when given, must begin the box's own.
func (r BoxRef) find(boxes []Box) (Box, error) {
	for _, b := range boxes {
		if b.N != r.N {
			continue
		}
		if want := words.OneLine(r.Text); strings.HasPrefix(words.OneLine(b.Text), want) {
			return b, nil
		}
		break
	}
	return Box{}, &BoxError{Ref: r, Boxes: boxes}
}
