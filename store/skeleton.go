package store

import "strings"

// A part is one of a body that is read for headings, with what stands between it
// and the part before left out.
type part struct {
	at   int // where it begins in the parts joined
	line int // of the body that it begins with, from 1
}

// skeleton returns the parts of a body that may hold a heading, joined: nearly all
// of most texts is in paragraphs, lists and code that hold none, and to parse them is
// nearly all of the work. The first of its lines is line number line.
//
// A body is only ever parted where no block can be open: before a line at the margin
// that begins no list item and no quote, behind an empty line, outside of fenced code;
// and around a heading at the margin, where it is plain that it is one. Where that is
// not plain, in code inside a list or in HTML that runs over empty lines, all of the
// rest is one part.
func skeleton(body string, line int) (joined []byte, parts []part) {
	s := skeletonScanner{body: body, startLine: line, line: line, empty: true}
	for next := 0; next < len(body) && !s.lost; {
		at := next
		if end := strings.IndexByte(body[at:], '\n'); end >= 0 {
			next = at + end + 1
		} else {
			next = len(body)
		}
		alone := s.read(at, strings.TrimSuffix(strings.TrimSuffix(body[at:next], "\n"), "\r"))
		if s.line++; alone {
			s.end(next)
		}
	}
	s.end(len(body))
	return s.joined, s.parts
}

// A skeletonScanner reads a body line by line.
type skeletonScanner struct {
	body   string
	joined []byte
	parts  []part

	start, startLine int  // of the part that is being read
	wanted           bool // it may hold a heading

	line  int  // that is being read
	empty bool // the one before was
	plain bool // no line of the part can have opened a list item, a quote or HTML
	lost  bool // what is open cannot be told: the rest is one part

	mark  byte // of the fence that is open, 0 for none
	width int  // of that fence
}

// end ends the part that is being read.
func (s *skeletonScanner) end(at int) {
	if s.wanted {
		s.parts = append(s.parts, part{at: len(s.joined), line: s.startLine})
		s.joined = append(s.joined, s.body[s.start:at]...)
	}
	s.start, s.startLine, s.wanted, s.plain = at, s.line, false, true
}

// read reads the line at an offset, without its end, and reports whether the part
// ends with it.
func (s *skeletonScanner) read(at int, line string) (alone bool) {
	if s.mark != 0 {
		switch rest, closes := behindFence(line, s.mark, s.width); {
		case closes && strings.Trim(rest, " \t") == "":
			s.mark = 0
		case closes && strings.TrimSpace(rest) == "": // white space of other kinds
			s.lose()
		}
		return false
	}
	if line == "" {
		s.empty = true
		return false
	}
	margin := line[0] > ' ' && containerMark([]byte(line[:min(len(line), longestMark)])) == 0
	if s.empty && margin {
		s.end(at)
	}
	s.empty = false
	s.plain = s.plain && margin && line[0] != '<'
	text := strings.TrimLeft(line, " \t")
	if text == "" {
		return false
	}
	switch mark := text[0]; mark {
	case '#':
		if s.plain && isHeading(line) {
			s.end(at)
			alone = true
		}
		s.wanted = true
	case '=', '-':
		// What is underlined is a heading.
		s.wanted = s.wanted || strings.Trim(strings.TrimRight(text, " \t\v\f\r"), text[:1]) == ""
	case '`', '~':
		width := len(text) - len(strings.TrimLeft(text, text[:1]))
		if width < shortestFence {
			return false
		}
		if s.mark, s.width = mark, width; !s.plain || mark == '`' && strings.IndexByte(text[width:], '`') >= 0 {
			s.lose()
		}
	case '<':
		if opensLongHTML(text) {
			s.lose()
		}
	}
	return alone
}

// isHeading reports whether a line at the margin is a heading, if it is no code.
func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	return len(line)-len(rest) <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

func (s *skeletonScanner) lose() { s.lost, s.wanted = true, true }

const (
	// longestMark is more than any mark of a list item has, in bytes.
	longestMark = 32
	// shortestFence is the fewest marks that a fence has.
	shortestFence = 3
)

// behindFence returns what stands in a line behind a fence that ends code, if it has
// one.
func behindFence(line string, mark byte, width int) (rest string, found bool) {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 || text == "" || text[0] != mark {
		return "", false
	}
	rest = strings.TrimLeft(text, text[:1])
	return rest, len(text)-len(rest) >= width
}

// opensLongHTML reports whether a line may begin a block of HTML that does not end
// with an empty line.
func opensLongHTML(text string) bool {
	const comment = "<!--"
	if strings.HasPrefix(text, comment) {
		return !strings.Contains(text[len(comment):], "-->")
	}
	name := strings.ToLower(text[1:min(len(text), len("<textarea"))])
	for _, long := range []string{"!", "?", "script", "pre", "style", "textarea"} {
		if strings.HasPrefix(name, long) {
			return true
		}
	}
	return false
}
