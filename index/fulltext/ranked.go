package fulltext

import (
	"bytes"
	"slices"
)

// Resolve returns the query with its last word taken for finished when v has it.
// The words that only begin with it are then found among the parts of words,
// after the whole ones; to rank both together takes FTS5 twice the time, most of
// all for the common words. Neither Match nor Candidates depends on it.
func (q Query) Resolve(v *Vocabulary) Query {
	g := len(q.groups) - 1
	if g < 0 || len(q.groups[g]) == 0 {
		return q
	}
	last := q.groups[g][len(q.groups[g])-1]
	if !last.prefix || !v.Has(string(last.words[bytes.LastIndexByte(last.words, ' ')+1:])) {
		return q
	}
	last.prefix = false
	q.groups = slices.Clone(q.groups)
	q.groups[g] = append(slices.Clip(q.groups[g][:len(q.groups[g])-1]), last)
	return q
}

// Ranked returns the FTS5 expression for the documents that have the query's
// words as whole words, to be ranked by bm25; a last word without quotes may be
// the beginning of one, unless Resolve took that for settled. It is "" when the
// query has no words. Its rows are matches if RankedExact says so, else those are
// for which Match is true: FTS5 cannot tell the word foo-bar from foo/bar.
func (q Query) Ranked() string { return q.ranked().Expr }

// RankedExact reports whether every row of Ranked's expression is a match.
func (q Query) RankedExact() bool { return q.ranked().Exact }

func (q Query) ranked() Plan {
	var plans []Plan
	for _, g := range q.groups {
		if p := rankedGroup(g); p.Expr != "" {
			plans = append(plans, p)
		}
	}
	return anyOf(plans[:min(len(plans), maxGroups)])
}

func rankedGroup(g group) Plan {
	var plans []Plan
	exact := true
	for i := range g {
		t := &g[i]
		switch {
		case t.negative:
		case t.fields == 0:
			return Plan{None: true}
		case len(t.words) == 0, len(plans) == maxWords:
			exact = false
		default:
			plans = append(plans, t.asWords())
		}
	}
	all := allOf(plans)
	all.Exact = all.Exact && exact
	return without(all, g)
}

// asWords plans for the documents that have the term as whole words.
func (t *term) asWords() Plan {
	words := firstWords(t.words)
	if len(words) < len(t.words) {
		return t.in(Plan{Expr: quote(words, false)})
	}
	last := t.segments[len(t.segments)-1]
	open := t.open || t.prefix && last.class == letter && !last.ends.atEnd
	return t.in(Plan{
		Expr:  quote(words, open),
		Exact: t.row || t.whole() && (last.class == unspaced || last.runes <= maxToken),
	})
}
