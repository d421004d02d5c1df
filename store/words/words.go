// Package words cuts, joins, counts and compares short texts for people: titles, names,
// the values in an error. Every package may use it.
//
// It knows nothing about documents, terminals or budgets. Its invariants: a cut never
// splits a character, and its result is never longer than the limit.
package words

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ellipsis ends a text of which a part is missing.
const ellipsis = "…"

// Cut returns text in at most limit characters (runes), limit being 1 or more. The last
// one is … when some are missing.
func Cut(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text[:min(len(text), utf8.UTFMax*limit)])
	return strings.TrimRight(string(runes[:limit-1]), " ") + ellipsis
}

// CutBytes returns text in at most limit bytes, ending with … when some are missing.
// With a limit below the three bytes of … it returns "".
func CutBytes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit - len(ellipsis)
	if end < 0 {
		return ""
	}
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimRight(text[:end], " ") + ellipsis
}

// OneLine returns text with every run of white space as one space, and what Shown leaves.
func OneLine(text string) string {
	if isPlainLine(text) {
		return text
	}
	return strings.Join(strings.Fields(Shown(text)), " ")
}

// isPlainLine reports whether a text is ASCII with single spaces between words, as nearly all
// titles are.
func isPlainLine(text string) bool {
	before := byte(' ')
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c >= utf8.RuneSelf || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return before != ' ' || text == ""
}

// Count returns a number of things: "1 issue", "2 issues". A plural that is not thing
// with an s is given as well: Count(2, "query", "queries").
func Count(n int, thing string, plural ...string) string {
	switch {
	case n == 1:
	case len(plural) > 0:
		thing = plural[0]
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// AndMore ends a list that leaves so many things out: " and 2 more", "" when it leaves out none.
func AndMore(left int) string {
	if left <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", left)
}

// Notes joins notes, each a sentence without its full stop, "" for none.
func Notes(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), "; ")
}

// List is the items of a list that a person has separated by commas, each once. It is not nil.
func List(text string) []string {
	items := strings.Split(text, ",")
	for i, item := range items {
		items[i] = strings.TrimSpace(item)
	}
	return append([]string{}, Once(items)...)
}

// Once returns the texts of a list that are not empty, each once; nil for none.
func Once(list []string) (texts []string) {
	seen := make(map[string]bool, len(list))
	for _, s := range list {
		if s != "" && !seen[s] {
			seen[s] = true
			texts = append(texts, s)
		}
	}
	return texts
}
