package terminal

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// An inline is a text whose parts have their own styles.
type inline struct {
	screen Screen
	text   strings.Builder
	runs   []styledRun
}

// A styledRun is a part of a text, up to a byte, with its SGR codes.
type styledRun struct {
	end   int
	codes string
}

// add appends a part. Its line ends stay.
func (t *inline) add(part string, codes ...string) {
	if part == "" {
		return
	}
	t.text.WriteString(strings.ReplaceAll(Harmless(part), "\t", " "))
	next := styledRun{t.text.Len(), strings.Join(codes, ";")}
	if last := len(t.runs) - 1; last >= 0 && t.runs[last].codes == next.codes {
		t.runs[last] = next
		return
	}
	t.runs = append(t.runs, next)
}

// wrap breaks the text where Unicode allows it, into lines of at most width columns. A
// wider word is broken anywhere.
func (t *inline) wrap(width int) (lines []string) {
	text := t.text.String()
	start, end, used := 0, 0, 0 // of the line, in bytes, and its columns
	flush := func(next int) {
		lines = append(lines, t.paint(text, start, start+len(strings.TrimRight(text[start:end], " \t\n"))))
		start, used = next, 0
	}
	state := -1
	for rest := text; rest != ""; {
		var segment string
		var must bool
		at := len(text) - len(rest)
		segment, rest, must, state = uniseg.FirstLineSegmentInString(rest, state)
		word := strings.TrimRight(segment, " \t\n")
		columns := uniseg.StringWidth(word)
		if used > 0 && used+columns > width {
			flush(at)
		}
		for columns > width && word != "" {
			tail, cut := afterColumns(word, width)
			end = at + len(word) - len(tail)
			at, word, columns = end, tail, columns-cut
			flush(end)
		}
		end = len(text) - len(rest)
		used += uniseg.StringWidth(text[at:end])
		if must && rest != "" {
			flush(end)
		}
	}
	if start < end {
		flush(end)
	}
	return lines
}

// afterColumns returns the rest of word after at most so many columns, and how many were
// used. It always takes one character.
func afterColumns(word string, columns int) (rest string, used int) {
	state := -1
	for rest = word; rest != ""; {
		_, tail, w, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if used > 0 && used+w > columns {
			break
		}
		used, rest, state = used+w, tail, next
	}
	return rest, used
}

// paint returns the bytes from start to end with their styles.
func (t *inline) paint(text string, start, end int) string {
	var line strings.Builder
	i, _ := slices.BinarySearchFunc(t.runs, start+1, func(s styledRun, at int) int { return s.end - at })
	for ; start < end; i++ {
		stop := min(end, t.runs[i].end)
		line.WriteString(t.screen.Paint(t.runs[i].codes, text[start:stop]))
		start = stop
	}
	return line.String()
}

// inline adds the children of a node to t. Without colours, marked text keeps its Markdown
// signs.
func (m *markdownPage) inline(parent ast.Node, t *inline, codes ...string) {
	with := func(code string) []string {
		if slices.Contains(codes, code) { // bold text within bold text
			return codes
		}
		return append(slices.Clone(codes), code)
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			t.add(m.unescaped(n.Segment.Value(m.source)), codes...)
			if n.HardLineBreak() || n.SoftLineBreak() && m.endsEarly(n.Segment.Stop) {
				t.add("\n", codes...)
			} else if n.SoftLineBreak() {
				t.add(" ", codes...)
			}
		case *ast.String:
			t.add(string(n.Value), codes...)
		case *ast.CodeSpan:
			m.signed("`", func() { m.code(n, t, with(Cyan)...) }, t, codes)
		case *ast.Emphasis:
			if n.Level == 1 {
				m.signed("*", func() { m.inline(n, t, with(Italic)...) }, t, codes)
			} else {
				m.signed("**", func() { m.inline(n, t, with(Bold)...) }, t, codes)
			}
		case *extast.Strikethrough:
			m.signed("~~", func() { m.inline(n, t, with(Struck)...) }, t, codes)
		case *ast.Link:
			m.link(n, string(n.Destination), t, codes)
		case *ast.Image:
			m.link(n, string(n.Destination), t, codes)
		case *ast.AutoLink:
			t.add(string(n.Label(m.source)), with(Underlined)...)
		case *ast.RawHTML:
			t.add(string(n.Segments.Value(m.source)), with(Dim)...)
		case *extast.TaskCheckBox:
			box := "[ ] "
			if n.IsChecked {
				box = "[x] "
			}
			t.add(box, codes...)
		default:
			m.inline(n, t, codes...)
		}
	}
}

// filled is the least width of a line that was broken to fit a screen. Shorter lines stay
// separate, as in a list of names and values, though Markdown would join them.
const filled = 60

// endsEarly reports whether the source line that ends before a byte is not filled.
func (m *markdownPage) endsEarly(end int) bool {
	line := m.source[bytes.LastIndexByte(m.source[:end], '\n')+1 : end]
	return uniseg.StringWidth(string(line)) < filled
}

// signed calls write, between two signs where there are no colours.
func (m *markdownPage) signed(sign string, write func(), t *inline, codes []string) {
	if m.screen.Colour {
		sign = ""
	}
	t.add(sign, codes...)
	write()
	t.add(sign, codes...)
}

// code adds the text of a code span, which has no marks in it.
func (m *markdownPage) code(span ast.Node, t *inline, codes ...string) {
	for n := span.FirstChild(); n != nil; n = n.NextSibling() {
		if segment, ok := n.(*ast.Text); ok {
			t.add(strings.ReplaceAll(string(segment.Segment.Value(m.source)), "\n", " "), codes...)
		}
	}
}

// link adds the text of a link, and its destination unless the text is the same.
func (m *markdownPage) link(n ast.Node, destination string, t *inline, codes []string) {
	before := t.text.Len()
	m.inline(n, t, append(slices.Clone(codes), Underlined)...)
	label := t.text.String()[before:]
	destination = OneLine(m.unescaped([]byte(destination)))
	switch {
	case destination == "" || destination == label:
	case label == "":
		t.add(destination, append(slices.Clone(codes), Underlined)...)
	default:
		t.add(" ("+destination+")", append(slices.Clone(codes), Dim)...)
	}
}

// unescaped resolves backslashes and entities.
func (m *markdownPage) unescaped(s []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(s))))
}
