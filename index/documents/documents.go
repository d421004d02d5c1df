// Package documents is what the faces of the program have in common: how a document, its links, its
// history and the state of the work are put into words, what a person or an agent is told after a
// change, and how the words of a filter or of a field are read.
//
// It knows nothing of MCP, of commands and flags, of HTML and of what an answer may cost. Its
// invariants: it changes no document; a word that it does not understand is an error that names
// what is understood; what it says of a document stands on one line and has no characters that
// control a terminal, but for names, which the caller writes as its reader needs them.
package documents

import (
	"strings"
	"time"
	"unicode"

	"issues-index/index"
	"issues-index/store/markdown"
	"issues-index/store/orderedjson"
	"issues-index/store/words"
)

// None stands for a value that a document does not set.
const None = index.None

// ShownWaits is how many documents a row says that it waits for.
const ShownWaits = 3

// TitleLength limits a title in a sentence or a row, in characters.
const TitleLength = 120

// maxID is the most bytes of an id. In place of a longer one stands the path.
const maxID = 200

// Name returns an id for a sentence: in quotes when it has spaces, so that a reader sees
// where it ends.
func Name(id string) string {
	if strings.ContainsFunc(id, unicode.IsSpace) {
		return "'" + words.OneLine(id) + "'"
	}
	return id
}

// ShortID is an id, or the path in place of one that is too long.
func ShortID(id, path string) string {
	if len(id) > maxID && len(path) < len(id) {
		return path
	}
	return id
}

// Listed joins ids, as many as most, and says how many more there are.
func Listed(ids []string, most int) string {
	shown := ids[:min(len(ids), most)]
	return words.Cut(strings.Join(shown, ", "), TitleLength) + words.AndMore(len(ids)-len(shown))
}

// ValueText is a value of a field on one line, in so many characters.
func ValueText(value string, length int) string {
	return OrNone(words.Cut(words.OneLine(value), length))
}

// OrNone is a value, or None for "".
func OrNone(value string) string {
	if value == "" {
		return None
	}
	return value
}

// PathText returns a path for a line of text: as JSON when it has line ends.
func PathText(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) || strings.ContainsAny(path, "\u2028\u2029") {
		return string(orderedjson.Text(path))
	}
	return path
}

// Day is the day of a time in UTC.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// Stamp formats a time: with milliseconds as in our own documents, without them for a
// whole second, and as a day for midnight, which is what hand-written dates are. The zero
// time is "".
func Stamp(t time.Time) string {
	t = t.UTC().Truncate(time.Millisecond)
	switch {
	case t.IsZero():
		return ""
	case t.Equal(t.Truncate(24 * time.Hour)):
		return Day(t)
	case t.Nanosecond() == 0:
		return t.Format(time.RFC3339)
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}

// BoxLines are the boxes of a text, a line each, such as `3 [x] Write tests`. Where they
// stand in several sections, each line ends with its own in parentheses.
func BoxLines(text string) []string {
	boxes := markdown.Boxes(text)
	if len(boxes) == 0 {
		return nil
	}
	headings := markdown.Outline(text)
	sections := make([]string, len(boxes))
	several := false
	for i, b := range boxes {
		sections[i] = markdown.Above(headings, b.Line)
		several = several || sections[i] != sections[0]
	}
	lines := make([]string, len(boxes))
	for i, b := range boxes {
		lines[i] = b.String()
		if several && sections[i] != "" {
			lines[i] += " (" + sections[i] + ")"
		}
	}
	return lines
}
