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

// A Styled text has no control characters but those of its style.
type Styled string

// Bold is a text in bold letters.
func (p *Page) Bold(text string) Styled { return p.In(Bold, text) }

// Dim is a text that stands back.
func (p *Page) Dim(text string) Styled { return p.In(Dim, text) }

// In is a text in a colour, or another style.
func (p *Page) In(code, text string) Styled { return Styled(p.Paint(code, OneLine(text))) }

// Line adds a line. A text among the arguments, from a file or from elsewhere, is put on one line
// without control characters, unless it is [Styled].
func (p *Page) Line(format string, args ...any) {
	fmt.Fprintf(&p.text, format+"\n", Harmlessly(args)...)
}

// Harmlessly puts each text among arguments on one line without control characters.
func Harmlessly(args []any) []any {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = OneLine(text)
		}
	}
	return args
}

// Text adds a text of several lines as it is, without control characters.
func (p *Page) Text(text string) { p.text.WriteString(Harmless(text)) }

// Table adds a table, as [Table.Write] prints it.
func (p *Page) Table(t *Table, below func(row int) string) {
	_ = t.Write(&p.text, p.Screen, below) // a builder takes all
}

// Field adds a line of a name and a value, unless that is "". A value of several words is wrapped; a
// path or an address is left whole, so that it can be copied.
func (p *Page) Field(name, value string, style ...string) {
	if value == "" {
		return
	}
	colour := append(style, Plain)[0]
	value = OneLine(value)
	lines := []string{p.Paint(colour, value)}
	if room := p.Width - p.Names - 1; p.Width > 0 && strings.Contains(value, " ") {
		text := inline{screen: p.Screen}
		text.add(value, colour)
		lines = text.wrap(max(room, narrowest))
	}
	name = p.Paint(Dim, fmt.Sprintf("%-*s", p.Names, name)) + " "
	for _, line := range indented(lines, name, strings.Repeat(" ", p.Names+1)) {
		p.text.WriteString(line + "\n")
	}
}

// Fields adds a line for each pair of a name and a value, as Field does.
func (p *Page) Fields(pairs ...string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		p.Field(pairs[i], pairs[i+1])
	}
}

// String is all that was added.
func (p *Page) String() string { return p.text.String() }
