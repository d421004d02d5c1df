package content

import (
	"strconv"

	"golang.org/x/net/html"
)

// The grid of a table is larger than its cells by what spans and short rows leave empty:
// at most by this factor, and a few cells more.
const (
	gridFactor = 4
	gridSlack  = 200
)

// table writes a table with its header first. The rows of a table that is mostly empty, or has a
// single column, become blocks.
func (c *cleaner) table(out, n *html.Node, p placement) {
	rows, captions := partsOf(n)
	cells, widest, spanned := 0, 0, 0
	for _, row := range rows {
		cells += len(row)
		widest = max(widest, len(row))
		for _, cell := range row {
			spanned += span(cell, "colspan")*span(cell, "rowspan") - 1
		}
	}
	for _, caption := range captions {
		c.children(appended(out, "div"), caption, p)
	}
	room := gridFactor*cells + gridSlack
	if widest*len(rows) > room || widest < 2 {
		for _, row := range rows {
			block := appended(out, "div")
			for i, cell := range row {
				if i > 0 {
					c.text(block, " | ", p)
				}
				c.children(block, cell, p)
			}
		}
		return
	}
	p.inline = true
	table := appended(out, "table")
	headed := false
	for _, cell := range rows[0] {
		headed = headed || cell.Data == "th" || cell.Parent.Parent.Data == "thead"
	}
	for i, row := range rows {
		tr := appended(table, "tr")
		name := "td"
		if headed && i == 0 {
			name = "th"
		}
		for _, cell := range row {
			made := appended(tr, name)
			for _, name := range []string{"colspan", "rowspan"} {
				if n := span(cell, name); n > 1 && spanned <= room {
					made.Attr = append(made.Attr, html.Attribute{Key: name, Val: strconv.Itoa(n)})
				}
			}
			c.children(made, cell, p)
		}
	}
}

// partsOf returns the rows and captions of a table, not those of tables inside it.
func partsOf(n *html.Node) (rows [][]*html.Node, captions []*html.Node) {
	for child := range n.ChildNodes() {
		switch child.Data {
		case "caption":
			captions = append(captions, child)
		case "tr":
			var row []*html.Node
			for cell := range child.ChildNodes() {
				if cell.Data == "td" || cell.Data == "th" {
					row = append(row, cell)
				}
			}
			rows = append(rows, row)
		case "thead", "tbody", "tfoot":
			inner, _ := partsOf(child)
			rows = append(rows, inner...)
		}
	}
	return rows, captions
}

// span returns how many columns or rows a cell takes.
func span(cell *html.Node, name string) int {
	n, _ := strconv.Atoi(attribute(cell, name))
	return max(n, 1)
}
