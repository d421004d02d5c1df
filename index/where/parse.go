package where

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What a text may have at most. SQLite reads a condition of so many terms in less
// than a millisecond; a person writes fewer by hand.
const (
	MaxLength = 4096 // bytes
	MaxDepth  = 50   // parentheses and nots in each other
	MaxTerms  = 200  // words that are searched for, values, predicates, fields to sort by
)

// Parse reads a text. A blank one has no criteria: it means every document. Errors:
// *SyntaxError.
func Parse(text string) (*Criteria, error) {
	if len(text) > MaxLength {
		column := utf8.RuneCountInString(text[:MaxLength]) + 1
		return nil, &SyntaxError{
			Column: column, Got: strconv.Itoa(len(text)), Expected: fmt.Sprintf("at most %d bytes", MaxLength),
		}
	}
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parsing{tokens: tokens, text: text}
	c := &Criteria{}
	if !p.peek(0).is("sort") && p.peek(0).kind != endToken {
		if c.Where, err = p.disjunction(); err != nil {
			return nil, err
		}
	}
	if c.Terms = p.top; p.disjoint { // the parts of an or do not all have to hold
		c.Terms = []Term{{c.Where, "(" + strings.TrimSpace(text[:p.peek(0).start]) + ")"}}
	}
	c.where, c.sort = strings.TrimSpace(text[:p.peek(0).start]), strings.TrimSpace(text[p.peek(0).start:])
	if c.Sort, err = p.sort(); err != nil {
		return nil, err
	}
	if t := p.peek(0); t.kind != endToken {
		expected := "a term, and, or, sort or " + theEnd
		if c.Sort != nil {
			expected = "a comma or the end, since sort comes last"
		}
		return nil, t.expected(expected)
	}
	return c, nil
}

// parsing is where the parser stands.
type parsing struct {
	text         string
	tokens       []token
	at           int
	depth, terms int
	top          []Term // outside of all parentheses
	disjoint     bool   // between these stands an or
}

// peek returns the token that comes n behind the next one.
func (p *parsing) peek(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parsing) take() token {
	t := p.peek(0)
	p.at++
	return t
}

func (t token) expected(what string) error {
	return &SyntaxError{Column: t.column, Got: t.got(), Expected: what}
}

// count counts a term.
func (p *parsing) count(t token) error {
	if p.terms++; p.terms > MaxTerms {
		return &SyntaxError{Column: t.column, Got: "one more", Expected: fmt.Sprintf("at most %d words and values", MaxTerms)}
	}
	return nil
}

// deeper parses what stands a level deeper.
func (p *parsing) deeper(t token, parse func() (Expr, error)) (Expr, error) {
	if p.depth++; p.depth > MaxDepth {
		return nil, &SyntaxError{
			Column: t.column, Got: "one more", Expected: fmt.Sprintf("at most %d parentheses and nots in each other", MaxDepth),
		}
	}
	defer func() { p.depth-- }()
	return parse()
}

func (p *parsing) disjunction() (Expr, error) {
	var any Or
	for {
		part, err := p.conjunction()
		if err != nil {
			return nil, err
		}
		any = append(any, part)
		switch {
		case p.peek(0).is("or"):
			p.disjoint = p.disjoint || p.depth == 0
			p.take()
		case len(any) == 1:
			return part, nil
		default:
			return any, nil
		}
	}
}

func (p *parsing) conjunction() (Expr, error) {
	var all And
	for {
		start := p.peek(0).start
		part, err := p.negation()
		if err != nil {
			return nil, err
		}
		if p.depth == 0 {
			p.top = append(p.top, Term{part, strings.TrimSpace(p.text[start:p.peek(0).start])})
		}
		words, isSearch := part.(Search)
		if last := len(all) - 1; last >= 0 && isSearch {
			if before, ok := all[last].(Search); ok {
				all, part = all[:last], slices.Concat(before, words)
			}
		}
		all = append(all, part)
		switch t := p.peek(0); {
		case t.is("and"):
			p.take()
		case !t.is("or") && !t.is("sort") && (t.kind == wordToken || t.kind == stringToken || t.kind == openToken):
		case len(all) == 1:
			return part, nil
		default:
			return all, nil
		}
	}
}

func (p *parsing) negation() (Expr, error) {
	if t := p.peek(0); t.is("not") {
		return p.not(p.take(), p.negation)
	}
	return p.term()
}

func (p *parsing) not(t token, parse func() (Expr, error)) (Expr, error) {
	part, err := p.deeper(t, parse)
	return Not{part}, err
}

const aTerm = "a field, a word or a parenthesis (keywords and signs are searched for in quotes)"

func (p *parsing) term() (Expr, error) {
	t := p.peek(0)
	if t.kind == openToken {
		p.take()
		part, err := p.deeper(t, p.disjunction)
		if err != nil {
			return nil, err
		}
		if t := p.take(); t.kind != closeToken {
			return nil, t.expected(") or another term")
		}
		return part, nil
	}
	if t.kind != wordToken && t.kind != stringToken || t.keyword() && (!t.is("in") || p.peek(1).kind == openToken) {
		return nil, t.expected(aTerm)
	}
	p.take()
	negative := p.peek(0).is("not") && p.peek(1).is("in") && p.peek(2).kind == openToken
	switch {
	case t.glued:
		return p.word(t)
	case p.peek(0).kind == operatorToken, p.peek(0).is("in") && p.peek(1).kind == openToken:
		return p.comparison(t)
	case negative:
		return p.not(p.take(), func() (Expr, error) { return p.comparison(t) })
	case t.kind == stringToken:
		return Search{{Text: t.text, Phrase: true, column: t.column}}, p.count(t)
	}
	return p.word(t)
}

// comparison parses what follows a field.
func (p *parsing) comparison(field token) (Expr, error) {
	operator := p.take()
	op := Operator(strings.ToLower(operator.text))
	c := Compare{Field: field.text, Op: op, column: field.column, opColumn: operator.column}
	if c.Op != In {
		v, err := p.operand(c.Op)
		c.Values = []Operand{v}
		return c, err
	}
	p.take() // the parenthesis
	for {
		v, err := p.operand(c.Op)
		if err != nil {
			return nil, err
		}
		c.Values = append(c.Values, v)
		switch t := p.take(); t.kind {
		case closeToken:
			return c, nil
		case commaToken:
		default:
			return nil, t.expected("a comma or )")
		}
	}
}

// operand parses a value.
func (p *parsing) operand(op Operator) (Operand, error) {
	t := p.take()
	if t.kind != stringToken && t.kind != wordToken || t.glued || t.keyword() && !t.is(emptyText) {
		return Operand{}, t.expected("a value (in quotes, if it is not one plain word)")
	}
	o := Operand{t.text, t.kind == stringToken, t.column}
	if o.Empty() && !slices.Contains([]Operator{Equal, NotEqual, In}, op) {
		return Operand{}, t.expected("a value that is not empty, or = or != before it")
	}
	return o, p.count(t)
}

// sort parses the order at the end.
func (p *parsing) sort() ([]SortField, error) {
	if !p.peek(0).is("sort") {
		return nil, nil
	}
	var fields []SortField
	for {
		p.take() // sort, or a comma
		t := p.take()
		if t.kind != wordToken && t.kind != stringToken || t.glued || t.keyword() {
			return nil, t.expected("a field to sort by")
		}
		if err := p.count(t); err != nil {
			return nil, err
		}
		s := SortField{Field: t.text, column: t.column}
		if direction := p.peek(0); direction.is("asc") || direction.is("desc") {
			s.Desc = p.take().is("desc")
		}
		fields = append(fields, s)
		if p.peek(0).kind != commaToken {
			return fields, nil
		}
	}
}
