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
)

// A match is a line of one text and the equal one of another.
type match struct{ a, b int }

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
	end := match{}
	for _, m := range append(d.matches, match{len(a), len(b)}) {
		if m != end {
			list = append(list, hunk{end.a, m.a, end.b, m.b})
		}
		end = match{m.a + 1, m.b + 1}
	}
	return slideDown(list, a, b)
}

// slideDown moves each pure insertion or deletion down as far as equal lines let it, as
// git does, so that two texts that are changed alike have the same changes.
func slideDown(list []hunk, a, b []rune) []hunk {
	limitA, limitB := len(a), len(b)
	for i := len(list) - 1; i >= 0; i-- {
		c := &list[i]
		for c.a0 == c.a1 && c.b1 < limitB && b[c.b0] == b[c.b1] || c.b0 == c.b1 && c.a1 < limitA && a[c.a0] == a[c.a1] {
			*c = hunk{c.a0 + 1, c.a1 + 1, c.b0 + 1, c.b1 + 1}
		}
		if i+1 < len(list) && c.a1 == limitA && c.b1 == limitB {
			c.a1, c.b1 = list[i+1].a1, list[i+1].b1
			list = slices.Delete(list, i+1, i+2)
			c = &list[i]
		}
		limitA, limitB = c.a0, c.b0
	}
	return list
}

// shared returns the lines of a that b has as well, and where they stand. The others
// match nothing, and would use up what exactEdits allows.
func shared(a, b []rune) (lines []rune, at []int) {
	in := make(map[rune]bool)
	for _, line := range b {
		in[line] = true
	}
	for i, line := range a {
		if in[line] {
			lines, at = append(lines, line), append(at, i)
		}
	}
	return lines, at
}

// A differ finds the equal lines of two texts, in order.
type differ struct {
	a, b    []rune
	at, bt  []int // where the lines stand in the whole texts
	matches []match
}

// A window is a part of each of the two texts.
type window struct{ a0, a1, b0, b1 int }

func (d *differ) match(a, b int) { d.matches = append(d.matches, match{d.at[a], d.bt[b]}) }

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
	end := match{s.a0, s.b0}
	for _, diff := range diffs {
		for i := end; i.a < s.a0+diff.Start; i = (match{i.a + 1, i.b + 1}) {
			d.match(i.a, i.b)
		}
		end = match{s.a0 + diff.End, s.b0 + diff.ReplEnd}
		inner := window{s.a0 + diff.Start, end.a, s.b0 + diff.ReplStart, end.b}
		if edits > exactEdits && inner != s {
			d.compare(inner, maxSplits)
		}
	}
	for i := end; i.a < s.a1; i = (match{i.a + 1, i.b + 1}) {
		d.match(i.a, i.b)
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
		m := match{i, where[d.a[i]]}
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
