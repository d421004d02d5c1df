package search

import (
	"bytes"
	"slices"
)

// Text is what of a document can be searched, as written. Labels are joined by
// "\n"; no phrase reaches from one into the next.
type Text struct {
	Title, Labels, Body string
}

// Matcher returns a Matcher of the query.
func (q SearchQuery) Matcher() *Matcher { return &Matcher{query: q} }

// A Matcher matches many documents against one query, in memory that it reuses.
// It is for one goroutine.
type Matcher struct {
	query  SearchQuery
	fields [fieldCount]fieldText
}

// A fieldText is one field of the document at hand. Its other forms are empty until
// a term asks for them.
type fieldText struct {
	text                  string
	folded, spaced, words []byte
}

// Match reports whether the document matches: whether some alternative of the
// query has every positive term in one of the fields allowed to it, and no
// negative one as whole words. A positive term is a part of the folded text; a
// phrase of words is words in a row, whatever separates them, the first of which
// may end a longer word and the last begin one.
func (m *Matcher) Match(t Text) bool {
	for f, text := range [fieldCount]string{title: t.Title, labels: t.Labels, body: t.Body} {
		m.fields[f] = fieldText{text: text, folded: m.fields[f].folded[:0], words: m.fields[f].words[:0]}
	}
	return m.query.MatchesAll() || slices.ContainsFunc(m.query.groups, m.matchGroup)
}

func (m *Matcher) matchGroup(g group) bool {
	for i := range g {
		if m.matchTerm(&g[i]) == g[i].negative {
			return false
		}
	}
	return true
}

// matchTerm reports whether the document has the term, be it negative or not.
func (m *Matcher) matchTerm(t *term) bool {
	for f := range fieldCount {
		if t.fields.has(f) && m.fields[f].has(t, f) {
			return true
		}
	}
	return false
}

func (ft *fieldText) has(t *term, f searchedField) bool {
	switch {
	case t.negative && len(t.words) > 0:
		whole := slices.Concat([]byte{' '}, t.words)
		if !t.open {
			whole = append(whole, ' ')
		}
		return bytes.Contains(ft.cut(f), whole)
	case t.row: // one space stands between any two tokens, too
		return bytes.Contains(ft.cut(f), t.needle)
	}
	return ft.contains(t, f)
}

// contains reports whether the field has the term's needle as a part, whatever white
// space stands in place of its spaces.
func (ft *fieldText) contains(t *term, f searchedField) bool {
	if len(ft.folded) == 0 {
		ft.folded = appendFold(ft.folded, ft.text)
	}
	if bytes.Contains(ft.folded, t.needle) {
		return true
	}
	if !bytes.ContainsRune(t.needle, ' ') {
		return false
	}
	if len(ft.spaced) == 0 { // once for all terms: it takes longer than all else
		lines := [][]byte{ft.folded}
		if f == labels {
			lines = bytes.Split(ft.folded, []byte{'\n'})
		}
		for i, line := range lines {
			lines[i] = oneSpaced(line)
		}
		ft.spaced = bytes.Join(lines, []byte{'\n'})
	}
	return bytes.Contains(ft.spaced, t.needle)
}

// oneSpaced returns a text with one space for every run of white space.
func oneSpaced(text []byte) []byte { return bytes.Join(bytes.Fields(text), []byte{' '}) }

// cut returns the tokens of the field, with a space around each.
func (ft *fieldText) cut(f searchedField) []byte {
	if len(ft.words) == 0 {
		feed := Feed
		if f == labels {
			feed = FeedLines
		}
		ft.words = append(feed(append(ft.words, ' '), ft.text), ' ')
	}
	return ft.words
}
