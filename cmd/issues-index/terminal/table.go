package terminal

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// A Column of a table.
type Column struct {
	Title string
	// Least is the least width in screen columns; 0 keeps the width of the widest cell.
	Least int
	// Optional columns are left out, the last one first, when the others have no room.
	Optional bool
	Right    bool
	// Colour returns the SGR code for a cell, nil for none.
	Colour func(cell string) string
}

// A Table has columns and rows of one-line cells.
type Table struct {
	Columns []Column
	Rows    [][]string
	// Files are what the first cells of the rows link to; nil for nothing.
	Files []string
	// Marks matches what is emphasized in the lines below rows; nil for nothing.
	Marks *regexp.Regexp
}

// Gap is the number of spaces between two columns.
const Gap = 2

// Add adds a row.
func (t *Table) Add(cells ...string) {
	for i, cell := range cells {
		cells[i] = OneLine(cell)
	}
	t.Rows = append(t.Rows, cells)
}

// Write prints the table, with no line wider than the screen. below, when not nil, returns
// an additional line for a row, or "".
func (t *Table) Write(w io.Writer, s Screen, below func(row int) string) error {
	out := bufio.NewWriter(w)
	shown, widths := t.fit(s.Width)
	header := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		header[i] = c.Title
	}
	t.line(out, s, header, "", shown, widths, func(Column, string) string { return Bold })
	for i, row := range t.Rows {
		file := ""
		if t.Files != nil {
			file = t.Files[i]
		}
		t.line(out, s, row, file, shown, widths, func(c Column, cell string) string {
			if c.Colour == nil {
				return Plain
			}
			return c.Colour(cell)
		})
		if below == nil {
			continue
		}
		if text := OneLine(below(i)); text != "" {
			if s.Width > 0 {
				text = Cut(text, s.Width-Gap)
			}
			fmt.Fprintf(out, "%*s%s\n", Gap, "", s.Marked(text, t.Marks))
		}
	}
	return out.Flush()
}

// line prints one row without trailing blanks. Its first cell links to file, unless that
// is "".
func (t *Table) line(out *bufio.Writer, s Screen, cells []string, file string, shown, widths []int,
	colour func(Column, string) string) {
	var line strings.Builder
	for i, k := range shown {
		if i > 0 {
			line.WriteString(strings.Repeat(" ", Gap))
		}
		text := Cut(cells[k], widths[k])
		pad := strings.Repeat(" ", widths[k]-uniseg.StringWidth(text))
		text = s.Paint(colour(t.Columns[k], cells[k]), text)
		if k == 0 {
			text = s.Linked(file, text)
		}
		if t.Columns[k].Right {
			line.WriteString(pad + text)
		} else {
			line.WriteString(text + pad)
		}
	}
	fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
}

// fit chooses the columns to show and their widths for a screen; 0 shows everything.
func (t *Table) fit(width int) (shown, widths []int) {
	widths = make([]int, len(t.Columns))
	for k, c := range t.Columns {
		widths[k] = uniseg.StringWidth(c.Title)
		for _, row := range t.Rows {
			widths[k] = max(widths[k], uniseg.StringWidth(row[k]))
		}
		shown = append(shown, k)
	}
	if width <= 0 {
		return shown, widths
	}
	least := func() int {
		n := Gap * (len(shown) - 1)
		for _, k := range shown {
			n += t.narrowest(k, widths[k])
		}
		return n
	}
	for least() > width {
		last := -1
		for i, k := range shown {
			if t.Columns[k].Optional {
				last = i
			}
		}
		if last < 0 {
			break
		}
		shown = slices.Delete(shown, last, last+1)
	}
	t.shrink(shown, widths, width)
	return shown, widths
}

// shrink narrows the widest columns until the line fits: first the optional ones that may
// be narrowed, then the others that may, then any, the first column last.
func (t *Table) shrink(shown, widths []int, width int) {
	excess := Gap*(len(shown)-1) - width
	for _, k := range shown {
		excess += widths[k]
	}
	may := func(k int) bool { return widths[k] > t.narrowest(k, widths[k]) }
	first := func(k int) bool { return k == shown[0] } // it names the row
	gives := []func(k int) bool{
		func(k int) bool { return t.Columns[k].Optional && may(k) },
		may,
		func(k int) bool { return !first(k) && widths[k] > 12 },
		func(k int) bool { return widths[k] > 10 }, // a name such as ISS-000001 stays whole
		func(k int) bool { return !first(k) && widths[k] > 3 },
		func(k int) bool { return widths[k] > 1 },
	}
	for excess > 0 && len(gives) > 0 {
		widest := -1
		for _, k := range shown {
			if gives[0](k) && (widest < 0 || widths[k] > widths[widest]) {
				widest = k
			}
		}
		if widest < 0 {
			gives = gives[1:]
			continue
		}
		widths[widest]--
		excess--
	}
}

func (t *Table) narrowest(k, natural int) int {
	if least := t.Columns[k].Least; least > 0 && least < natural {
		return least
	}
	return natural
}

// Marked returns a dim text in which the matches of marks are bold.
func (s Screen) Marked(text string, marks *regexp.Regexp) string {
	if marks == nil {
		return s.Paint(Dim, text)
	}
	var out strings.Builder
	end := 0
	for _, match := range marks.FindAllStringIndex(text, -1) {
		out.WriteString(s.Paint(Dim, text[end:match[0]]) + s.Paint(Bold, text[match[0]:match[1]]))
		end = match[1]
	}
	return out.String() + s.Paint(Dim, text[end:])
}
