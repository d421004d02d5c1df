package markdown

import (
	"bytes"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"issues-index/store/frontmatter"
	"issues-index/store/pattern"
)

// A Heading is one heading of a text. Lines are counted from 1.
type Heading struct {
	Level int    // 1 to 6
	Text  string // without markup, on one line
	Line  int
	// TextLine is the first line behind the heading, which may be past the last line of
	// the text. A heading that is underlined has two lines or more.
	TextLine int
	// OwnEnd is the last line before the next heading of any level.
	OwnEnd int
	// EndLine is the last line of the section: the one before the next heading
	// of the same or a higher level.
	EndLine int
}

// Outline lists the headings of a body, ATX and setext, in order. Those inside
// quotes, lists, code and HTML are no parts of the document's structure, nor is
// a frontmatter that could not be read and so is part of the body: Markdown
// would take its last line for a heading.
func Outline(body string) []Heading {
	doc, source, offset := blocks(body)
	all, last := newLineTable(body), LineCount(body)
	var outline []Heading
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			line := all.number(offset + h.Pos())
			outline = append(outline, Heading{
				Level: h.Level, Text: headingText(h, source),
				Line: line, TextLine: line + height(h, source), OwnEnd: last, EndLine: last,
			})
		}
	}
	for i := range outline {
		for k, next := range outline[i+1:] {
			if k == 0 {
				outline[i].OwnEnd = next.Line - 1
			}
			if next.Level <= outline[i].Level {
				outline[i].EndLine = next.Line - 1
				break
			}
		}
	}
	return outline
}

// Above is the text of the heading that a line, from 1, is below or on, "" for none.
func Above(outline []Heading, line int) string {
	next := sort.Search(len(outline), func(i int) bool { return outline[i].Line > line })
	if next == 0 {
		return ""
	}
	return outline[next-1].Text
}

// atxHeading begins a heading that is not underlined.
var atxHeading = pattern.Lazy(`^ {0,3}#{1,6}([ \t\r\n]|$)`)

// height is how many lines a heading has: those of its text, and the line under them.
func height(h *ast.Heading, source []byte) int {
	text := h.Lines()
	start := bytes.LastIndexByte(source[:h.Pos()], '\n') + 1
	if text.Len() == 0 || atxHeading().Match(source[start:]) {
		return 1
	}
	return text.Len() + 1
}

// FirstHeading is the text of a document's first heading, "" without one. It
// parses no more than the beginning, where a title stands if there is one.
func FirstHeading(body string) string {
	const beginning = 32 << 10
	if fm, found, _ := frontmatter.Split(body); found {
		body = body[fm.End:]
	}
	if len(body) > beginning {
		body = body[:strings.LastIndexByte(body[:beginning], '\n')+1]
	}
	for _, h := range Outline(body) {
		if h.Text != "" {
			return h.Text
		}
	}
	return ""
}

// headingText is what a reader sees of a heading.
func headingText(h *ast.Heading, source []byte) string {
	raw := h.Lines().Value(source)
	if len(raw) > maxHeading {
		return frontmatter.OneLine(strings.ToValidUTF8(string(raw[:maxHeading]), "")) + "…"
	}
	if !bytes.ContainsAny(raw, "\\`*_[]!<&\n") { // no markup: most headings have none
		return frontmatter.OneLine(strings.ToValidUTF8(string(raw), "\ufffd"))
	}
	var b strings.Builder
	writeText(&b, inlineParser().Parse(text.NewReader(raw)), raw)
	return frontmatter.OneLine(strings.ToValidUTF8(b.String(), "\ufffd"))
}

// writeText writes what a reader sees of a node.
func writeText(b *strings.Builder, n ast.Node, source []byte) {
	switch n := n.(type) {
	case *ast.Text:
		b.Write(plain(n, source))
		if n.SoftLineBreak() || n.HardLineBreak() {
			b.WriteByte(' ')
		}
	case *ast.AutoLink:
		b.Write(n.Label(source))
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		writeText(b, child, source)
	}
}

// resolved is a text with its escapes and entities resolved.
func resolved(text []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(text)))
}

// plain is a text node's value with escapes and entities resolved, code
// excepted: goldmark leaves that to the renderer.
func plain(n *ast.Text, source []byte) []byte {
	value := n.Segment.Value(source)
	if n.IsRaw() || n.Parent().Kind() == ast.KindCodeSpan {
		return value
	}
	return resolved(value)
}
