package merge

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"issues-index/store/markdown"
	"issues-index/store/words"
)

// A boxedText is a text in lines.
type boxedText struct {
	lines     []string
	unchecked []string    // the lines, with no box checked
	boxes     map[int]int // by line, the offset of the byte that says whether its box is checked
}

func newBoxedText(text string) boxedText {
	t := boxedText{lines: slices.Collect(strings.Lines(text)), boxes: map[int]int{}}
	t.unchecked = slices.Clone(t.lines)
	for _, box := range markdown.Boxes(text) {
		line := &t.unchecked[box.Line-1]
		if at := strings.IndexByte(*line, '[') + 1; (*line)[at] != '\t' {
			t.boxes[box.Line-1] = at
			*line = (*line)[:at] + " " + (*line)[at+1:]
		}
	}
	return t
}

func (t boxedText) state(line int) byte { return t.lines[line][t.boxes[line]] }

func (t boxedText) check(line int, state byte) {
	at := t.boxes[line]
	t.lines[line] = t.lines[line][:at] + string(state) + t.lines[line][at+1:]
}

// mergeBoxes returns three texts in which each box that all of them have is checked if it is in
// the merge. What the sides have changed beside that is the same as before.
func mergeBoxes(base, ours, theirs string) (mergedBase, mergedOurs, mergedTheirs string) {
	b, o, t := newBoxedText(base), newBoxedText(ours), newBoxedText(theirs)
	inOurs, inTheirs := b.boxesIn(o), b.boxesIn(t)
	for line := range b.boxes {
		our, kept := inOurs[line]
		their, keptToo := inTheirs[line]
		if kept && keptToo {
			state := mergeStates(b.state(line), o.state(our), t.state(their))
			b.check(line, state)
			o.check(our, state)
			t.check(their, state)
		}
	}
	return strings.Join(b.lines, ""), strings.Join(o.lines, ""), strings.Join(t.lines, "")
}

// mergeStates merges the byte of one box.
func mergeStates(base, ours, theirs byte) byte {
	isChecked := func(b byte) bool { return b == 'x' || b == 'X' }
	if isChecked(ours) == isChecked(base) && isChecked(theirs) != isChecked(base) {
		return theirs
	}
	return pick(base, ours, theirs)
}

// boxesIn returns, by its line, the line that a box has in a later version of the text. A box
// that is not there any more is missing, as is a box that may be one of several.
func (t boxedText) boxesIn(later boxedText) map[int]int {
	found := map[int]int{}
	at, laterAt := 0, 0
	end := lcs.Diff{Start: len(t.lines), End: len(t.lines)}
	for _, change := range append(lcs.DiffLines(t.unchecked, later.unchecked), end) {
		for ; at < change.Start; at, laterAt = at+1, laterAt+1 {
			_, isBox := t.boxes[at]
			if _, isLaterBox := later.boxes[laterAt]; isBox && isLaterBox {
				found[at] = laterAt
			}
		}
		t.reworded(later, change, found)
		at, laterAt = change.End, change.ReplEnd
	}
	return found
}

// mostReworded bounds the lines of one change in which boxes are looked for by similar texts.
const mostReworded = 50

// reworded finds the boxes of changed lines whose texts were changed: each is the most similar
// box there, which is similar to no other of the boxes before as much.
func (t boxedText) reworded(later boxedText, change lcs.Diff, found map[int]int) {
	if max(change.End-change.Start, change.ReplEnd-change.ReplStart) > mostReworded {
		return
	}
	for line := change.Start; line < change.End; line++ {
		if _, isBox := t.boxes[line]; !isBox {
			continue
		}
		now := later.nearest(t.lines[line], change.ReplStart, change.ReplEnd)
		if now >= 0 && t.nearest(later.lines[now], change.Start, change.End) == line {
			found[line] = now
		}
	}
}

// nearest is the one box in some lines whose text is the most similar to that of a line, and
// has at least half of it; -1 when there is none.
func (t boxedText) nearest(line string, start, end int) int {
	text := boxText(line)
	found, least := -1, len(line)
	for n := start; n < end; n++ {
		if _, isBox := t.boxes[n]; !isBox {
			continue
		}
		other := boxText(t.lines[n])
		switch distance := words.Distance(text, other); {
		case 2*distance > max(len(text), len(other)) || distance > least:
		case distance == least:
			found = -1
		default:
			found, least = n, distance
		}
	}
	return found
}

// boxText is the beginning of what a box's line says behind the brackets.
func boxText(line string) string {
	const most = 200 // bytes
	_, text, _ := strings.Cut(line, "]")
	text = strings.TrimSpace(text)
	return text[:min(len(text), most)]
}
