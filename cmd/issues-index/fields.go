package main

import (
	"fmt"
	"strings"
)

// fields are lines of a name and a value, the values below each other.
type fields struct {
	out    *strings.Builder
	screen screen
	width  int // of the names
}

// add appends a field that has a value. One of several words goes on below itself
// where the screen ends; a path or an address is left whole, to be copied.
func (f fields) add(name, value, colour string) {
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
