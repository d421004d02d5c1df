package main

import (
	"slices"
	"sort"
	"strings"

	"github.com/rivo/uniseg"
	extast "github.com/yuin/goldmark/extension/ast"
)

// table lays out a table of Markdown. Nothing of it is cut: a cell that is too
// wide goes on below itself.
func (m *markdownPage) table(table *extast.Table, width int) (lines []string) {
	var rows [][]*inline
	var natural []int
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []*inline
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			t := &inline{screen: m.screen}
			if len(rows) == 0 {
				m.inline(cell, t, bold)
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
	widths := shared(natural, width-gap*(len(natural)-1))
	for i, cells := range rows {
		lines = append(lines, tableRow(cells, widths, table.Alignments)...)
		if i == 0 {
			rules := make([]string, len(widths))
			for k, w := range widths {
				rules[k] = strings.Repeat("─", w)
			}
			lines = append(lines, m.screen.paint(dim, strings.Join(rules, strings.Repeat(" ", gap))))
		}
	}
	return lines
}

// tableRow sets the wrapped cells of a row side by side.
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
				line.WriteString(strings.Repeat(" ", gap))
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

// visibleWidth is the width of a painted text. Its escape sequences are our own,
// since every other one was taken out of it.
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

// narrowestColumn is how far a table that is too wide squeezes its columns.
const narrowestColumn = 4

// shared takes from the widest columns until they fit a width, or are all narrow.
func shared(natural []int, width int) []int {
	used := func(widest int) (sum int) { // when no column is wider
		for _, w := range natural {
			sum += min(w, widest)
		}
		return sum
	}
	most := slices.Max(append([]int{narrowestColumn}, natural...))
	// The widest that still fits. Beyond it is one column more to each of some.
	widest := narrowestColumn + sort.Search(most-narrowestColumn, func(more int) bool { return used(narrowestColumn+more+1) > width })
	left := max(0, width-used(widest))
	widths := slices.Clone(natural)
	for k, w := range slices.Backward(natural) {
		if w <= widest {
			continue
		}
		widths[k] = widest
		if left > 0 {
			widths[k]++
			left--
		}
	}
	return widths
}
