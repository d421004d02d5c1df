package terminal

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"issues-index/store/markdown"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

const (
	// Measure is the most columns of running text: longer lines are hard to read.
	Measure = 100
	// narrowest is the fewest columns of a text in nested blocks. A narrower screen cuts
	// it off.
	narrowest = 10
	// narrowestColumn is the fewest columns of a table's cell.
	narrowestColumn = 4
)

var markdownParser = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
})

// A markdownPage lays out Markdown for a screen. Each block becomes a list of lines
// without line ends, which the block around it indents. No control character of the
// source gets into a line, not even one that is written as an entity.
type markdownPage struct {
	source []byte
	screen Screen
}

// Markdown lays out source for s; every line has its end. A text that would take
// long is shown unchanged, below a line that says why.
func Markdown(source string, s Screen) string {
	if s.Width <= 0 {
		s.Width = 80
	}
	source = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(source)
	if reason := markdown.CostlyToRender(source); reason != "" {
		text := Harmless(strings.ReplaceAll(strings.TrimSuffix(source, "\n"), "\t", "    "))
		return s.Paint(Dim, "Shown as it stands in the file: "+reason+".") + "\n\n" + text + "\n"
	}
	page := &markdownPage{source: []byte(source), screen: s}
	lines := page.blocks(markdownParser().Parse(text.NewReader(page.source), parser.WithContext(markdown.RenderContext())),
		s.Width, false)
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// blocks lays out the children of a node, one below the other. An empty line separates
// them unless they are tight.
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
		heading.add(strings.Repeat("#", n.Level)+" ", Bold)
		m.inline(n, &heading, Bold)
		return heading.wrap(min(width, Measure))
	case *ast.Paragraph, *ast.TextBlock:
		paragraph := inline{screen: m.screen}
		m.inline(n, &paragraph)
		return paragraph.wrap(min(width, Measure))
	case *ast.ThematicBreak:
		return []string{m.screen.Paint(Dim, strings.Repeat("─", min(width, 40)))}
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return indented(m.verbatim(n, Cyan), "    ", "    ")
	case *ast.HTMLBlock:
		lines := m.verbatim(n, Dim)
		if n.HasClosure() {
			lines = append(lines, m.screen.Paint(Dim, m.verbatimLine(n.ClosureLine.Value(m.source))))
		}
		return lines
	case *ast.Blockquote:
		bar := m.screen.Paint(Dim, "│") + " "
		return indented(m.blocks(n, width-2, false), bar, bar)
	case *ast.List:
		return m.list(n, width)
	case *extast.Table:
		return m.table(n, width)
	}
	return m.blocks(n, width, false)
}

// list lays out the items of a list with their texts aligned.
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

// verbatim returns the lines of a block unchanged and unbroken, so that code can be
// copied.
func (m *markdownPage) verbatim(n ast.Node, code string) []string {
	lines := make([]string, n.Lines().Len())
	for i := range lines {
		segment := n.Lines().At(i)
		lines[i] = m.screen.Paint(code, m.verbatimLine(segment.Value(m.source)))
	}
	return lines
}

func (m *markdownPage) verbatimLine(line []byte) string {
	return OneLine(strings.ReplaceAll(strings.TrimRight(string(line), "\r\n"), "\t", "    "))
}

// indented puts first before the first line and rest before the others.
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

// table lays out a table of Markdown. Nothing is cut: a cell that is too wide continues on
// the next line.
func (m *markdownPage) table(table *extast.Table, width int) (lines []string) {
	var rows [][]*inline
	var natural []int
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []*inline
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			t := &inline{screen: m.screen}
			if len(rows) == 0 {
				m.inline(cell, t, Bold)
			} else {
				m.inline(cell, t)
			}
			if len(cells) == len(natural) {
				natural = append(natural, 1)
			}
			natural[len(cells)] = max(natural[len(cells)], uniseg.StringWidth(t.text.String()))
			cells = append(cells, t)
		}
		rows = append(rows, cells)
	}
	widths := columnWidths(natural, width-Gap*(len(natural)-1))
	for i, cells := range rows {
		lines = append(lines, tableRow(cells, widths, table.Alignments)...)
		if i == 0 {
			rules := make([]string, len(widths))
			for k, w := range widths {
				rules[k] = strings.Repeat("─", w)
			}
			lines = append(lines, m.screen.Paint(Dim, strings.Join(rules, strings.Repeat(" ", Gap))))
		}
	}
	return lines
}

// tableRow lays out the wrapped cells of a row side by side.
func tableRow(cells []*inline, widths []int, alignments []extast.Alignment) (lines []string) {
	wrapped := make([][]string, len(cells))
	height := 1
	for k, cell := range cells {
		wrapped[k] = cell.wrap(widths[k])
		height = max(height, len(wrapped[k]))
	}
	for i := range height {
		var line strings.Builder
		for k := range cells {
			if k > 0 {
				line.WriteString(strings.Repeat(" ", Gap))
			}
			text := ""
			if i < len(wrapped[k]) {
				text = wrapped[k][i]
			}
			pad := strings.Repeat(" ", max(0, widths[k]-visibleWidth(text)))
			if k < len(alignments) && alignments[k] == extast.AlignRight {
				line.WriteString(pad + text)
			} else {
				line.WriteString(text + pad)
			}
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return lines
}

// visibleWidth returns the width of a painted text, whose only escape sequences are those
// of paint.
func visibleWidth(painted string) int {
	width := 0
	for i, part := range strings.Split(painted, "\x1b[") {
		if i > 0 {
			_, part, _ = strings.Cut(part, "m")
		}
		width += uniseg.StringWidth(part)
	}
	return width
}

// columnWidths narrows the widest columns until all fit a width or are narrow.
func columnWidths(natural []int, width int) []int {
	widths := make([]int, len(natural))
	excess := -width
	for k, w := range natural {
		widths[k] = min(w, max(width, narrowestColumn))
		excess += widths[k]
	}
	for ; excess > 0 && len(widths) > 0; excess-- {
		widest := slices.Max(widths)
		if widest <= narrowestColumn {
			break
		}
		widths[slices.Index(widths, widest)]--
	}
	return widths
}
