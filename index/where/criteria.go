package where

import (
	"fmt"
	"slices"
	"strings"
)

// Criteria say which documents are meant, and in which order.
type Criteria struct {
	Where Expr // nil for all documents
	Sort  []SortField

	// Terms are the parts of Where that all have to hold.
	Terms []Term

	where, sort string // as typed
}

// A Term is a part of criteria, and its text.
type Term struct {
	Expr Expr
	Text string
}

// Only reports what a term asks of a field of every document: that it has one of these values. nil
// is for a term that asks something else.
func (t Term) Only(field string) (values []string) {
	c, ok := t.Expr.(Compare)
	if !ok || c.Op != Equal && c.Op != In {
		return nil
	}
	if f, _ := named(builtins, c.Field); f.name != field {
		return nil
	}
	for _, o := range c.Values {
		values = append(values, o.Text)
	}
	return values
}

// With are the criteria with a term in place of those that ask for values of the same field alone,
// or without these, for "".
func (c *Criteria) With(field, term string) string {
	var parts []string
	for _, t := range c.Terms {
		if t.Only(field) == nil {
			parts = append(parts, t.Text)
		}
	}
	return strings.TrimSpace(strings.Join(append(parts, term), " ") + " " + c.sort)
}

// SortedBy are the criteria in another order, "" for none.
func (c *Criteria) SortedBy(order string) string { return strings.TrimSpace(c.where + " " + order) }

// String is the text of the criteria.
func (c *Criteria) String() string { return strings.TrimSpace(c.where + " " + c.sort) }

// A SortField is a field to sort by. Documents that do not have it come last.
type SortField struct {
	Field string
	Desc  bool

	column int
}

// Refused is the error where something else decides the order: expected says what.
func (s SortField) Refused(expected string) *SyntaxError {
	return &SyntaxError{Column: s.column, Expected: expected, Got: fmt.Sprintf("sort by %q", s.Field)}
}

// An Expr holds for a document or not. It is an And, an Or, a Not, a Compare, a
// Predicate or a Search.
type Expr any

type (
	// And holds where all of its parts do. No two Searches stand side by side.
	And []Expr
	// Or holds where one of its parts does.
	Or []Expr
	// Not holds where its part does not.
	Not struct{ Expr Expr }
)

// A Compare compares a field with a value, or, with In, with several.
type Compare struct {
	Field  string
	Op     Operator
	Values []Operand

	column, opColumn int
}

// An Operator is how a field is compared.
type Operator string

// The operators.
const (
	Equal    Operator = "="
	NotEqual Operator = "!="
	Less     Operator = "<"
	AtMost   Operator = "<="
	Greater  Operator = ">"
	AtLeast  Operator = ">="
	Contains Operator = "~"
	Lacks    Operator = "!~"
	In       Operator = "in"
)

// An Operand is a value that a field is compared with.
type Operand struct {
	Text   string
	Quoted bool // the text has no meaning as a number, a date, @me or empty

	column int
}

// The operands that stand for something else.
const (
	emptyText = "empty"
	meText    = "@me"
)

// Empty reports that the operand stands for a field that is not set.
func (o Operand) Empty() bool {
	return o.Text == "" || !o.Quoted && strings.EqualFold(o.Text, emptyText)
}

// A Predicate holds for documents that are something (is:ready, has:boxes), or that
// stand to another one as it says (under:ID, blocks:ID, mentions:ID).
type Predicate struct {
	Name string // in lower case
	Arg  string // in lower case of is and has

	column, argColumn int
}

// A Search holds for the documents that have the words.
type Search []SearchWord

// A SearchWord is a word or a phrase of a search.
type SearchWord struct {
	Text   string
	Phrase bool   // it stood in quotes
	Lead   string // of a phrase: what stands before its quotes: -, title:, description:, or both

	column int
}

// FullText is the search in the language of package search. That has no way to
// write a quotation mark in a phrase; white space separates words as well.
func (s Search) FullText() string {
	words := make([]string, len(s))
	for i, w := range s {
		words[i] = w.Text
		if w.Phrase {
			words[i] = w.Lead + `"` + strings.ReplaceAll(w.Text, `"`, " ") + `"`
		}
	}
	return strings.Join(words, " ")
}

// Join returns the criteria that hold where all of some do, in the order of the last that has
// one.
func Join(all ...*Criteria) *Criteria {
	joined := &Criteria{}
	for _, c := range all {
		switch {
		case c.Where == nil:
		case joined.Where == nil:
			joined.Where, joined.where = c.Where, c.where
		default:
			joined.Where, joined.where = And{joined.Where, c.Where}, "("+joined.where+") and ("+c.where+")"
		}
		if len(c.Sort) > 0 {
			joined.Sort, joined.sort = c.Sort, c.sort
		}
	}
	return joined
}

// Demand reports whether all documents that are meant have to meet a predicate, such as is
// and ready. false does not say that some do not.
func (c *Criteria) Demand(name, arg string) bool { return demands(c.Where, name, arg) }

func demands(x Expr, name, arg string) bool {
	switch x := x.(type) {
	case And:
		return slices.ContainsFunc(x, func(part Expr) bool { return demands(part, name, arg) })
	case Predicate:
		return x.Name == name && x.Arg == arg
	}
	return false
}

// CountsClock reports whether what the criteria mean changes within a day, since they count
// hours, minutes or seconds from now.
func (c *Criteria) CountsClock() bool {
	return anyPart(c.Where, func(x Expr) bool {
		compare, ok := x.(Compare)
		return ok && slices.ContainsFunc(compare.Values, func(o Operand) bool { return isClock(o.Text) })
	})
}

// anyPart reports whether something holds for any part of an expression.
func anyPart(x Expr, holds func(Expr) bool) bool {
	within := func(part Expr) bool { return anyPart(part, holds) }
	switch x := x.(type) {
	case And:
		return slices.ContainsFunc(x, within)
	case Or:
		return slices.ContainsFunc(x, within)
	case Not:
		return within(x.Expr)
	case nil:
		return false
	}
	return holds(x)
}
