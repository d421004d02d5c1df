package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// A column of a table.
type column struct {
	title string
	// least is how narrow the column may become, in screen columns; 0 keeps
	// it as wide as its widest cell.
	least int
	// optional columns are left out, the last one first, where the others have
	// no room.
	optional bool
	right    bool
	// colour returns the SGR code for a cell, nil for none.
	colour func(cell string) string
}

// A table is columns and rows of one-line cells.
type table struct {
	columns []column
	rows    [][]string
	// marks stands out in the lines below rows; nil for nothing.
	marks *regexp.Regexp
}

// gap is the number of spaces between two columns.
const gap = 2

func (t *table) add(cells ...string) {
	for i, cell := range cells {
		cells[i] = oneLine(cell)
	}
	t.rows = append(t.rows, cells)
}

// write prints the table, no line wider than the screen. below, when not nil,
// returns a further line for a row, or "".
func (t *table) write(w io.Writer, s screen, below func(row int) string) error {
	out := bufio.NewWriter(w)
	shown, widths := t.fit(s.width)
	header := make([]string, len(t.columns))
	for i, c := range t.columns {
		header[i] = c.title
	}
	t.line(out, s, header, shown, widths, func(column, string) string { return bold })
	for i, row := range t.rows {
		t.line(out, s, row, shown, widths, func(c column, cell string) string {
			if c.colour == nil {
				return plain
			}
			return c.colour(cell)
		})
		if below == nil {
			continue
		}
		if text := oneLine(below(i)); text != "" {
			if s.width > 0 {
				text = cut(text, s.width-gap)
			}
			fmt.Fprintf(out, "%*s%s\n", gap, "", s.marked(text, t.marks))
		}
	}
	return out.Flush()
}

// line prints one row; trailing blanks are left out.
func (t *table) line(out *bufio.Writer, s screen, cells []string, shown, widths []int, colour func(column, string) string) {
	var line strings.Builder
	for i, k := range shown {
		if i > 0 {
			line.WriteString(strings.Repeat(" ", gap))
		}
		text := cut(cells[k], widths[k])
		pad := strings.Repeat(" ", widths[k]-uniseg.StringWidth(text))
		text = s.paint(colour(t.columns[k], cells[k]), text)
		if t.columns[k].right {
			line.WriteString(pad + text)
		} else {
			line.WriteString(text + pad)
		}
	}
	fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
}

// fit chooses the columns to show and their widths for a screen of the given
// width; 0 shows everything.
func (t *table) fit(width int) (shown, widths []int) {
	widths = make([]int, len(t.columns))
	for k, c := range t.columns {
		widths[k] = uniseg.StringWidth(c.title)
		for _, row := range t.rows {
			widths[k] = max(widths[k], uniseg.StringWidth(row[k]))
		}
		shown = append(shown, k)
	}
	if width <= 0 {
		return shown, widths
	}
	least := func() int {
		n := gap * (len(shown) - 1)
		for _, k := range shown {
			n += t.narrowest(k, widths[k])
		}
		return n
	}
	for least() > width {
		last := -1
		for i, k := range shown {
			if t.columns[k].optional {
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

// shrink takes room from the widest columns until the line fits: first from
// optional ones that may be narrowed, then from others that may, and where that is
// not enough from any, the first column last.
func (t *table) shrink(shown, widths []int, width int) {
	excess := gap*(len(shown)-1) - width
	for _, k := range shown {
		excess += widths[k]
	}
	may := func(k int) bool { return widths[k] > t.narrowest(k, widths[k]) }
	first := func(k int) bool { return k == shown[0] } // it names the row
	gives := []func(k int) bool{
		func(k int) bool { return t.columns[k].optional && may(k) },
		may,
		func(k int) bool { return !first(k) && widths[k] > 12 },
		func(k int) bool { return widths[k] > len("ISS-000001") },
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

func (t *table) narrowest(k, natural int) int {
	if least := t.columns[k].least; least > 0 && least < natural {
		return least
	}
	return natural
}
