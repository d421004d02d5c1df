package merge

import (
	"slices"
	"strings"

	"issues-index/store/markdown"
	"issues-index/store/words"
)

// A version is one of the three texts, cut into lines. Lines with the same id are equal.
type version struct {
	lines []string
	ids   []rune
	boxes map[int]int // by line, where in it the byte of a box is that says whether it is checked
}

// sides are the three versions of a text.
type sides struct {
	base, ours, theirs version
	effort             int // what finding boxes again has cost, see mostEffort
}

// newSides cuts the texts, each into lines and its boxes.
func newSides(texts [3]string, boxes func(lines []string, text string) map[int]int) *sides {
	s := new(sides)
	known := make(map[string]rune)
	for i, v := range []*version{&s.base, &s.ours, &s.theirs} {
		v.lines = slices.AppendSeq(make([]string, 0, strings.Count(texts[i], "\n")+1), strings.Lines(texts[i]))
		if boxes != nil {
			v.boxes = boxes(v.lines, texts[i])
		}
		v.ids = make([]rune, len(v.lines))
		for n, line := range v.lines {
			if at, ok := v.boxes[n]; ok {
				line = withState(line, at, ' ')
			}
			id, ok := known[line]
			if !ok {
				id = rune(len(known))
				known[line] = id
			}
			v.ids[n] = id
		}
	}
	return s
}

// text is the text of some lines.
func (v version) text(at [2]int) string { return strings.Join(v.lines[at[0]:at[1]], "") }

// byLines merges texts as git does: in whole lines.
func byLines(base, ours, theirs string) []piece {
	s := newSides([3]string{base, ours, theirs}, nil)
	return s.merge(s.settle)
}

// merge merges region by region. A region that settle does not settle is a conflict.
func (s *sides) merge(settle func(r region) (string, bool)) (pieces []piece) {
	for _, r := range diff3(s.base.ids, s.ours.ids, s.theirs.ids) {
		switch text, ok := settle(r); {
		case !ok:
			pieces = append(pieces, conflict(Text, s.base.text(r.base), s.ours.text(r.ours), s.theirs.text(r.theirs)))
		case text != "":
			pieces = append(pieces, piece{text: text})
		}
	}
	return pieces
}

// settle decides a region as git does.
func (s *sides) settle(r region) (string, bool) {
	switch r.kind {
	case byThem:
		return s.theirs.text(r.theirs), true
	case byBoth:
		ours := s.ours.text(r.ours)
		return ours, ours == s.theirs.text(r.theirs)
	}
	return s.ours.text(r.ours), true
}

// prose merges the texts of documents: as byLines, but boxes are merged one by one, and,
// with appends, two appends at the end are both kept. A missing end of the last line is
// one property of the text, not a change of that line.
func prose(base, ours, theirs string, appends bool, endings lineEnds) []piece {
	if base == theirs || ours == theirs {
		return []piece{{text: ours}}
	}
	if base == ours {
		return []piece{{text: theirs}}
	}
	texts, ended := [3]string{base, ours, theirs}, [3]bool{}
	for i, text := range texts {
		if ended[i] = text == "" || strings.HasSuffix(text, "\n"); !ended[i] {
			texts[i] += endings.mark()
		}
	}
	s := newSides(texts, findBoxes)
	pieces := s.merge(func(r region) (string, bool) { return s.settleProse(r, appends) })
	if last := len(pieces) - 1; last >= 0 && !pieces[last].conflict && !pick(ended[0], ended[1], ended[2]) {
		pieces[last].text = strings.TrimSuffix(strings.TrimSuffix(pieces[last].text, "\n"), "\r")
	}
	return pieces
}

// findBoxes finds the boxes of a text.
func findBoxes(lines []string, text string) map[int]int {
	found := make(map[int]int)
	for _, box := range markdown.Boxes(text) {
		line := lines[box.Line-1]
		if at := strings.IndexByte(line, '[') + 1; line[at] != '\t' {
			found[box.Line-1] = at
		}
	}
	return found
}

// settleProse decides a region.
func (s *sides) settleProse(r region, appends bool) (string, bool) {
	switch r.kind {
	case unchanged:
		return s.checked(r), true
	case byUs:
		return s.carry(r.base, s.theirs, r.theirs, s.ours, r.ours)
	case byThem:
		return s.carry(r.base, s.ours, r.ours, s.theirs, r.theirs)
	}
	if text, ok := s.settle(r); ok {
		return text, true
	}
	if appends && r.base[0] == len(s.base.lines) {
		return s.ours.text(r.ours) + s.theirs.text(r.theirs), true
	}
	return "", false
}

// checked is the text of lines that are the same in all versions, but for what is checked.
func (s *sides) checked(r region) string {
	lines := slices.Clone(s.ours.lines[r.ours[0]:r.ours[1]])
	for i, ours := range lines {
		base, theirs := s.base.lines[r.base[0]+i], s.theirs.lines[r.theirs[0]+i]
		if base == theirs && theirs == ours {
			continue
		}
		for at := range ours { // the only byte that differs
			if ours[at] != base[at] || ours[at] != theirs[at] {
				lines[i] = withState(ours, at, state(base[at], ours[at], theirs[at]))
				break
			}
		}
	}
	return strings.Join(lines, "")
}

// state merges the byte of one box.
func state(base, ours, theirs byte) byte {
	isChecked := func(b byte) bool { return b == 'x' || b == 'X' }
	if isChecked(ours) == isChecked(base) && isChecked(theirs) != isChecked(base) {
		return theirs
	}
	return pick(base, ours, theirs)
}

func withState(line string, at int, state byte) string {
	return line[:at] + string(state) + line[at+1:]
}

// mostEffort bounds, in products of the lengths of two lines in bytes, the work of finding
// boxes again whose texts have changed. It takes less than a second.
const mostEffort = 1 << 28

// carry is the text of the lines that one side changed, with the boxes checked that the
// other side checked in the same place of the base. It fails where a box is not there any
// more, or may be one of several.
func (s *sides) carry(at [2]int, other version, otherAt [2]int, changed version, changedAt [2]int) (string, bool) {
	lines := slices.Clone(changed.lines[changedAt[0]:changedAt[1]])
	for i := range at[1] - at[0] {
		base, now := s.base.lines[at[0]+i], other.lines[otherAt[0]+i]
		if base == now {
			continue
		}
		n, ok := s.sameBox(at[0]+i, at, changed, changedAt)
		box, known := s.base.boxes[at[0]+i]
		if !ok || !known {
			return "", false
		}
		line, place := lines[n-changedAt[0]], changed.boxes[n]
		lines[n-changedAt[0]] = withState(line, place, state(base[box], line[place], now[box]))
	}
	return strings.Join(lines, ""), true
}

// sameBox finds the line that a box of the base has become in the changed lines: the most
// similar box there, which is similar to no other of the base's boxes as much.
func (s *sides) sameBox(box int, at [2]int, changed version, changedAt [2]int) (line int, ok bool) {
	if line, ok = s.nearest(s.base.lines[box], changed, changedAt); !ok {
		return 0, false
	}
	back, ok := s.nearest(changed.lines[line], s.base, at)
	return line, ok && back == box
}

// nearest is the one box in some lines whose text is the most similar to that of a line,
// and has at least half of it.
func (s *sides) nearest(line string, v version, at [2]int) (found int, ok bool) {
	text := boxText(line)
	least := len(line)
	for n := at[0]; n < at[1]; n++ {
		if _, isBox := v.boxes[n]; !isBox {
			continue
		}
		other := boxText(v.lines[n])
		if s.effort += (len(text) + 1) * (len(other) + 1); s.effort > mostEffort {
			return 0, false
		}
		d := words.Distance(text, other)
		switch {
		case 2*d > max(len(text), len(other)) || d > least:
		case d == least:
			ok = false
		default:
			found, least, ok = n, d, true
		}
	}
	return found, ok
}

// boxText is what a box's line says behind the brackets.
func boxText(line string) string {
	_, text, _ := strings.Cut(line, "]")
	return strings.TrimSpace(text)
}
