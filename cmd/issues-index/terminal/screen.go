// Package terminal lays out the answers of commands: tables, fields, Markdown, times, and the notes
// and bars beside them.
//
// It knows nothing of documents, commands and JSON. A command gives it rows, fields and texts; the
// screen says whether these get colours, links and a width, or go into a pipe. Its invariants: no
// control character of a text reaches the terminal, no line of a table or a page is wider than the
// screen, and what is piped is whole.
package terminal

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A Screen describes where text is printed.
type Screen struct {
	Width  int // columns; 0 for no limit
	Height int // lines; 0 when it is not known
	Colour bool
	Links  bool // to files
	Person bool // a terminal, and no pipe
}

// ScreenOf describes a stream. COLUMNS overrides the width of the terminal.
func ScreenOf(out io.Writer, getenv func(string) string) Screen {
	var s Screen
	if f, ok := out.(*os.File); ok && Is(out) {
		s.Person = true
		s.Width, s.Height, _ = term.GetSize(int(f.Fd())) // 0 when they are not known
		s.Colour = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
		s.Links = s.Colour && canLink(getenv)
	}
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		s.Width = n
	}
	return s
}

// SGR codes of ANSI terminals.
const (
	Plain      = ""
	Bold       = "1"
	Dim        = "2"
	Italic     = "3"
	Underlined = "4"
	Struck     = "9"
	Red        = "31"
	Green      = "32"
	Yellow     = "33"
	Cyan       = "36"
)

// Paint gives text the style of an SGR code where colours are on.
func (s Screen) Paint(code, text string) string {
	if !s.Colour || code == Plain || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Linked makes text a link to a file where the screen has links.
func (s Screen) Linked(file, text string) string {
	if !s.Links || file == "" {
		return text
	}
	host, _ := os.Hostname() // a terminal opens no link to a file of another host
	at := url.URL{Scheme: "file", Host: host, Path: "/" + strings.TrimPrefix(filepath.ToSlash(file), "/")}
	return "\x1b]8;;" + at.String() + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}

// Time is a time for people, "" for the zero time: on a terminal the local time and how long ago it
// is, elsewhere UTC.
func (s Screen) Time(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case !s.Person:
		return t.UTC().Format("2006-01-02 15:04 UTC")
	}
	now := time.Now()
	text := t.Local().Format("2006-01-02 15:04 MST")
	if ago := Age(now, t); ago != "now" && t.Before(now) {
		return text + " (" + ago + " ago)"
	}
	return text
}

// Day is the day of a time for a table, "" for the zero time: on a terminal its age.
func (s Screen) Day(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case s.Person:
		return Age(time.Now(), t)
	}
	return t.UTC().Format(time.DateOnly)
}
