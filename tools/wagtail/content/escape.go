package content

import (
	"strings"
	"unicode"

	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"golang.org/x/net/html"
)

// The converter writes `<` and `>` as entities. Where these are not needed, private
// runes stand for them until the Markdown is made.
const (
	less    = '\uE000'
	greater = '\uE001'
)

var brackets = strings.NewReplacer(string(less), "<", string(greater), ">")

// printable drops invisible characters that have a meaning to the converter or to a
// terminal: control characters, and the converter's own marks.
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

// A textContext is where a text is.
type textContext struct {
	start bool // at the start of a line
	end   bool // of the line
	link  bool // inside a link
	cell  bool // inside a cell of a table
}

// escape writes text so that Markdown takes it for nothing else. Its white space was
// collapsed.
func escape(text string, at textContext) string {
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
		if needsEscape(before, text[i:], after, at) {
			b.WriteByte('\\')
		}
		switch text[i] {
		case '<':
			b.WriteRune(less)
		case '>':
			b.WriteRune(greater)
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// needsEscape reports whether the first character of rest, between two others, would have
// a meaning in Markdown. before and after are 0 at the ends of the text.
func needsEscape(before byte, rest string, after byte, at textContext) bool {
	last := after == 0 && !at.end
	switch rest[0] {
	case '[', '`', '~':
		return true
	case '<':
		return last || letter(after) || after == '/' || after == '!' || after == '?'
	case '*':
		return before != ' ' || after != ' '
	case '_':
		return !wordy(before) || !wordy(after)
	case ']':
		return at.link
	case '|':
		return at.cell
	case '\\':
		return !wordy(after) // also before a space, where readers differ
	case '!':
		return last
	case '#':
		return after == 0 || rest == "# " // or a heading loses it
	case '&':
		return entityHere().MatchString(rest[:min(len(rest), 40)])
	}
	return false
}

// lineStart escapes what would begin a block, and returns how much of the text it wrote.
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

// formats are the elements of a clean tree that are inside a line and contain text.
var formats = set("a del em strong")

// An escaper goes through the texts of a clean tree, in order, and escapes them.
type escaper struct {
	lineStart bool           // the next text is at the start of a line
	word      unfinishedWord // that the next text continues
}

// An unfinishedWord is what readers that link bare addresses could take for the beginning of an address.
// Such an address takes a backtick behind it with it, and the code that the backtick began
// is then no code.
type unfinishedWord struct {
	address bool // of a page, as far as it goes
	mailbox bool // of mail, if an @ follows
}

// after is the word at the end of a text that continues one.
func (w unfinishedWord) after(text string) unfinishedWord {
	if text == "" {
		return w
	}
	blank := strings.LastIndexByte(text, ' ')
	last := text[blank+1:]
	end := text[len(text)-1]
	return unfinishedWord{
		address: w.address && blank < 0 || strings.Contains(last, "://") || strings.Contains(last, "www."),
		mailbox: wordy(end) || strings.IndexByte("!#$%&'*+-./=?^_`{|}~", end) >= 0, // RFC 5322, 3.2.3: atext and the dot
	}
}

// takes reports whether a reader could take the backtick of code that follows for a part of
// an address.
func (w unfinishedWord) takes(code string) bool {
	return w.address || w.mailbox && strings.Contains(code, "@")
}

func (e *escaper) children(n *html.Node, at textContext) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		inner := at
		switch {
		case child.Type == html.TextNode:
			e.text(child, at)
		case child.Data == "pre", child.Data == "br", child.Data == cellBreak:
			*e = escaper{lineStart: true}
		case child.Data == "code":
			if e.word.takes(content(child)) {
				n.InsertBefore(text(" "), child)
				e.word = unfinishedWord{}
			}
			e.lineStart = false
		case child.Data == "img":
			e.lineStart = false
		case formats[child.Data]:
			inner.link = at.link || child.Data == "a"
			before := e.word
			e.children(child, inner)
			if child.Data == "a" { // an address in its label is no link of its own
				e.lineStart, e.word = false, before
			}
		default:
			inner.cell = at.cell || child.Data == "td" || child.Data == "th"
			*e = escaper{lineStart: true}
			e.children(child, inner)
			*e = escaper{lineStart: true}
		}
	}
}

// text joins a text with the texts that follow it, and escapes it.
func (e *escaper) text(n *html.Node, at textContext) {
	var b strings.Builder
	b.WriteString(n.Data)
	for n.NextSibling != nil && n.NextSibling.Type == html.TextNode {
		b.WriteString(n.NextSibling.Data)
		n.Parent.RemoveChild(n.NextSibling)
	}
	data := collapse(printable(b.String()))
	if e.lineStart {
		data = strings.TrimLeft(data, " ")
	}
	at.start = e.lineStart
	at.end = n.NextSibling == nil && !formats[n.Parent.Data]
	n.Data = escape(data, at)
	e.lineStart = e.lineStart && data == ""
	e.word = e.word.after(data)
}

// collapse makes one space of each run of white space, as browsers do.
func collapse(s string) string {
	words := strings.FieldsFunc(s, isBlank)
	if len(words) == 0 {
		return strings.Repeat(" ", min(len(s), 1))
	}
	out := strings.Join(words, " ")
	if isBlank(rune(s[0])) {
		out = " " + out
	}
	if isBlank(rune(s[len(s)-1])) {
		out += " "
	}
	return out
}

func isBlank(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }
