package fulltext

import (
	"slices"
	"strings"
)

// Candidates plans the search for every match, whole words or not. v holds at
// least the tokens of the index. A part of a word that more than maxTerms tokens
// hold is left to Match.
func (q SearchQuery) Candidates(v *Vocabulary, maxTerms int) Plan {
	if q.MatchesAll() {
		return Plan{Exact: true}
	}
	if len(q.groups) > maxGroups {
		return Plan{}
	}
	p := planner{vocabulary: v, maxTerms: maxTerms, budget: budgetFactor * maxTerms}
	var plans []Plan
	for _, g := range q.groups {
		plans = append(plans, p.group(g))
	}
	return anyOf(plans)
}

// A planner plans one query.
type planner struct {
	vocabulary *Vocabulary
	maxTerms   int
	budget     int // expansions that the expression may still take
}

func (p *planner) group(g group) Plan {
	var plans []Plan
	for i := range g {
		if g[i].negative {
			continue
		}
		if len(plans) == maxWords {
			plans = append(plans, Plan{})
			break
		}
		plans = append(plans, p.term(&g[i]))
	}
	return without(allOf(plans), g)
}

// term plans for the documents that have the term's needle, at least.
func (p *planner) term(t *term) Plan {
	if t.fields == 0 {
		return Plan{None: true, Exact: true}
	}
	if plan, ok := p.row(t.segments); ok {
		plan.Exact = plan.None || plan.Exact && t.row
		return t.in(plan)
	}
	var plans []Plan
	for _, s := range t.segments[:min(len(t.segments), maxWords)] {
		plans = append(plans, p.segment(s))
	}
	all := allOf(plans)
	all.Exact = all.None || all.Exact && t.whole()
	return t.in(all)
}

// row plans for the documents with tokens in a row that can hold the segments: far
// fewer, for common words, than have the tokens anywhere. It is exact when it has
// no others. ok is false where it would take too many tokens, or other than words.
func (p *planner) row(segments []segment) (plan Plan, ok bool) {
	last := len(segments) - 1
	if last < 1 || last >= maxWords {
		return Plan{}, false
	}
	between := " "
	for i, s := range segments {
		if s.class != letter || s.runes > windowOverlap+1 {
			return Plan{}, false
		}
		if 0 < i && i < last {
			between += s.text + " "
		}
	}
	limit := min(p.maxTerms, p.budget/2)
	begin, more := p.wholeFirst(segments[0], limit)
	end, moreEnd := p.wholeFirst(segments[last], limit)
	if more || moreEnd {
		return Plan{}, false
	}
	if len(begin) == 0 || len(end) == 0 {
		return Plan{None: true, Exact: true}, true
	}
	p.budget -= len(begin) + len(end)
	// Of many tokens, all but the words themselves are rare: documents that have
	// two of those are few already.
	all := len(begin)*len(end) <= maxPhrases
	var phrases []string
	for i, first := range begin {
		for j, final := range end {
			if all || i == 0 || j == 0 {
				phrases = append(phrases, quote([]byte(first+between+final), false))
			}
		}
	}
	if !all && len(begin) > 1 && len(end) > 1 {
		phrases = append(phrases, "("+anyWord(begin[1:])+") AND ("+anyWord(end[1:])+")")
	}
	return Plan{Expr: join(phrases, alternative), Exact: all}, true
}

// wholeFirst returns the tokens that can hold a segment, the one that it is the
// whole of before the others.
func (p *planner) wholeFirst(s segment, limit int) (terms []string, more bool) {
	terms, more = p.vocabulary.holding(s.text, s.ends, limit)
	if i := slices.Index(terms, s.text); i > 0 {
		terms[0], terms[i] = terms[i], terms[0]
	}
	return terms, more
}

// anyWord is the expression for the documents that have one of the tokens.
func anyWord(terms []string) string {
	words := make([]string, len(terms))
	for i, term := range terms {
		words[i] = quote([]byte(term), false)
	}
	return strings.Join(words, alternative)
}

// segment plans for the documents with a token, or tokens in a row, that can
// hold the segment.
func (p *planner) segment(s segment) Plan {
	if s.class == unspaced {
		words, open := wordsOf([]byte(s.text), []segment{s})
		first := firstWords(words)
		return Plan{Expr: quote(first, open), Exact: len(first) == len(words)}
	}
	if s.ends.atStart && s.ends.atEnd && s.runes <= maxToken {
		return Plan{Expr: quote([]byte(s.text), false), Exact: true}
	}
	needle, where := s.text, s.ends
	short := s.runes <= windowOverlap+1
	if !short {
		needle, where = s.piece()
	}
	terms, more := p.vocabulary.holding(needle, where, min(p.maxTerms, p.budget))
	switch {
	case len(terms) == 0 && !more:
		return Plan{None: true, Exact: true}
	case more && where.atStart:
		// FTS5 can look for beginnings by itself, at several times the cost.
		return Plan{Expr: quote([]byte(needle), true), Exact: short}
	case more:
		return Plan{}
	}
	p.budget -= len(terms)
	return Plan{Expr: anyWord(terms), Exact: short}
}
