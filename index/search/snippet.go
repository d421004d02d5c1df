package search

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Snippet returns the text around the query's first match in a body, on one line
// of at most limit characters, with … where text is left out. Where the body
// itself has no match it is the body's beginning.
func (q SearchQuery) Snippet(body string, limit int) string {
	flat := strings.Join(strings.Fields(body), " ")
	hit := q.firstHit(flat)
	// A third of the line stands before the match, cut between words where that
	// is possible.
	start := back(flat, hit, limit/3)
	if start > 0 {
		if space := strings.IndexByte(flat[start:hit], ' '); space >= 0 {
			start += space + 1
		}
	}
	cutBefore, cutAfter := "", ""
	if start > 0 {
		cutBefore = "…"
	}
	end := forth(flat, start, limit-len([]rune(cutBefore)))
	if end < len(flat) {
		cutAfter = "…"
		end = back(flat, end, 1)
		if space := strings.LastIndexFunc(flat[start:end], unicode.IsSpace); space > 0 && start+space > hit {
			end = start + space
		}
	}
	return cutBefore + flat[start:end] + cutAfter
}

// firstHit is where in a text without line breaks the first of the query's
// terms stands, as an offset in bytes; 0 when none does.
func (q SearchQuery) firstHit(flat string) int {
	folded := appendFold(nil, flat)
	first := -1
	for _, g := range q.groups {
		for i := range g {
			t := &g[i]
			if t.negative || !t.fields.has(body) || len(t.needle) == 0 {
				continue
			}
			hit := bytes.Index(folded, t.needle)
			if hit < 0 && t.row {
				hit = t.rowIn(folded)
			}
			if hit >= 0 && (first < 0 || hit < first) {
				first = hit
			}
		}
	}
	if first <= 0 {
		return 0
	}
	// Folding changes a character's length, not the number of characters.
	return forth(flat, 0, utf8.RuneCount(folded[:first]))
}

// rowIn is where in a folded text the segments of a phrase begin, whatever
// separates them there; -1 when they are nowhere in a row.
func (t *term) rowIn(folded []byte) int {
	words := make([]string, len(t.segments))
	for i, s := range t.segments {
		words[i] = regexp.QuoteMeta(s.text)
	}
	if at := regexp.MustCompile(strings.Join(words, `[^\pL\pN\pM]+`)).FindIndex(folded); at != nil {
		return at[0]
	}
	return -1
}

// forth is the offset n characters after start, at most the end.
func forth(s string, start, n int) int {
	for ; n > 0 && start < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[start:])
		start += size
	}
	return start
}

// back is the offset n characters before end, at least 0.
func back(s string, end, n int) int {
	for ; n > 0 && end > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	return end
}
