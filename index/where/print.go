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

// String writes the criteria in their canonical form: what Parse reads from it is
// equal to them.
func (c *Criteria) String() string {
	var w strings.Builder
	if c.Where != nil {
		c.Where.write(&w, byNothing)
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

func (a And) write(w *strings.Builder, within binding) { writeJoined(w, a, " and ", byAnd, within) }

func (o Or) write(w *strings.Builder, within binding) { writeJoined(w, o, " or ", byOr, within) }

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
		part.write(w, binds)
	}
}

func (n Not) write(w *strings.Builder, _ binding) {
	w.WriteString("not ")
	n.Expr.write(w, byNot)
}

func (c Compare) write(w *strings.Builder, _ binding) {
	w.WriteString(fieldText(c.Field) + " " + string(c.Op) + " ")
	if c.Op == In {
		w.WriteString("(")
		defer w.WriteString(")")
	}
	for i, v := range c.Values {
		if i > 0 {
			w.WriteString(", ")
		}
		if v.Quoted {
			w.WriteString(quote(v.Text))
		} else {
			w.WriteString(v.Text)
		}
	}
}

func (p Predicate) write(w *strings.Builder, _ binding) {
	w.WriteString(p.Name + ":")
	if plain(p.Arg) {
		w.WriteString(p.Arg)
	} else {
		w.WriteString(quote(p.Arg))
	}
}

func (s Search) write(w *strings.Builder, within binding) {
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
