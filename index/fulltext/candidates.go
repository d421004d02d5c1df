package fulltext

import "strings"

// Candidates plans the search for every match, whole words or not. v holds at
// least the tokens of the index. A part of a word that more than maxTerms tokens
// hold is left to Match.
func (q Query) Candidates(v *Vocabulary, maxTerms int) Plan {
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
	var plans []Plan
	for _, s := range t.segments[:min(len(t.segments), maxWords)] {
		plans = append(plans, p.segment(s))
	}
	all := allOf(plans)
	all.Exact = all.None || all.Exact && t.whole()
	return t.in(all)
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
	for i, term := range terms {
		terms[i] = quote([]byte(term), false)
	}
	return Plan{Expr: strings.Join(terms, alternative), Exact: short}
}
