package answer

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// What a cut line is left with at least, in characters.
const (
	lineAtFirst = 400
	lineAtLast  = 60
)

// SqueezeText cuts a text until it fits: lines that are very long, then whole
// lines before its end. The first line and the last, which say what was found
// and how to go on, stay as long as it is possible at all. A line in place of
// what is missing says how much that is, and with the hint how to get it. What
// fits is returned as it is.
func SqueezeText(text, hint string, fits func(string) bool) string {
	return Mark("").Squeeze(text, hint, fits)
}

// Squeeze is SqueezeText for an answer with texts of others. The mark stands before
// what it says of the cut, and the last line stays only if it is our own.
func (m Mark) Squeeze(text, hint string, fits func(string) bool) string {
	if fits(text) {
		return text
	}
	p := m.page(text, hint)
	var best string
	shown, width, ends := len(p.head), 0, len(text)
	try := func() bool {
		written := p.write(shown, width, ends)
		if fits(written) {
			best = written
			return true
		}
		return false
	}
	byWidth := func(n int) bool { width = n; return try() }
	if largest(lineAtFirst, len(text), byWidth) {
		return best
	}
	width = lineAtFirst
	if largest(0, len(p.head), func(n int) bool { shown = n; return try() }) {
		return best
	}
	shown = 0
	if largest(lineAtLast, lineAtFirst, func(n int) bool { ends = n; return try() }) {
		return best
	}
	largest(0, len(text), func(n int) bool {
		written := beginning(text, n)
		if fits(written) {
			best = written
			return true
		}
		return false
	})
	return best
}

// A page is a text in lines: the first, those that may go, and the last.
type page struct {
	first textLine
	head  []textLine
	last  []textLine // none when the text has one line, or ends with the text of others
	mark  Mark
	hint  string
}

type textLine struct {
	text  string
	runes int
}

func (m Mark) page(text, hint string) *page {
	texts := strings.Split(strings.TrimRight(text, "\n"), "\n")
	lines := make([]textLine, len(texts))
	for i, line := range texts {
		lines[i] = textLine{line, utf8.RuneCountInString(line)}
	}
	p := &page{first: lines[0], mark: m, hint: hint}
	rest := lines[1:]
	if m != "" {
		p.head = rest
		if end := m.ended(texts[1:]); end >= 0 {
			p.head, p.last = rest[:end], rest[end+1:]
		}
	} else if len(rest) > 0 {
		end := len(rest) - 1
		// A note stands after the sentence how to go on.
		if end > 0 && strings.HasPrefix(rest[end].text, "Note: ") {
			end--
		}
		p.head, p.last = rest[:end], rest[end:]
	}
	return p
}

// write writes the page with so many lines between the first and the last, none
// of them longer than width, and the first and the last no longer than ends.
func (p *page) write(shown, width, ends int) string {
	var out strings.Builder
	characters := 0
	put := func(l textLine, most int) {
		const saving = 32
		if l.runes-saving > most {
			characters += l.runes - most
			l.text = shortened(l.text, l.runes, most)
		}
		out.WriteString(l.text)
		out.WriteByte('\n')
	}
	put(p.first, min(ends, max(width, lineAtFirst)))
	for _, l := range p.head[:shown] {
		put(l, width)
	}
	left := len(p.head) - shown
	at := out.Len()
	for _, l := range p.last {
		put(l, min(ends, max(width, lineAtFirst)))
	}
	tail := out.String()[at:]
	return strings.TrimSuffix(out.String()[:at]+p.note(left, characters)+"\n"+tail, "\n")
}

// note is the line in place of what is missing, below the mark if there is one.
func (p *page) note(left, characters int) string {
	var cut []string
	if left > 0 {
		cut = append(cut, count(left, "line"))
	}
	if characters > 0 {
		cut = append(cut, fmt.Sprintf("%d characters of long lines", characters))
	}
	return strings.TrimSpace(string(p.mark) + "\n(Too large: " + strings.Join(cut, " and ") + " left out. " + p.hint + ")")
}

// beginning returns about so many bytes of a text, cut between characters.
func beginning(text string, bytes int) string {
	if bytes >= len(text) {
		return text
	}
	for bytes > 0 && !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes]
}
