package search

import (
	"bytes"
	"slices"
	"strings"
)

// The limits of an expression. What is beyond them is left to Match.
const (
	maxParts     = 16   // groups of a query, words of a group, segments and tokens of a word
	maxPhrases   = 1024 // that words in a row become
	budgetFactor = 4    // tokens that parts of words become, in multiples of maxTerms
)

// alternative stands between expressions of which a document has one. No token has
// capital letters.
const alternative = " OR "

// A Plan says which documents can match.
type Plan struct {
	// Expr is an FTS5 expression. Its rows are a superset of the matches; "" stands
	// for every document.
	Expr string
	// Exact says that the rows are the matches and none needs Match.
	Exact bool
	// None says that no document matches. Expr is "" then, and is not to be run.
	None bool
}

// Candidates plans the search for every match, whole words or not. v holds at
// least the tokens of the index. A part of a word that more than maxTerms tokens
// hold is left to Match.
func (q SearchQuery) Candidates(v *Vocabulary, maxTerms int) Plan {
	if q.MatchesAll() {
		return Plan{Exact: true}
	}
	if len(q.groups) > maxParts {
		return Plan{}
	}
	p := planner{vocabulary: v, maxTerms: maxTerms, budget: budgetFactor * maxTerms}
	var plans []Plan
	for _, g := range q.groups {
		plans = append(plans, p.group(g))
	}
	if v.Has(Omitted) { // only the texts of documents that words were left out of tell whether these match
		plans = append(plans, Plan{Expr: quote(Omitted, false)})
	}
	return anyOf(plans)
}

// A planner plans one query.
type planner struct {
	vocabulary *Vocabulary
	maxTerms   int
	budget     int // tokens that the expression may still take
}

func (p *planner) group(g group) Plan {
	var plans []Plan
	var excluded []string
	exact := true
	for i := range g {
		t := &g[i]
		words := firstWords(t.words)
		switch {
		case !t.negative && len(plans) < maxParts:
			plans = append(plans, p.term(t))
		case t.negative && len(excluded) < maxParts && len(words) > 0 && len(words) == len(t.words):
			excluded = append(excluded, t.within(quote(string(words), t.open)))
		default:
			exact = false
		}
	}
	all := allOf(plans)
	all.Exact = all.None || all.Exact && exact
	if all.Expr != "" && len(excluded) > 0 {
		all.Expr = "(" + all.Expr + ") NOT (" + strings.Join(excluded, alternative) + ")"
	}
	return all
}

// term plans for the documents that have the term's needle, at least.
func (p *planner) term(t *term) Plan {
	if t.fields == 0 {
		return Plan{None: true, Exact: true}
	}
	plan, ok := p.phrase(t.segments)
	exact := t.row
	if !ok {
		var plans []Plan
		for _, s := range t.segments[:min(len(t.segments), maxParts)] {
			plans = append(plans, p.segment(s))
		}
		plan, exact = allOf(plans), t.whole()
	}
	plan.Exact = plan.None || plan.Exact && exact
	plan.Expr = t.within(plan.Expr)
	return plan
}

// phrase plans for the documents with tokens in a row that can hold the segments: far
// fewer, for common words, than have the tokens anywhere. ok is false where that takes
// too many tokens, or other than words.
func (p *planner) phrase(segments []segment) (plan Plan, ok bool) {
	if !inRow(segments) {
		return Plan{}, false
	}
	first, last := segments[0], segments[len(segments)-1]
	limit := min(p.maxTerms, p.budget/2)
	begins, more := p.vocabulary.holding(first.text, first.ends, limit)
	ends, moreEnds := p.vocabulary.holding(last.text, last.ends, limit)
	switch {
	case more || moreEnds || len(begins)*len(ends) > maxPhrases:
		return Plan{}, false
	case len(begins) == 0 || len(ends) == 0:
		return Plan{None: true, Exact: true}, true
	}
	p.budget -= len(begins) + len(ends)
	between := " "
	for _, s := range segments[1 : len(segments)-1] {
		between += s.text + " "
	}
	var phrases []string
	for _, begin := range begins {
		for _, end := range ends {
			phrases = append(phrases, begin+between+end)
		}
	}
	return Plan{Expr: anyPhrase(phrases), Exact: true}, true
}

// segment plans for the documents with a token, or tokens in a row, that can
// hold the segment.
func (p *planner) segment(s segment) Plan {
	if s.class == unspaced {
		words, open := wordsOf([]byte(s.text), []segment{s})
		first := firstWords(words)
		return Plan{Expr: quote(string(first), open), Exact: len(first) == len(words)}
	}
	needle, where := s.text, s.ends
	if !s.inOneToken() {
		needle, where = s.piece()
	}
	terms, more := p.vocabulary.holding(needle, where, min(p.maxTerms, p.budget))
	switch {
	case more:
		return Plan{}
	case len(terms) == 0:
		return Plan{None: true, Exact: true}
	}
	p.budget -= len(terms)
	return Plan{Expr: anyPhrase(terms), Exact: s.inOneToken()}
}

// Ranked returns the FTS5 expression for the documents that have the query's words as
// whole words, to be ranked by bm25: a last word without quotes that v does not hold may
// be the beginning of one. It is "" when the query has no words. Not all of its rows are
// matches: FTS5 cannot tell the word foo-bar from foo/bar.
func (q SearchQuery) Ranked(v *Vocabulary) string {
	var groups []string
	for _, g := range q.groups[:min(len(q.groups), maxParts)] {
		var words []string
		for i := range g {
			if t := &g[i]; !t.negative && t.fields != 0 && len(t.words) > 0 && len(words) < maxParts {
				words = append(words, t.within(t.asWords(v)))
			}
		}
		if len(words) > 0 {
			groups = append(groups, join(words, " AND "))
		}
	}
	return join(groups, alternative)
}

// asWords is the expression for the documents that have the term as whole words.
func (t *term) asWords(v *Vocabulary) string {
	words := string(firstWords(t.words))
	if len(words) < len(t.words) {
		return quote(words, false)
	}
	last := t.segments[len(t.segments)-1]
	mayGoOn := t.prefix && last.class == letter && !last.ends.atEnd && !v.Has(words[strings.LastIndexByte(words, ' ')+1:])
	return quote(words, t.open || mayGoOn)
}

// allOf plans for the documents of every plan. No plans are every document, and
// not exactly.
func allOf(plans []Plan) Plan {
	all := Plan{Exact: len(plans) > 0}
	var exprs []string
	for _, p := range plans {
		if p.None {
			return p
		}
		all.Exact = all.Exact && p.Exact
		if p.Expr != "" {
			exprs = append(exprs, p.Expr)
		}
	}
	all.Expr = join(exprs, " AND ")
	return all
}

// anyOf plans for the documents of any plan.
func anyOf(plans []Plan) Plan {
	plans = slices.DeleteFunc(plans, func(p Plan) bool { return p.None })
	some := Plan{Exact: true, None: len(plans) == 0}
	var exprs []string
	for _, p := range plans {
		if p.Expr == "" {
			return Plan{}
		}
		some.Exact = some.Exact && p.Exact
		exprs = append(exprs, p.Expr)
	}
	some.Expr = join(exprs, alternative)
	return some
}

// join makes one expression of several; one alone stays as it is.
func join(exprs []string, operator string) string {
	if len(exprs) == 1 {
		return exprs[0]
	}
	for i, expr := range exprs {
		exprs[i] = "(" + expr + ")"
	}
	return strings.Join(exprs, operator)
}

// within restricts an expression to the term's fields.
func (t *term) within(expr string) string {
	if expr == "" || t.fields == everywhere {
		return expr
	}
	var names []string
	for f, name := range columns {
		if t.fields.has(searchedField(f)) {
			names = append(names, name)
		}
	}
	return "{" + strings.Join(names, " ") + "} : (" + expr + ")"
}

// firstWords returns the first maxParts of the tokens.
func firstWords(words []byte) []byte {
	end := 0
	for range maxParts {
		next := bytes.IndexByte(words[end:], ' ')
		if next < 0 {
			return words
		}
		end += next + 1
	}
	return words[:end-1]
}

// anyPhrase is the expression for the documents that have one of some phrases of tokens.
func anyPhrase(phrases []string) string {
	quoted := make([]string, len(phrases))
	for i, phrase := range phrases {
		quoted[i] = quote(phrase, false)
	}
	return strings.Join(quoted, alternative)
}

// quote makes an FTS5 phrase of tokens; open allows the last one to go on.
func quote(tokens string, open bool) string {
	if open {
		return `"` + tokens + `" *`
	}
	return `"` + tokens + `"`
}
