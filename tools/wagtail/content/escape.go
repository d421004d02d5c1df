package content

import (
	"strings"
	"unicode"

	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
)

// The converter writes `<` and `>` as entities. Those that need no escape, or have
// one, pass it as runes that no text has.
const (
	less    = '\uE000'
	greater = '\uE001'
)

// brackets are put back when the Markdown is made.
var brackets = strings.NewReplacer(string(less), "<", string(greater), ">")

// printable drops the characters that nobody sees and that have a meaning to the
// converter or to a terminal: control characters, and the converter's own marks.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case r == less, r == greater, r == marker.MarkerCodeBlockNewline, unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
}

// A spot is where a text stands.
type spot struct {
	start bool // at the start of a line
	end   bool // of the line
	link  bool // inside a link
	cell  bool // inside a cell of a table
}

// escape writes text, its white space collapsed, so that Markdown has nothing else
// in it.
func escape(text string, at spot) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	i := 0
	if at.start {
		i = lineStart(&b, text)
	}
	for ; i < len(text); i++ {
		before, after := byte(0), byte(0)
		if i > 0 {
			before = text[i-1]
		}
		if i+1 < len(text) {
			after = text[i+1]
		}
		last := after == 0 && !at.end
		switch c := text[i]; c {
		case '<':
			if last || letter(after) || after == '/' || after == '!' || after == '?' {
				b.WriteByte('\\')
			}
			b.WriteRune(less)
			continue
		case '>':
			b.WriteRune(greater)
			continue
		case '[', '`', '~':
			b.WriteByte('\\')
		case '*':
			if before != ' ' || after != ' ' {
				b.WriteByte('\\')
			}
		case '_':
			if !wordy(before) || !wordy(after) {
				b.WriteByte('\\')
			}
		case ']':
			if at.link {
				b.WriteByte('\\')
			}
		case '|':
			if at.cell {
				b.WriteByte('\\')
			}
		case '\\':
			if !wordy(after) { // before a space too, which some readers take wrongly
				b.WriteByte('\\')
			}
		case '!':
			if last {
				b.WriteByte('\\')
			}
		case '#':
			if after == 0 || text[i+1:] == " " {
				b.WriteByte('\\') // or a heading loses it
			}
		case '&':
			if entityHere().MatchString(text[i:min(len(text), i+40)]) {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// lineStart escapes what would begin a block, and returns how much of the text it
// wrote.
func lineStart(b *strings.Builder, text string) int {
	i := len(text) - len(strings.TrimLeft(text, " "))
	b.WriteString(text[:i])
	rest := text[i:]
	if rest == "" {
		return i
	}
	after := byte(0)
	if len(rest) > 1 {
		after = rest[1]
	}
	switch c := rest[0]; c {
	case '-', '+', '=', ':':
		if !letter(after) && !digit(after) {
			b.WriteByte('\\')
			b.WriteByte(c)
			return i + 1
		}
	case '*', '#', '|':
		b.WriteByte('\\')
		b.WriteByte(c)
		return i + 1
	case '>':
		b.WriteByte('\\')
		b.WriteRune(greater)
		return i + 1
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if digits > 0 && digits < 10 && digits < len(rest) && (rest[digits] == '.' || rest[digits] == ')') &&
		(digits+1 == len(rest) || rest[digits+1] == ' ') {
		b.WriteString(rest[:digits] + `\` + rest[digits:digits+1])
		return i + digits + 1
	}
	return i
}

func digit(c byte) bool  { return c >= '0' && c <= '9' }
func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// wordy reports whether a byte is a letter or a digit.
func wordy(c byte) bool { return letter(c) || digit(c) }
