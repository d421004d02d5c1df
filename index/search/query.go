package search

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// A SearchQuery is what a person or a program typed, read. The zero SearchQuery matches
// every document.
type SearchQuery struct {
	// groups are the alternatives of OR; a document that matches one matches. None,
	// or one without terms, match everything.
	groups []group
}

// A group is terms that must all hold.
type group []term

// A term is one word or phrase of a query.
type term struct {
	// needle has one space for every run of white space in a phrase.
	needle []byte
	fields fieldSet
	// negative terms exclude the documents that have their words.
	negative bool
	// prefix is set for a query's last word, which may be unfinished.
	prefix bool

	segments []segment
	// words are the tokens of a text that has the needle as whole words, with one
	// space between any two; of the last one only the beginning when open is set.
	words []byte
	open  bool
	// row is set for a phrase of words and spaces alone. Whatever separates the same
	// words in a text, they are in a row there: tokens can tell that much, and the
	// text itself need not be looked at.
	row bool
}

// newTerm prepares a term for a text as typed.
func newTerm(typed string, fields fieldSet) term {
	t := term{fields: fields}
	text := oneSpaced(appendFold(nil, typed))
	t.needle = text
	t.segments = cut(text)
	t.words, t.open = wordsOf(text, t.segments)
	length := len(t.segments) - 1 // of words with one space between any two
	for _, s := range t.segments {
		length += len(s.text)
	}
	t.row = inRow(t.segments) && length == len(text) && bytes.Count(text, []byte{' '}) == len(t.segments)-1
	return t
}

// inRow reports whether segments are words that a plan can name in a row: several, and few
// and short enough for that.
func inRow(segments []segment) bool {
	return len(segments) > 1 && len(segments) <= maxParts &&
		!slices.ContainsFunc(segments, func(s segment) bool { return s.class != letter || !s.inOneToken() })
}

// whole reports that the needle is one segment and nothing else, so that the
// tokens which hold it are all there is to know.
func (t *term) whole() bool {
	return len(t.segments) == 1 && len(t.segments[0].text) == len(t.needle)
}

// A searchedField is a column of the FTS5 table.
type searchedField int

const (
	title searchedField = iota
	labels
	body
	fieldCount
)

var columns = [fieldCount]string{title: "title", labels: "labels", body: "body"}

// A fieldSet holds the fields in which a term may occur.
type fieldSet uint8

const everywhere fieldSet = 1<<fieldCount - 1

func (s fieldSet) has(f searchedField) bool { return s&(1<<f) != 0 }

// fieldNames are the names by which a query, or its caller, restricts a term.
var fieldNames = []struct {
	name string
	set  fieldSet
}{
	{"title", 1 << title},
	{"labels", 1 << labels},
	{"label", 1 << labels},
	{"description", 1 << body},
}

// fieldsNamed returns the fields of the names, all when no name is known.
func fieldsNamed(names []string) fieldSet {
	var set fieldSet
	for _, f := range fieldNames {
		if slices.Contains(names, f.name) {
			set |= f.set
		}
	}
	if set == 0 {
		return everywhere
	}
	return set
}

// Terms is how many words and phrases the query has. The cost of a search grows
// with it.
func (q SearchQuery) Terms() int {
	n := 0
	for _, g := range q.groups {
		n += len(g)
	}
	return n
}

// MatchesAll reports that the query excludes no document.
func (q SearchQuery) MatchesAll() bool {
	return len(q.groups) == 0 || slices.ContainsFunc(q.groups, func(g group) bool { return len(g) == 0 })
}

// A segment is a run of letters, or of unspaced runes, in a needle. Where the
// needle occurs in a text, the segment is a part of one of the text's runs: all
// of it up to any side at which something else stands in the needle.
type segment struct {
	text  string
	runes int
	class class
	// ends says at which sides the text's run ends with the segment.
	ends affix
}

// inOneToken reports whether one token has the whole segment wherever it occurs.
func (s segment) inOneToken() bool { return s.runes <= windowOverlap+1 }

// cut returns the segments of a folded needle.
func cut(needle []byte) []segment {
	var segments []segment
	var current segment
	start := 0
	flush := func(end int) {
		if current.class != separator {
			current.text = string(needle[start:end])
			current.ends = affix{atStart: start > 0, atEnd: end < len(needle)}
			segments = append(segments, current)
		}
		current = segment{}
		start = end
	}
	for i := 0; i < len(needle); {
		r, size := utf8.DecodeRune(needle[i:])
		if _, class := look(r); class != current.class {
			flush(i)
			current.class = class
		}
		current.runes++
		i += size
	}
	flush(len(needle))
	return segments
}

// wordsOf returns the tokens of a text that has the needle as whole words; open
// reports that of the last one only the beginning is known. Unspaced runes are
// whole words wherever they occur, so that the token that a run of them ends
// with is not asked for.
func wordsOf(needle []byte, segments []segment) (words []byte, open bool) {
	words = Feed(nil, string(needle))
	if len(segments) == 0 {
		return words, false
	}
	switch last := segments[len(segments)-1]; {
	case last.class == unspaced && last.runes == 1:
		open = true
	case last.class == unspaced:
		words = words[:bytes.LastIndexByte(words, ' ')]
	}
	return words, open
}

// piece returns a part of a long segment that one window holds whole, and where
// it stands in that window.
func (s segment) piece() (string, affix) {
	runes := []rune(s.text)
	if s.ends.atEnd && !s.ends.atStart {
		return string(runes[len(runes)-windowOverlap-1:]), affix{atEnd: true}
	}
	return string(runes[:windowOverlap+1]), affix{atStart: s.ends.atStart}
}
