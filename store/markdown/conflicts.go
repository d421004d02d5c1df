package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"issues-index/store/frontmatter"
)

// A TextConflict is where git has left both sides of a merge in a text, in lines from 1.
type TextConflict struct{ Start, End int }

// mostConflicts is how many conflicts are listed.
const mostConflicts = 20

// Conflicts lists where a body has the markers of a merge: <<<<<<<, perhaps |||||||, =======
// and >>>>>>>, in this order and of one length, each at the beginning of a line. Code is an
// example.
func Conflicts(body string) (found []TextConflict) {
	if !strings.Contains(body, "<<<<<<<") || !strings.Contains(body, ">>>>>>>") {
		return nil
	}
	code := codeLines(body)
	var begun TextConflict
	size, divided := 0, false
	n := 0
	for line := range strings.Lines(body) {
		n++
		if code[n] {
			continue
		}
		mark, length, _ := frontmatter.ConflictMarker(line)
		switch {
		case mark == '<':
			begun, size, divided = TextConflict{Start: n}, length, false
		case size == 0 || length != size:
		case mark == '=':
			divided = true
		case mark == '>' && divided:
			begun.End = n
			if found = append(found, begun); len(found) == mostConflicts {
				return found
			}
			size = 0
		}
	}
	return found
}

// codeLines marks the lines of a body, from 1, that stand in blocks of code.
func codeLines(body string) map[int]bool {
	doc, _, offset := blocks(body)
	lines, all := map[int]bool{}, newLineTable(body)
	eachBlock(doc, func(n ast.Node) {
		for i := range n.Lines().Len() {
			if n.IsRaw() && n.Kind() != ast.KindHTMLBlock {
				lines[all.number(offset+n.Lines().At(i).Start)] = true
			}
		}
	})
	return lines
}
