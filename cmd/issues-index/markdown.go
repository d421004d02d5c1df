package main

import (
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// measure is how wide running text becomes at most: longer lines are hard to
// read, however wide the screen.
const measure = 100

// narrowest is how far nested blocks may squeeze a text before it runs over the
// screen's edge.
const narrowest = 10

var markdownParser = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
})

// A markdownPage lays Markdown out for a screen. Its blocks are lists of lines
// without line ends, which the block around them sets in. Whatever the source
// holds, as it is or as an entity, no control character of it gets into a line.
type markdownPage struct {
	source []byte
	screen screen
}

// renderMarkdown lays source out for s, every line with its end. A text that would
// take long is shown as it stands, below a line that says why.
func renderMarkdown(source string, s screen) string {
	if s.width <= 0 {
		s.width = 80
	}
	source = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(source)
	if reason := tooHardToLayOut(source); reason != "" {
		text := harmless(strings.ReplaceAll(strings.TrimSuffix(source, "\n"), "\t", "    "))
		return s.paint(dim, "Shown as it stands in the file: "+reason+".") + "\n\n" + text + "\n"
	}
	page := &markdownPage{source: []byte(source), screen: s}
	lines := page.blocks(markdownParser().Parse(text.NewReader(page.source)), s.width, false)
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// blocks lays out the children of a node, one below the other, with an empty
// line between two of them unless they are tight.
func (m *markdownPage) blocks(parent ast.Node, width int, tight bool) (lines []string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		block := m.block(n, max(width, narrowest))
		if len(block) == 0 {
			continue
		}
		if len(lines) > 0 && !tight {
			lines = append(lines, "")
		}
		lines = append(lines, block...)
	}
	return lines
}

func (m *markdownPage) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		heading := inline{screen: m.screen}
		heading.add(strings.Repeat("#", n.Level)+" ", bold)
		m.inline(n, &heading, bold)
		return heading.wrap(min(width, measure))
	case *ast.Paragraph, *ast.TextBlock:
		paragraph := inline{screen: m.screen}
		m.inline(n, &paragraph)
		return paragraph.wrap(min(width, measure))
	case *ast.ThematicBreak:
		return []string{m.screen.paint(dim, strings.Repeat("─", min(width, 40)))}
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return indented(m.verbatim(n, cyan), "    ", "    ")
	case *ast.HTMLBlock:
		lines := m.verbatim(n, dim)
		if n.HasClosure() {
			lines = append(lines, m.screen.paint(dim, m.verbatimLine(n.ClosureLine.Value(m.source))))
		}
		return lines
	case *ast.Blockquote:
		bar := m.screen.paint(dim, "│") + " "
		return indented(m.blocks(n, width-2, false), bar, bar)
	case *ast.List:
		return m.list(n, width)
	case *extast.Table:
		return m.table(n, width)
	}
	return m.blocks(n, width, false)
}

// list lays out the items of a list, their texts below each other.
func (m *markdownPage) list(list *ast.List, width int) (lines []string) {
	number := list.Start
	last := strconv.Itoa(list.Start + list.ChildCount() - 1)
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		marker := "• "
		if list.IsOrdered() {
			marker = strconv.Itoa(number) + ". "
			marker = strings.Repeat(" ", len(last)+2-len(marker)) + marker
			number++
		}
		indent := strings.Repeat(" ", len([]rune(marker)))
		block := m.blocks(item, width-len(indent), list.IsTight)
		if len(block) == 0 {
			block = []string{""}
		}
		if len(lines) > 0 && !list.IsTight {
			lines = append(lines, "")
		}
		lines = append(lines, indented(block, marker, indent)...)
	}
	return lines
}

// verbatim are the lines of a block as they stand, and so of any width: broken,
// code could not be copied.
func (m *markdownPage) verbatim(n ast.Node, code string) []string {
	lines := make([]string, n.Lines().Len())
	for i := range lines {
		segment := n.Lines().At(i)
		lines[i] = m.screen.paint(code, m.verbatimLine(segment.Value(m.source)))
	}
	return lines
}

func (m *markdownPage) verbatimLine(line []byte) string {
	return oneLine(strings.ReplaceAll(strings.TrimRight(string(line), "\r\n"), "\t", "    "))
}

// indented puts first before the first of lines and rest before the others.
func indented(lines []string, first, rest string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		prefix := rest
		if i == 0 {
			prefix = first
		}
		out[i] = strings.TrimRight(prefix+line, " ")
	}
	return out
}
