package content

import (
	"strconv"

	"golang.org/x/net/html"
)

// A grid is larger than its cells by what spans and short rows leave empty. It may
// be so by this factor, and a few cells more.
const (
	gridFactor = 4
	gridSlack  = 200
	maxSpan    = 20
)

// table writes a table with its header first, and one that is mostly holes as
// lines.
func (c *cleaner) table(out, n *html.Node, s setting) {
	var rows [][]*html.Node
	var captions []*html.Node
	collect(n, &rows, &captions)
	cells, widest, spanned := 0, 0, 0
	for _, row := range rows {
		cells += len(row)
		widest = max(widest, len(row))
		for _, cell := range row {
			across, down := span(cell, "colspan"), span(cell, "rowspan")
			spanned += across*down - 1
		}
	}
	for _, caption := range captions {
		c.append(out, "div", caption, s)
	}
	room := gridFactor*cells + gridSlack
	s.inline, s.cell = true, true
	if widest*len(rows) > room || widest == 1 {
		s.cell = false
		for _, row := range rows {
			c.line(out, row, s)
		}
		return
	}
	if len(rows) == 0 {
		return
	}
	table := element("table")
	headed := false
	for _, cell := range rows[0] {
		headed = headed || cell.Data == "th" || cell.Parent.Parent.Data == "thead"
	}
	for i, row := range rows {
		tr := element("tr")
		for _, cell := range row {
			made := element("td")
			if headed && i == 0 {
				made = element("th")
			}
			if spanned <= room {
				for _, name := range []string{"colspan", "rowspan"} {
					if n := span(cell, name); n > 1 {
						made.Attr = append(made.Attr, html.Attribute{Key: name, Val: strconv.Itoa(n)})
					}
				}
			}
			c.children(made, cell, s)
			for made.LastChild != nil && made.LastChild.Data == cellBreak {
				made.RemoveChild(made.LastChild)
			}
			tr.AppendChild(made)
		}
		table.AppendChild(tr)
	}
	out.AppendChild(table)
}

// line writes a row as a paragraph.
func (c *cleaner) line(out *html.Node, row []*html.Node, s setting) {
	p := element("p")
	for i, cell := range row {
		if i > 0 {
			p.AppendChild(text(" | "))
		}
		c.children(p, cell, s)
	}
	out.AppendChild(p)
}

// collect finds the rows and captions of a table, but not those of tables in it.
func collect(n *html.Node, rows *[][]*html.Node, captions *[]*html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if _, hidden := attribute(child, "hidden"); hidden {
			continue
		}
		switch child.Data {
		case "caption":
			*captions = append(*captions, child)
		case "tr":
			var row []*html.Node
			for cell := child.FirstChild; cell != nil; cell = cell.NextSibling {
				if cell.Data == "td" || cell.Data == "th" {
					row = append(row, cell)
				}
			}
			*rows = append(*rows, row)
		case "thead", "tbody", "tfoot":
			collect(child, rows, captions)
		}
	}
}

// span is how many columns or rows a cell takes.
func span(cell *html.Node, name string) int {
	value, _ := attribute(cell, name)
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxSpan {
		return 1
	}
	return n
}
