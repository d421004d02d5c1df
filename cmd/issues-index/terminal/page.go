package terminal

import (
	"fmt"
	"strings"
)

// A Page is an answer as it is laid out for a screen.
type Page struct {
	Screen
	Names int // the width of the names of fields
	text  strings.Builder
}

// Line adds a line. What comes from files has to be harmless, see [OneLine].
func (p *Page) Line(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

// Table adds a table, as [Table.Write] prints it.
func (p *Page) Table(t *Table, below func(row int) string) {
	_ = t.Write(&p.text, p.Screen, below) // a builder takes all
}

// Field adds a line of a name and a value, unless that is "". A value of several words is wrapped; a
// path or an address is left whole, so that it can be copied.
func (p *Page) Field(name, value, colour string) {
	if value == "" {
		return
	}
	value = OneLine(value)
	lines := []string{p.Paint(colour, value)}
	if room := p.Width - p.Names - 1; p.Width > 0 && strings.Contains(value, " ") {
		text := inline{screen: p.Screen}
		text.add(value, colour)
		lines = text.wrap(max(room, narrowest))
	}
	name = p.Paint(Dim, fmt.Sprintf("%-*s", p.Names, name)) + " "
	for _, line := range indented(lines, name, strings.Repeat(" ", p.Names+1)) {
		p.Line("%s", line)
	}
}

// String is all that was added.
func (p *Page) String() string { return p.text.String() }
