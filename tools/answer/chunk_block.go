package answer

import "strings"

// codeIndent is the indentation from which on a line outside a paragraph is code.
const codeIndent = 4

// read reads a line with text that is in no fenced block.
func (s *scanner) read(start int, rest string, column int) {
	switch {
	case s.comment:
		s.continued(start, rest, true)
		s.comment = !strings.Contains(rest, "-->")
		return
	case s.titled:
		l := s.add(line{start: start, rank: poor})
		l.inside, l.of = s.para, s.para
		s.lastText = s.pos
		s.closeParagraph()
		return
	}
	keep := 0
	for keep < len(s.items) && column >= s.items[keep].content {
		keep++
	}
	leaves := keep < len(s.items)
	if leaves && (s.para == nil || s.begins(rest, true)) {
		s.closeItems(keep)
	}
	base := 0
	if n := len(s.items); n > 0 {
		base = s.items[n-1].content
	}
	indented := column-base >= codeIndent
	if s.para != nil && !s.para.prose && !indented {
		s.closeParagraph() // it was code
	}
	if s.para != nil && (indented || !s.begins(rest, leaves)) {
		s.continued(start, rest, indented)
		return
	}
	s.closeParagraph()
	if indented {
		s.add(line{start: start, rank: s.unlessHeaded(paragraph), row: true})
		s.para, s.headed = s.open(start), false
		return
	}
	s.block(start, rest, column)
}

// begins reports whether a line begins a block of its own though it follows a
// paragraph. leaves is set when it also ends a list item by its indentation.
func (s *scanner) begins(rest string, leaves bool) bool {
	if isHeading(rest) || isBreak(rest) {
		return true
	}
	if mark, _ := opensFence(rest); mark != 0 {
		return true
	}
	if depth, inner := unquote(rest); depth > 0 {
		mark, _ := opensFence(strings.TrimLeft(inner, " "))
		return !s.quoted || mark != 0 || strings.TrimSpace(inner) == ""
	}
	width, number := listMark(rest)
	switch {
	case width == 0:
		return false
	case leaves:
		return true
	}
	return len(rest) > width && (number < 0 || number == 1)
}

// block reads a line that begins a block.
func (s *scanner) block(start int, rest string, column int) {
	r := s.unlessHeaded(paragraph)
	switch {
	case isHeading(rest):
		s.add(line{start: start, rank: s.unlessHeaded(heading)})
		s.headed = true
		return
	case isUnderline(peek(s.text, s.pos)) && isText(rest):
		s.add(line{start: start, rank: s.unlessHeaded(heading)})
		s.para = s.open(start)
		s.para.prose, s.titled, s.headed = true, true, true
		return
	case isBreak(rest):
		s.add(line{start: start, rank: r, row: true})
		s.headed = false
		return
	}
	if width, _ := listMark(rest); width > 0 {
		r = s.unlessHeaded(item)
	}
	s.add(line{start: start, rank: r})
	s.headed = false
	for {
		width, _ := listMark(rest)
		if width == 0 || len(s.items) == maxItems || isBreak(rest) {
			break
		}
		spaces, at := indent(rest[width:])
		if spaces > codeIndent || at == len(rest)-width {
			spaces, at = 1, min(1, len(rest)-width)
		}
		s.items = append(s.items, listItem{s.open(start), column + width + spaces})
		column += width + spaces
		if rest = rest[width+at:]; rest == "" {
			return
		}
	}
	s.leaf(start, rest)
}

// isText reports whether a line begins none of the blocks but a paragraph.
func isText(line string) bool {
	mark, _ := opensFence(line)
	width, _ := listMark(line)
	return mark == 0 && width == 0 && !isBreak(line) && line[0] != '>'
}

// leaf begins a fenced block, a heading in a list item, a quote or a paragraph
// with what is left of the line that was added last.
func (s *scanner) leaf(start int, rest string) {
	depth, inner := unquote(rest)
	if depth > 0 {
		rest = strings.TrimLeft(inner, " ")
	}
	if mark, length := opensFence(rest); mark != 0 {
		content := 0
		if n := len(s.items); n > 0 {
			content = s.items[n-1].content
		}
		s.fence = fence{s.open(start), mark, length, content, depth > 0}
		return
	}
	if rest == "" || isHeading(rest) && depth == 0 {
		return
	}
	s.para = s.open(start)
	s.quoted = depth > 0
	s.comment = strings.HasPrefix(rest, "<!--") && !strings.Contains(rest, "-->")
	s.para.prose = !s.comment
	s.row(start, rest)
}

// continued reads a further line of a paragraph.
func (s *scanner) continued(start int, rest string, asRow bool) {
	l := s.add(line{start: start, rank: wrapped, inside: s.para})
	l.inside, l.of = s.para, s.para
	if s.table != nil {
		l.inside, l.of = s.table, s.table
	}
	if !s.para.prose && asRow {
		l.row, l.rank = true, lineEnd
		return
	}
	_, inner := unquote(rest)
	s.row(start, strings.TrimLeft(inner, " "))
}

// row decides whether the line that was added last, of a paragraph, stands for
// itself, and whether a table begins with it.
func (s *scanner) row(start int, rest string) {
	l := &s.lines[len(s.lines)-1]
	next := peek(s.text, s.pos)
	if s.table == nil && (strings.HasPrefix(rest, "|") || strings.Contains(rest, "|") && isDelimiter(next)) {
		s.table = s.open(start)
		s.table.table = true
		l.row = true
	}
	shape := shapeOf(rest)
	switch {
	case s.table != nil, strings.HasPrefix(rest, "<!--"):
		l.row = true
	case shape != "" && (shape == s.shape || shape == shapeOf(next)):
		l.row = true
	case s.quoted:
		width, _ := listMark(rest)
		l.row = width > 0
	}
	if l.row && l.rank == wrapped {
		l.rank = lineEnd
	}
	s.shape = shape
}
