package answer

import (
	"fmt"
	"sort"
	"strings"

	"issues-index/store/markdown"
	"issues-index/store/words"
)

const (
	deepest       = 6  // level of a heading
	headingLength = 80 // characters of a heading that an outline shows
)

// Outline lists headings with the lines of their sections, `12-40 ## Heading`,
// in at most so many bytes and lines. The deeper levels are left out first, then
// the headings at the end; the last entry says how many are missing.
func Outline(headings []markdown.Heading, size, lines int) []string {
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
			entry := fmt.Sprintf("%d-%d %s %s", h.Line, h.EndLine, strings.Repeat("#", h.Level),
				words.Cut(words.OneLine(h.Text), headingLength))
			if bytes += len(entry) + len(`"",`); bytes > size || len(entries) == lines {
				break
			}
			entries = append(entries, entry)
		}
		complete := bytes <= size && len(entries) == countTo(headings, level)
		if missing := len(headings) - len(entries); (complete || level == shallowest) && len(entries) > 0 {
			if missing > 0 {
				entries = append(entries, "and "+words.Count(missing, "more heading"))
			}
			return entries
		}
	}
	return nil
}

// countTo counts the headings down to a level.
func countTo(headings []markdown.Heading, level int) int {
	n := 0
	for _, h := range headings {
		if h.Level <= level {
			n++
		}
	}
	return n
}

// Within returns the headings, in order, that stand between two lines.
func Within(headings []markdown.Heading, start, end int) []markdown.Heading {
	from := sort.Search(len(headings), func(i int) bool { return headings[i].Line >= start })
	to := sort.Search(len(headings), func(i int) bool { return headings[i].Line > end })
	return headings[from:max(from, to)]
}
