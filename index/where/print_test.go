package where

import "strings"

// A binding is how tightly what stands around an expression binds it.
type binding int

const (
	byNothing binding = iota
	byOr
	byAnd
	byNot
)

// canonical writes criteria in one form: what Parse reads from it is equal to them.
func canonical(c *Criteria) string {
	var w strings.Builder
	if c.Where != nil {
		write(&w, c.Where, byNothing)
	}
	for i, s := range c.Sort {
		switch {
		case i > 0:
			w.WriteString(", ")
		case w.Len() > 0:
			w.WriteString(" sort ")
		default:
			w.WriteString("sort ")
		}
		w.WriteString(fieldText(s.Field))
		if s.Desc {
			w.WriteString(" desc")
		}
	}
	return w.String()
}

// write writes an expression; within is how tightly what stands around binds it.
func write(w *strings.Builder, x Expr, within binding) {
	switch x := x.(type) {
	case And:
		writeJoined(w, x, " and ", byAnd, within)
	case Or:
		writeJoined(w, x, " or ", byOr, within)
	case Not:
		w.WriteString("not ")
		write(w, x.Expr, byNot)
	case Compare:
		writeCompare(w, x)
	case Predicate:
		w.WriteString(x.Name + ":" + fieldText(x.Arg))
	case Search:
		writeSearch(w, x, within)
	}
}

// writeJoined writes parts that a word joins, in parentheses where what stands
// around them binds tighter.
func writeJoined(w *strings.Builder, parts []Expr, joint string, binds, within binding) {
	if within > binds {
		w.WriteString("(")
		defer w.WriteString(")")
	}
	for i, part := range parts {
		if i > 0 {
			w.WriteString(joint)
		}
		write(w, part, binds)
	}
}

func writeCompare(w *strings.Builder, c Compare) {
	w.WriteString(fieldText(c.Field) + " " + string(c.Op) + " ")
	if c.Op == In {
		w.WriteString("(")
		defer w.WriteString(")")
	}
	for i, v := range c.Values {
		if i > 0 {
			w.WriteString(", ")
		}
		w.WriteString(operandText(v))
	}
}

func writeSearch(w *strings.Builder, s Search, within binding) {
	if within == byNot && len(s) > 1 {
		w.WriteString("(")
		defer w.WriteString(")")
	}
	for i, word := range s {
		if i > 0 {
			w.WriteString(" ")
		}
		if word.Phrase {
			w.WriteString(word.Lead + quote(word.Text))
		} else {
			w.WriteString(word.Text)
		}
	}
}

func fieldText(field string) string {
	if plain(field) {
		return field
	}
	return quote(field)
}

// operandText is the one form of a value: in quotes where it needs them, or where they take away
// a meaning.
func operandText(v Operand) string {
	switch {
	case v.Empty():
		return emptyText
	case v.Quoted && (special(v.Text) || !plain(v.Text)), !plain(v.Text):
		return quote(v.Text)
	case special(v.Text):
		return strings.ToLower(v.Text)
	}
	return v.Text
}

// special reports whether a text means something else in quotes.
func special(text string) bool {
	switch strings.ToLower(text) {
	case emptyText, meText, "me":
		return true
	}
	_, number := Number(text)
	return number || isDate(text)
}

// conjunction is the And of some parts, in its one form.
func conjunction(parts []Expr) Expr {
	var all And
	add := func(part Expr) {
		words, isSearch := part.(Search)
		if last := len(all) - 1; isSearch && last >= 0 {
			if before, ok := all[last].(Search); ok {
				all[last] = append(before[:len(before):len(before)], words...)
				return
			}
		}
		all = append(all, part)
	}
	for _, part := range parts {
		if inner, ok := part.(And); ok {
			for _, one := range inner {
				add(one)
			}
			continue
		}
		add(part)
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// disjunction is the Or of some parts, in its one form.
func disjunction(parts []Expr) Expr {
	var any Or
	for _, part := range parts {
		if inner, ok := part.(Or); ok {
			any = append(any, inner...)
			continue
		}
		any = append(any, part)
	}
	if len(any) == 1 {
		return any[0]
	}
	return any
}

// quote writes a text in quotes.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// plain reports whether a text is one word that is no keyword, so that it means the
// same with and without quotes as far as the grammar goes.
func plain(text string) bool {
	tokens, err := lex(text)
	if err != nil || len(tokens) != 2 {
		return false
	}
	t := tokens[0]
	return t.kind == wordToken && t.raw == text && !t.glued && !t.keyword()
}
