package fulltext

import (
	"bytes"
	"slices"
	"strings"
)

// The limits of an expression. What is beyond them is left out of it, which
// makes it less exact and never wrong.
const (
	maxGroups    = 16
	maxWords     = 16   // of one kind in a group, and segments or tokens in a word
	maxPhrases   = 1024 // that words in a row become, beyond those with one of the words
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

// Except is the plan for the documents that another expression does not find,
// some of which an exact plan finds all the same: to leave them out takes FTS5
// longer than it takes the caller, who knows them. The plan has an expression.
func (p Plan) Except(expr string) Plan {
	if expr == "" {
		return p
	}
	if p.Expr == expr {
		return Plan{None: true, Exact: true}
	}
	// Of the words that a part of a word became, and the phrases that a phrase did,
	// the thing itself is mostly the one that is found most often.
	if others, ok := alternatives(p.Expr); ok {
		others = slices.DeleteFunc(others, func(other string) bool { return strings.Trim(other, "()") == expr })
		if len(others) == 0 {
			return Plan{None: true, Exact: true}
		}
		p.Expr = strings.Join(others, alternative)
		if p.Exact {
			return p
		}
	}
	p.Expr = "(" + p.Expr + ") NOT (" + expr + ")"
	return p
}

// alternatives takes an expression apart that is words or phrases of which a
// document has one, and nothing else.
func alternatives(expr string) (parts []string, ok bool) {
	parts = strings.Split(expr, alternative)
	return parts, !slices.ContainsFunc(parts, func(part string) bool {
		phrase := strings.TrimSuffix(strings.TrimPrefix(part, "("), ")")
		return len(phrase) < 2 || phrase[0] != '"' || strings.IndexByte(phrase[1:], '"') != len(phrase)-2
	})
}

// without takes the rows of the group's negative terms out of the plan. One that
// FTS5 cannot look up as a whole is left to Match.
func without(p Plan, g group) Plan {
	var words []string
	for i := range g {
		t := &g[i]
		if !t.negative {
			continue
		}
		if len(t.words) == 0 || len(words) == maxWords || len(firstWords(t.words)) < len(t.words) {
			p.Exact = p.None
			continue
		}
		words = append(words, t.in(Plan{Expr: quote(t.words, t.open)}).Expr)
	}
	if p.Expr != "" && len(words) > 0 {
		p.Expr = "(" + p.Expr + ") NOT (" + strings.Join(words, alternative) + ")"
	}
	return p
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
	if len(plans) == 0 {
		return Plan{None: true, Exact: true}
	}
	some := Plan{Exact: true}
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

// in restricts the plan to the term's fields.
func (t *term) in(p Plan) Plan {
	if p.Expr == "" || t.fields == everywhere {
		return p
	}
	var names []string
	for f, name := range columns {
		if t.fields.has(searchedField(f)) {
			names = append(names, name)
		}
	}
	p.Expr = "{" + strings.Join(names, " ") + "} : (" + p.Expr + ")"
	return p
}

// firstWords returns the first maxWords of the tokens.
func firstWords(words []byte) []byte {
	end := 0
	for range maxWords {
		next := bytes.IndexByte(words[end:], ' ')
		if next < 0 {
			return words
		}
		end += next + 1
	}
	return words[:end-1]
}

// quote makes an FTS5 phrase of tokens; open allows the last one to go on.
func quote(words []byte, open bool) string {
	if open {
		return `"` + string(words) + `" *`
	}
	return `"` + string(words) + `"`
}

// Resolve returns the query with its last word taken for finished when v has it.
// The words that only begin with it are then found among the parts of words,
// after the whole ones; to rank both together takes FTS5 twice the time, most of
// all for the common words. Neither Match nor Candidates depends on it.
func (q SearchQuery) Resolve(v *Vocabulary) SearchQuery {
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
func (q SearchQuery) Ranked() string { return q.ranked().Expr }

// RankedExact reports whether every row of Ranked's expression is a match.
func (q SearchQuery) RankedExact() bool { return q.ranked().Exact }

func (q SearchQuery) ranked() Plan {
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
