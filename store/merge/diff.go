package merge

import (
	"slices"

	"github.com/aymanbagabas/go-udiff/lcs"
)

const (
	// exactEdits is up to how many deleted and inserted lines the library finds the
	// shortest difference; of more it leaves the middle out.
	exactEdits = 100
	// maxSplits bounds how often a text is cut at its unique lines.
	maxSplits = 20
	// mostLines is how many lines of both texts together the library can compare. Of more,
	// which are over the size of any document, none are equal.
	mostLines = 1 << 24
)

// A match is lines of one text, from a on, and as many equal ones of another, from b on.
type match struct{ a, b, lines int }

// A hunk replaces the lines from a0 up to a1 of one text by those from b0 up to b1 of
// another.
type hunk struct{ a0, a1, b0, b1 int }

// changes returns what turns a into b, whose lines are numbers: equal ones are equal
// lines. There is at least one common line between two changes. A text of n lines takes
// time in n log n for the most part, and always memory in n.
func changes(a, b []rune) []hunk {
	d := &differ{}
	d.a, d.at = shared(a, b)
	d.b, d.bt = shared(b, a)
	d.compare(window{0, len(d.a), 0, len(d.b)}, 0)
	var list []hunk
	endA, endB := 0, 0
	for _, m := range append(d.matches, match{len(a), len(b), 0}) {
		if m.a != endA || m.b != endB {
			list = append(list, hunk{endA, m.a, endB, m.b})
		}
		endA, endB = m.a+m.lines, m.b+m.lines
	}
	return slide(list, a, b)
}

// slide moves each pure insertion or deletion, as far as equal lines let it, to where it
// meets the next change or the one before, else down. So it is a replacement where it can
// be one, and two texts that are changed alike have the same changes. Git does the same.
func slide(list []hunk, a, b []rune) []hunk {
	var slid []hunk // from the last one up
	next := hunk{a0: len(a), b0: len(b)}
	for i := len(list) - 1; i >= 0; i-- {
		h, before := list[i], hunk{}
		if i > 0 {
			before = list[i-1]
		}
		down, up := 0, 0
		switch {
		case h.a0 == h.a1:
			down, up = slack(b[:next.b0], h.b0, h.b1, before.b1)
		case h.b0 == h.b1:
			down, up = slack(a[:next.a0], h.a0, h.a1, before.a1)
		}
		switch {
		case h.a1+down == next.a0 && h.b1+down == next.b0 && len(slid) > 0:
			next.a0, next.b0 = h.a0+down, h.b0+down
			slid[len(slid)-1] = next
			continue
		case h.a0-up == before.a1 && h.b0-up == before.b1 && i > 0:
			list[i-1].a1, list[i-1].b1 = h.a1-up, h.b1-up
			continue
		}
		next = hunk{h.a0 + down, h.a1 + down, h.b0 + down, h.b1 + down}
		slid = append(slid, next)
	}
	slices.Reverse(slid)
	return slid
}

// slack is by how many lines the part of a text from start up to end can move down, and
// up to limit, so that the rest stays the same text.
func slack(text []rune, start, end, limit int) (down, up int) {
	for end+down < len(text) && text[start+down] == text[end+down] {
		down++
	}
	for start-up > limit && text[start-up-1] == text[end-up-1] {
		up++
	}
	return down, up
}

// shared returns the lines of a that b has as well, and where they stand. The others
// match nothing, and would use up what exactEdits allows.
func shared(a, b []rune) (lines []rune, at []int) {
	in := make([]bool, max(highest(a), highest(b))+1)
	for _, line := range b {
		in[line] = true
	}
	lines, at = make([]rune, 0, len(a)), make([]int, 0, len(a))
	for i, line := range a {
		if in[line] {
			lines, at = append(lines, line), append(at, i)
		}
	}
	return lines, at
}

// highest is the highest number of a line, 0 without lines.
func highest(lines []rune) (most rune) {
	for _, line := range lines {
		most = max(most, line)
	}
	return most
}

// A differ finds the equal lines of two texts, in order.
type differ struct {
	a, b    []rune
	at, bt  []int // where the lines stand in the whole texts
	matches []match
}

// A window is a part of each of the two texts.
type window struct{ a0, a1, b0, b1 int }

// match notes that a line of one text is one of the other.
func (d *differ) match(a, b int) {
	a, b = d.at[a], d.bt[b]
	if last := len(d.matches) - 1; last >= 0 {
		if m := &d.matches[last]; a == m.a+m.lines && b == m.b+m.lines {
			m.lines++
			return
		}
	}
	d.matches = append(d.matches, match{a, b, 1})
}

func (d *differ) compare(s window, splits int) {
	for ; s.a0 < s.a1 && s.b0 < s.b1 && d.a[s.a0] == d.b[s.b0]; s.a0, s.b0 = s.a0+1, s.b0+1 {
		d.match(s.a0, s.b0)
	}
	tail := 0
	for ; s.a0 < s.a1 && s.b0 < s.b1 && d.a[s.a1-1] == d.b[s.b1-1]; s.a1, s.b1 = s.a1-1, s.b1-1 {
		tail++
	}
	if s.a0 < s.a1 && s.b0 < s.b1 {
		d.middle(s, splits)
	}
	for i := range tail {
		d.match(s.a1+i, s.b1+i)
	}
}

// middle compares texts that differ in their first and in their last lines.
func (d *differ) middle(s window, splits int) {
	if s.a1-s.a0+s.b1-s.b0 > mostLines {
		return
	}
	diffs := lcs.DiffRunes(d.a[s.a0:s.a1], d.b[s.b0:s.b1])
	edits := 0
	for _, diff := range diffs {
		edits += diff.End - diff.Start + diff.ReplEnd - diff.ReplStart
	}
	if edits > exactEdits && splits < maxSplits {
		if anchors := d.anchors(s); len(anchors) > 0 {
			for _, m := range anchors {
				d.compare(window{s.a0, m.a, s.b0, m.b}, splits+1)
				d.match(m.a, m.b)
				s.a0, s.b0 = m.a+1, m.b+1
			}
			d.compare(s, splits+1)
			return
		}
	}
	a, b := s.a0, s.b0
	for _, diff := range append(diffs, lcs.Diff{Start: s.a1 - s.a0, End: s.a1 - s.a0, ReplStart: s.b1 - s.b0, ReplEnd: s.b1 - s.b0}) {
		for ; a < s.a0+diff.Start; a, b = a+1, b+1 {
			d.match(a, b)
		}
		a, b = s.a0+diff.End, s.b0+diff.ReplEnd
		inner := window{s.a0 + diff.Start, a, s.b0 + diff.ReplStart, b}
		if edits > exactEdits && inner != s {
			d.compare(inner, maxSplits)
		}
	}
}

// anchors are equal lines that stand once in each of the texts: of those the most that
// are in the same order in both.
func (d *differ) anchors(s window) []match {
	count := make(map[rune][2]int)
	for i := s.a0; i < s.a1; i++ {
		c := count[d.a[i]]
		count[d.a[i]] = [2]int{c[0] + 1, c[1]}
	}
	where := make(map[rune]int)
	for i := s.b0; i < s.b1; i++ {
		c := count[d.b[i]]
		count[d.b[i]], where[d.b[i]] = [2]int{c[0], c[1] + 1}, i
	}
	// ends are the lowest ends of increasing sequences of each length, and before is the
	// match that comes before each match in its sequence.
	var unique []match
	var ends, before []int
	for i := s.a0; i < s.a1; i++ {
		if count[d.a[i]] != [2]int{1, 1} {
			continue
		}
		m := match{i, where[d.a[i]], 1}
		length, _ := slices.BinarySearchFunc(ends, m.b, func(end, b int) int { return unique[end].b - b })
		previous := -1
		if length > 0 {
			previous = ends[length-1]
		}
		if length == len(ends) {
			ends = append(ends, 0)
		}
		ends[length] = len(unique)
		unique, before = append(unique, m), append(before, previous)
	}
	if len(ends) == 0 {
		return nil
	}
	longest := make([]match, len(ends))
	at := ends[len(ends)-1]
	for i := range slices.Backward(longest) {
		longest[i], at = unique[at], before[at]
	}
	return longest
}
