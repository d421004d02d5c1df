package store

import (
	"bytes"
	"strings"

	"issues-index/store/frontmatter"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A Heading is one entry of a document's outline. Lines are the body's, from 1.
type Heading struct {
	Level int    // 1 to 6
	Text  string // without markup, on one line
	Line  int
	// EndLine is the last line of the section: the one before the next heading
	// of the same or a higher level.
	EndLine int
}

// Outline lists the headings of a body, ATX and setext, in order. Those inside
// quotes, lists, code and HTML are no parts of the document's structure, nor is
// a frontmatter that could not be read and so is part of the body: Markdown
// would take its last line for a heading.
func Outline(body string) []Heading {
	outline := headings(readMarkdown(body))
	last := LineCount(body)
	for i := range outline {
		outline[i].EndLine = last
		for _, next := range outline[i+1:] {
			if next.Level <= outline[i].Level {
				outline[i].EndLine = next.Line - 1
				break
			}
		}
	}
	return outline
}

// headings lists the headings among the blocks that readMarkdown returned, without
// the ends of their sections.
func headings(doc ast.Node, source []byte, line int) []Heading {
	var found []Heading
	at := 0
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Pos() < at {
			continue
		}
		line += bytes.Count(source[at:h.Pos()], []byte{'\n'})
		at = h.Pos()
		found = append(found, Heading{Level: h.Level, Text: headingText(h, source), Line: line})
	}
	return found
}

// firstHeading is the text of a document's first heading, "" without one. It
// parses no more than the beginning, where a title stands if there is one.
func firstHeading(body string) string {
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
	doc := inlineParser().Parse(text.NewReader(raw))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(plain(n, raw))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(raw))
		}
		return ast.WalkContinue, nil
	})
	if err != nil { // ast.Walk passes on what the function returns: nothing
		return frontmatter.OneLine(string(raw))
	}
	return frontmatter.OneLine(strings.ToValidUTF8(b.String(), "\ufffd"))
}

// plain is a text node's value with escapes and entities resolved, code
// excepted: goldmark leaves that to the renderer.
func plain(n *ast.Text, source []byte) []byte {
	value := n.Segment.Value(source)
	if n.IsRaw() || n.Parent().Kind() == ast.KindCodeSpan {
		return value
	}
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
}
