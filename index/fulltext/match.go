package fulltext

import (
	"bytes"
	"slices"
)

// Text is what of a document can be searched, as written. Labels are joined by
// "\n"; no phrase reaches from one into the next.
type Text struct {
	Title, Labels, Body string
}

// Match reports whether the document matches: whether some alternative of the
// query has every positive term in one of the fields allowed to it, and no
// negative one as whole words. A positive term is a part of the folded text; a
// phrase of words is words in a row, whatever separates them, the first of which
// may end a longer word and the last begin one.
func (q SearchQuery) Match(t Text) bool { return q.Matcher().Match(t) }

// Matcher returns a Matcher of the query.
func (q SearchQuery) Matcher() *Matcher { return &Matcher{query: q} }

// A Matcher matches many documents against one query, in memory that it reuses.
// It is for one goroutine.
type Matcher struct {
	query  SearchQuery
	fields [fieldCount]fieldText
}

// A fieldText is one field of the document at hand, in the forms asked for so
// far.
type fieldText struct {
	text                     string
	folded, collapsed, words []byte
	isFolded                 bool
	isCollapsed              bool
	isCut                    bool
}

// Match is [SearchQuery.Match].
func (m *Matcher) Match(t Text) bool {
	for f, text := range [fieldCount]string{title: t.Title, labels: t.Labels, body: t.Body} {
		ft := &m.fields[f]
		ft.text = text
		ft.isFolded, ft.isCollapsed, ft.isCut = false, false, false
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
		if !t.fields.has(f) {
			continue
		}
		ft := &m.fields[f]
		var has bool
		switch {
		case t.negative && len(t.words) > 0:
			has = ft.hasWords(t, f)
		case t.row:
			// One space stands between any two tokens, too.
			has = t.needle.in(ft.cut(f))
		default:
			has = ft.contains(t, f)
		}
		if has {
			return true
		}
	}
	return false
}

// contains reports whether the field has the term's needle as a part. Its white
// space is collapsed only when all else has not decided that.
func (ft *fieldText) contains(t *term, f searchedField) bool {
	if t.needle.in(ft.fold()) {
		return true
	}
	if len(t.longest.text) == len(t.needle.text) || !t.longest.in(ft.folded) {
		return false
	}
	if !ft.isCollapsed {
		spaces := &anySpace
		if f == labels {
			spaces = &spaceInLine
		}
		ft.collapsed = collapse(ft.collapsed[:0], ft.folded, spaces)
		ft.isCollapsed = true
	}
	return t.needle.in(ft.collapsed)
}

// hasWords reports whether the field has the term's words in a row.
func (ft *fieldText) hasWords(t *term, f searchedField) bool {
	ft.cut(f)
	// Every word stands between spaces, so that after a miss the next chance is at
	// the next space.
	for at := 0; ; {
		hit := bytes.Index(ft.words[at:], t.words)
		if hit < 0 {
			return false
		}
		start := at + hit
		end := start + len(t.words)
		if ft.words[start-1] == ' ' && (t.open || ft.words[end] == ' ') {
			return true
		}
		at = start + bytes.IndexByte(ft.words[start:], ' ')
	}
}

// cut returns the tokens of the field, with a space around each.
func (ft *fieldText) cut(f searchedField) []byte {
	if !ft.isCut {
		feed := Feed
		if f == labels {
			feed = FeedLines
		}
		ft.words = append(feed(append(ft.words[:0], ' '), ft.text), ' ')
		ft.isCut = true
	}
	return ft.words
}

func (ft *fieldText) fold() []byte {
	if !ft.isFolded {
		ft.folded = appendFold(ft.folded[:0], ft.text)
		ft.isFolded = true
	}
	return ft.folded
}

// A needle is folded text to look for. It knows which of its bytes is rarest in
// texts: to look for that one first is several times as fast as bytes.Index,
// which stumbles over the vowels that many words begin with.
type needle struct {
	text []byte
	rare int // an index of text
}

// common holds the most common bytes of texts, the most common last.
const common = "zqxjkvbypgwfmucdlhrsnioate \n"

func newNeedle(text []byte) needle {
	n := needle{text: text}
	for i := range text {
		if commonness(text[i]) < commonness(text[n.rare]) {
			n.rare = i
		}
	}
	return n
}

// commonness orders bytes; digits, signs and the ends of longer runes are rare,
// the beginnings of longer runes are not.
func commonness(b byte) int {
	if b >= 0xC0 {
		return len(common) / 2
	}
	return bytes.IndexByte([]byte(common), b)
}

// in reports whether the text holds the needle. It is not empty.
func (n needle) in(text []byte) bool {
	for at := n.rare; at < len(text); at++ {
		hit := bytes.IndexByte(text[at:], n.text[n.rare])
		if hit < 0 {
			return false
		}
		at += hit
		if bytes.HasPrefix(text[at-n.rare:], n.text) {
			return true
		}
	}
	return false
}
