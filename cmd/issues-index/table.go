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
	// least is the least width in screen columns; 0 keeps the width of the widest cell.
	least int
	// optional columns are left out, the last one first, when the others have no room.
	optional bool
	right    bool
	// colour returns the SGR code for a cell, nil for none.
	colour func(cell string) string
}

// A table has columns and rows of one-line cells.
type table struct {
	columns []column
	rows    [][]string
	// files are what the first cells of the rows link to; nil for nothing.
	files []string
	// marks matches what is emphasized in the lines below rows; nil for nothing.
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

// write prints the table, with no line wider than the screen. below, when not nil, returns
// an additional line for a row, or "".
func (t *table) write(w io.Writer, s screen, below func(row int) string) error {
	out := bufio.NewWriter(w)
	shown, widths := t.fit(s.width)
	header := make([]string, len(t.columns))
	for i, c := range t.columns {
		header[i] = c.title
	}
	t.line(out, s, header, "", shown, widths, func(column, string) string { return bold })
	for i, row := range t.rows {
		file := ""
		if t.files != nil {
			file = t.files[i]
		}
		t.line(out, s, row, file, shown, widths, func(c column, cell string) string {
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

// line prints one row without trailing blanks. Its first cell links to file, unless that
// is "".
func (t *table) line(out *bufio.Writer, s screen, cells []string, file string, shown, widths []int, colour func(column, string) string) {
	var line strings.Builder
	for i, k := range shown {
		if i > 0 {
			line.WriteString(strings.Repeat(" ", gap))
		}
		text := cut(cells[k], widths[k])
		pad := strings.Repeat(" ", widths[k]-uniseg.StringWidth(text))
		text = s.paint(colour(t.columns[k], cells[k]), text)
		if k == 0 {
			text = s.linked(file, text)
		}
		if t.columns[k].right {
			line.WriteString(pad + text)
		} else {
			line.WriteString(text + pad)
		}
	}
	fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
}

// fit chooses the columns to show and their widths for a screen; 0 shows everything.
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

// shrink narrows the widest columns until the line fits: first the optional ones that may
// be narrowed, then the others that may, then any, the first column last.
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

// queryMarks matches the words of a query in a snippet; nil for no query. It matches only
// exact words, while the index ignores accents, too.
func queryMarks(query string) *regexp.Regexp {
	var words []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(query, `"`, " ")) {
		if word == "OR" || strings.HasPrefix(word, "-") {
			continue
		}
		for _, field := range []string{"title:", "label:", "labels:", "description:"} {
			word = strings.TrimPrefix(word, field)
		}
		if word != "" {
			words = append(words, regexp.QuoteMeta(word))
		}
	}
	if len(words) == 0 {
		return nil
	}
	marks, err := regexp.Compile("(?i)" + strings.Join(words, "|"))
	if err != nil {
		return nil // too long for a pattern
	}
	return marks
}

// marked returns a dim text in which the matches of marks are bold.
func (s screen) marked(text string, marks *regexp.Regexp) string {
	if marks == nil {
		return s.paint(dim, text)
	}
	var out strings.Builder
	end := 0
	for _, match := range marks.FindAllStringIndex(text, -1) {
		out.WriteString(s.paint(dim, text[end:match[0]]) + s.paint(bold, text[match[0]:match[1]]))
		end = match[1]
	}
	return out.String() + s.paint(dim, text[end:])
}

// A fieldPrinter prints lines of a name and a value, with the values aligned.
type fieldPrinter struct {
	out    *strings.Builder
	screen screen
	width  int // of the names
}

// add appends a field that has a value. A value of several words is wrapped; a path or an
// address is left whole, so that it can be copied.
func (f fieldPrinter) add(name, value, colour string) {
	if value == "" {
		return
	}
	value = oneLine(value)
	lines := []string{f.screen.paint(colour, value)}
	if room := f.screen.width - f.width - 1; f.screen.width > 0 && strings.Contains(value, " ") {
		text := inline{screen: f.screen}
		text.add(value, colour)
		lines = text.wrap(max(room, narrowest))
	}
	name = f.screen.paint(dim, fmt.Sprintf("%-*s", f.width, name)) + " "
	for _, line := range indented(lines, name, strings.Repeat(" ", f.width+1)) {
		f.out.WriteString(line + "\n")
	}
}
