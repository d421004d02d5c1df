package answer

import "strings"

// A unit is a part of the text that is not cut when it fits a chunk. Units nest.
type unit struct {
	start, end int // end is -1 until it is known; no blank line follows in it
	parent     *unit
	prose      bool // a paragraph: sentences
	table      bool // in a paragraph: rows

	judged, fits bool // whether what of it is left from `from` on fits a chunk
	from         int
}

// A line is what is known of one line of the text.
type line struct {
	start  int
	rank   rank  // of a cut before it
	inside *unit // the innermost that a cut before it would cut in two
	of     *unit // the innermost that it is part of
	row    bool  // it stands for itself: a row of a log, of a table, of code
}

// A listItem is an open list item.
type listItem struct {
	*unit
	content int // column that its text begins in
}

// A fence is an open fenced block.
type fence struct {
	*unit
	mark    byte
	length  int
	content int // column that the item it stands in begins its text in
	quoted  bool
}

// A scanner reads a text's blocks line by line, as CommonMark has them as far as
// it matters for where to cut. It keeps the lines from where the last chunk
// ended on.
type scanner struct {
	text  string
	pos   int // of the next line to read
	lines []line

	items   []listItem
	fence   fence
	para    *unit
	table   *unit
	comment bool // the paragraph is a HTML comment
	quoted  bool // the paragraph is a quote
	titled  bool // the paragraph is a heading: the next line underlines it
	headed  bool // nothing but blank lines since a heading

	lastText int    // end of the last line with text
	blanks   int    // lines since then
	shape    string // of the paragraph's last line
}

const (
	// maxItems bounds how deep list items are seen to nest.
	maxItems = 16
	// maxBlanks is the number of blank lines behind which no list item goes on, so
	// that its end is found soon.
	maxBlanks = 100
)

// between forgets the lines before begin's own, and returns those up to end, the
// one that begins there included.
func (s *scanner) between(begin, end int) []line {
	for s.pos <= end && s.step() {
		if n := len(s.lines); n > 1 && s.lines[n-1].start <= begin {
			s.lines = append(s.lines[:0], s.lines[n-1])
		}
	}
	first := 0
	for first+1 < len(s.lines) && s.lines[first+1].start <= begin {
		first++
	}
	s.lines = append(s.lines[:0], s.lines[first:]...)
	n := s.index(end)
	return s.lines[:n+1]
}

// index is that of the line that begins at an offset or holds it.
func (s *scanner) index(at int) int {
	low, high := 0, len(s.lines)-1
	for low < high {
		if middle := (low + high + 1) / 2; s.lines[middle].start <= at {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// unitAt returns the innermost unit that a cut at an offset would cut in two.
func (s *scanner) unitAt(at int) *unit {
	l := s.lines[s.index(at)]
	if l.start == at {
		return l.inside
	}
	return l.of
}

// step reads one line; false when there was none.
func (s *scanner) step() bool {
	if s.pos >= len(s.text) {
		s.closeFence(s.lastText)
		s.closeItems(0)
		return false
	}
	start := s.pos
	s.pos = nextLine(s.text, start)
	content := strings.TrimRight(s.text[start:s.pos], "\r\n")
	column, at := indent(content)
	empty := at == len(content)
	switch {
	case s.fence.unit != nil && s.inFence(start, content[at:], column):
	case empty && !s.comment:
		s.closeParagraph()
		if s.blanks++; s.blanks == maxBlanks {
			s.closeItems(0)
		}
		s.add(line{start: start, rank: s.unlessHeaded(paragraph)})
	default:
		s.read(start, content[at:], column)
	}
	if !empty || s.fence.unit != nil || s.comment {
		s.lastText, s.blanks = s.pos, 0
	}
	return true
}

// add records a line that begins no unit, or that units were opened for after
// this one.
func (s *scanner) add(l line) *line {
	if n := len(s.items); n > 0 {
		l.inside = s.items[n-1].unit
	}
	l.of = l.inside
	s.lines = append(s.lines, l)
	return &s.lines[len(s.lines)-1]
}

func (s *scanner) unlessHeaded(r rank) rank {
	if s.headed {
		return poor
	}
	return r
}

// open begins a unit with the line that was added last.
func (s *scanner) open(start int) *unit {
	l := &s.lines[len(s.lines)-1]
	u := &unit{start: start, end: -1, parent: l.of}
	l.of = u
	return u
}

func (s *scanner) closeParagraph() {
	if s.table != nil {
		s.table.end = s.lastText
	}
	if s.para != nil {
		s.para.end = s.lastText
	}
	s.table, s.para, s.comment, s.quoted, s.titled, s.shape = nil, nil, false, false, false, ""
}

func (s *scanner) closeFence(end int) {
	if s.fence.unit != nil {
		s.fence.end = end
		s.fence = fence{}
	}
}

// closeItems closes the list items but the outermost, and what is open in them.
func (s *scanner) closeItems(keep int) {
	s.closeParagraph()
	for _, i := range s.items[keep:] {
		i.end = s.lastText
	}
	s.items = s.items[:keep]
}

// inFence reads a line of a fenced block; false when it does not belong to it,
// since the list item or quote that holds the block ended.
func (s *scanner) inFence(start int, rest string, column int) bool {
	f := s.fence
	if f.quoted {
		depth, inner := unquote(rest)
		if depth == 0 {
			s.closeFence(s.lastText)
			return false
		}
		var at int
		column, at = indent(inner)
		rest = inner[at:]
	} else if rest != "" && column < f.content {
		if !closesAhead(s.text[start:], f.mark, f.length) {
			s.closeFence(s.lastText)
			return false
		}
		s.fence.content = 0
	}
	s.lines = append(s.lines, line{start: start, rank: lineEnd, inside: f.unit, of: f.unit, row: true})
	if column-f.content < codeIndent && closesFence(rest, f.mark, f.length) {
		s.closeFence(s.pos)
	}
	return true
}
