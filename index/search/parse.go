package search

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse reads a query. Every input is one:
//
//	fix cache        both words, in any order, also as parts of words
//	"fix the cache"  these words in a row
//	a b OR c         a and b, or c
//	-word -"a b"     not the documents that have this whole word, or these in a row
//	title:x label:x labels:x description:x
//	                 the word or phrase in that field
//
// All else is literal: --flag, a lone -, ->, OR without neighbours, foo:bar. A
// quote that is not closed reaches to the end; inside a word it is a character.
// fields restricts every term to some of title, description and labels; none, or
// none of these, is no restriction.
func Parse(input string, fields []string) SearchQuery {
	s := scanner{rest: input, fields: fieldsNamed(fields)}
	var items []parsedTerm
	for {
		it, ok := s.next()
		if !ok {
			break
		}
		items = append(items, it)
	}

	var groups []group
	var g group
	for i, it := range items {
		if it.isOR && i > 0 && i+1 < len(items) && !items[i+1].isOR {
			groups = append(slices.DeleteFunc(groups, g.equal), g)
			g = nil
			items[i+1].isOR = false
			continue
		}
		if len(it.term.needle) > 0 && !(it.term.negative && it.term.fields == 0) {
			// Said a thousand times, a word asks for no more than said once, and costs no more.
			g = append(slices.DeleteFunc(g, it.term.equal), it.term)
		}
	}
	if last := len(g) - 1; last >= 0 && items[len(items)-1].plain {
		g[last].prefix = true
	}
	if len(items) > 0 {
		groups = append(slices.DeleteFunc(groups, g.equal), g)
	}
	return SearchQuery{groups: groups}
}

// equal reports whether another term of a group asks for the same.
func (t *term) equal(other term) bool {
	return t.negative == other.negative && t.fields == other.fields && bytes.Equal(t.needle, other.needle)
}

// equal reports whether another alternative is the same.
func (g group) equal(other group) bool {
	return slices.EqualFunc(g, other, func(a, b term) bool { return a.equal(b) && a.prefix == b.prefix })
}

// A parsedTerm is a term of the input as it stands there.
type parsedTerm struct {
	term  term
	plain bool // a word without quotes
	isOR  bool // the word OR, an operator if it has neighbours
}

// A scanner takes an input apart.
type scanner struct {
	rest    string
	fields  fieldSet
	midWord bool // what was read last is directly before rest
}

// next returns the next item; ok is false at the end of the input.
func (s *scanner) next() (it parsedTerm, ok bool) {
	rest := strings.TrimLeftFunc(s.rest, unicode.IsSpace)
	if rest == "" {
		return parsedTerm{}, false
	}
	apart := !s.midWord || len(rest) < len(s.rest)
	s.rest, s.midWord = rest, true

	negative := apart && startsNegative(rest)
	if negative {
		s.rest = rest[1:]
	}
	fields := s.fields & s.takeField()
	var typed string
	if strings.HasPrefix(s.rest, `"`) {
		typed, s.rest, _ = strings.Cut(s.rest[1:], `"`)
	} else {
		end := strings.IndexFunc(s.rest, unicode.IsSpace)
		if end < 0 {
			end = len(s.rest)
		}
		typed, s.rest = s.rest[:end], s.rest[end:]
		it.plain = !negative
		it.isOR = apart && strings.TrimSuffix(rest, s.rest) == "OR"
	}
	it.term = newTerm(typed, fields)
	it.term.negative = negative
	return it, true
}

// startsNegative reports whether s begins with a minus that excludes: a single
// one, directly before a letter, a digit or a quote.
func startsNegative(s string) bool {
	after, ok := strings.CutPrefix(s, "-")
	if !ok || after == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(after)
	_, class := look(r)
	return r == '"' || class != separator
}

// takeField takes a field's name and colon that stand directly before a word or
// a quote.
func (s *scanner) takeField() fieldSet {
	for _, f := range fieldNames {
		after, ok := strings.CutPrefix(s.rest, f.name+":")
		if !ok || after == "" {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(after); unicode.IsSpace(r) {
			continue
		}
		s.rest = after
		return f.set
	}
	return everywhere
}
