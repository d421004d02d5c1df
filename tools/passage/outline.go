package passage

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"issues-index/store"
)

const (
	deepest       = 6  // level of a heading
	headingLength = 80 // characters of a heading that an outline shows
)

// Outline lists headings with the lines of their sections, `12-40 ## Heading`,
// in at most so many bytes and lines. The deeper levels are left out first, then
// the headings at the end; the last entry says how many are missing.
func Outline(headings []store.Heading, size, lines int) []string {
	shallowest := deepest
	for _, h := range headings {
		shallowest = min(shallowest, h.Level)
	}
	for level := deepest; level >= shallowest; level-- {
		entries, bytes := []string{}, 0
		for _, h := range headings {
			if h.Level > level {
				continue
			}
			entry := fmt.Sprintf("%d-%d %s %s", h.Line, h.EndLine, strings.Repeat("#", h.Level), shown(h.Text))
			if bytes += len(entry) + len(`"",`); bytes > size || len(entries) == lines {
				break
			}
			entries = append(entries, entry)
		}
		complete := bytes <= size && len(entries) == countTo(headings, level)
		if missing := len(headings) - len(entries); (complete || level == shallowest) && len(entries) > 0 {
			if missing > 0 {
				entries = append(entries, more(missing))
			}
			return entries
		}
	}
	return nil
}

// shown is a heading's text in a line of the outline.
func shown(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= headingLength {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:headingLength-1]), " ") + "…"
}

func more(headings int) string {
	if headings == 1 {
		return "and 1 more heading"
	}
	return fmt.Sprintf("and %d more headings", headings)
}

// countTo counts the headings down to a level.
func countTo(headings []store.Heading, level int) int {
	n := 0
	for _, h := range headings {
		if h.Level <= level {
			n++
		}
	}
	return n
}

// Within returns the headings, in order, that stand between two lines.
func Within(headings []store.Heading, start, end int) []store.Heading {
	from := sort.Search(len(headings), func(i int) bool { return headings[i].Line >= start })
	to := sort.Search(len(headings), func(i int) bool { return headings[i].Line > end })
	return headings[from:max(from, to)]
}
