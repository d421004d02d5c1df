package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"issues-index/store/layout"
	"issues-index/store/words"
)

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A screen describes where text is printed.
type screen struct {
	width  int // columns; 0 for no limit
	colour bool
	links  bool // to files
}

// screen describes standard output. COLUMNS overrides the width of the terminal.
func (p *program) screen() screen {
	var s screen
	if isTerminal(p.out) {
		s.width = terminalWidth(p.out)
		s.colour = p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb"
		s.links = s.colour && canLink(p.getenv)
	}
	if n, err := strconv.Atoi(p.getenv("COLUMNS")); err == nil && n > 0 {
		s.width = n
	}
	return s
}

func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// SGR codes of ANSI terminals.
const (
	plain      = ""
	bold       = "1"
	dim        = "2"
	italic     = "3"
	underlined = "4"
	struck     = "9"
	red        = "31"
	green      = "32"
	yellow     = "33"
	cyan       = "36"
)

// paint gives text the style of an SGR code where colours are on.
func (s screen) paint(code, text string) string {
	if !s.colour || code == plain || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// statusColour returns the SGR code for a status of a layout.
func statusColour(l *layout.Layout, status string) string {
	switch l.CategoryOf(status) {
	case layout.Open:
		return green
	case layout.Active:
		return yellow
	case layout.Done, layout.Cancelled:
		return dim
	}
	return plain
}

// priorityColour returns the SGR code for a priority of a layout: the most urgent two of
// four or more stand out, the most urgent one of fewer.
func priorityColour(l *layout.Layout, priority string) string {
	rank, most := l.PriorityRank(priority), len(l.Priorities)
	switch {
	case rank == 0:
		return plain
	case rank == most && most >= 4:
		return bold + ";" + red
	case rank == most && most > 1, rank == most-1 && most >= 4:
		return red
	case rank == 1:
		return dim
	}
	return plain
}

// oneLine replaces line ends and control characters by blanks, and leaves out what is hidden. A
// document's title may contain some that would control the terminal.
func oneLine(s string) string {
	s = words.Shown(s)
	if strings.IndexFunc(s, unprintable) < 0 && utf8.ValidString(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unprintable(r) {
			return ' '
		}
		return r
	}, s)
}

// harmless replaces control characters in a text of several lines, and leaves out what is
// hidden. Line ends and tabs stay.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if unprintable(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, words.Shown(s))
}

// unprintable reports whether r is a control character or changes the direction of text.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029
}

// cut shortens s to width columns, ending with … when something is missing. Unlike
// words.Cut it counts columns of the terminal.
func cut(s string, width int) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	if width <= 0 {
		return ""
	}
	used, end, state := 0, 0, -1
	for rest := s; rest != ""; {
		cluster, tail, w, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > width-1 {
			break
		}
		used, end, rest, state = used+w, end+len(cluster), tail, next
	}
	return s[:end] + "…"
}
