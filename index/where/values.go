package where

import (
	"slices"
	"time"

	"issues-index/index/search"
)

// folded is a column in the form in which texts are compared.
func folded(column string) string { return FoldFunction + "(" + column + ")" }

// compareText compares a column of texts.
func compareText(column string, op Operator, text string) Condition {
	if op == Contains {
		return condition("instr("+folded(column)+", ?) > 0", search.Fold(text))
	}
	return condition(folded(column)+" "+string(op)+" ?", search.Fold(text))
}

// text compares a field that has a text, or names.
func text(f fieldInfo, op Operator, o Operand) Condition {
	one := compareText(f.name, op, o.Text)
	if f.kind == peopleField && op == Equal {
		one = condition("instr(', ' || "+folded(f.name)+" || ', ', ?) > 0", ", "+search.Fold(o.Text)+", ")
	}
	if f.tallied {
		// Each name is compared once, and an index has the documents of those that match.
		one.SQL = "(" + f.name + " <> '' AND " + f.name + " IN (SELECT " + f.name + " FROM tally WHERE " + one.SQL + "))"
	}
	return one
}

// unset is the condition that a document does not have the field.
func unset(f fieldInfo) Condition {
	switch f.kind {
	case labelsField:
		return condition("labels = '[]'")
	case extraField:
		return condition("doc NOT IN (SELECT doc FROM field WHERE key = ?)", f.name)
	case timeField:
		return condition(f.name + " IS NULL")
	}
	return condition(f.name + " = ''")
}

// sides say which places an operator asks for, in an order.
var sides = map[Operator]func(compared int) bool{
	Less:    func(c int) bool { return c < 0 },
	AtMost:  func(c int) bool { return c <= 0 },
	Greater: func(c int) bool { return c > 0 },
	AtLeast: func(c int) bool { return c >= 0 },
}

// choice compares a field that has known values.
func (e *Env) choice(f fieldInfo, op Operator, o Operand) (Condition, error) {
	if op == Contains {
		return compareText(f.name, op, o.Text), nil
	}
	choices := e.Choices[f.name]
	value, err := choices.value(f.name, o)
	if err != nil {
		return Condition{}, err
	}
	values := []string{value}
	if side := sides[op]; side != nil {
		values = choices.beside(value, side)
	}
	return among(f.name, values), nil
}

// id compares a field that has an id.
func (e *Env) id(f fieldInfo, op Operator, o Operand) (Condition, error) {
	switch {
	case op == Contains:
		return compareText(f.name, op, o.Text), nil
	case f.name == parentField:
		children, err := e.Children(o.Text)
		return children, at(o.column, err)
	}
	column := f.name + "_fold"
	return condition(column+" <> '' AND "+column+" = ?", e.FoldID(o.Text)), nil
}

// extra compares a key of the frontmatter.
func (e *Env) extra(f fieldInfo, op Operator, o Operand) (Condition, error) {
	one := compareText("text", op, o.Text)
	if n, ok := Number(o.Text); ok && !o.Quoted && op != Contains {
		one = condition("number "+string(op)+" ?", n)
	} else if isDate(o.Text) && !o.Quoted && op != Contains {
		if p, ok := parsePeriod(o.Text, e.Now); ok {
			one = p.compare("time", op)
		}
	} else if err := e.orderedText(f, op, o); err != nil {
		return Condition{}, err
	}
	args := slices.Concat([]any{f.name}, one.Args)
	return condition("doc IN (SELECT doc FROM field WHERE key = ? AND "+one.SQL+")", args...), nil
}

// orderedText refuses a text before or after which no value of a key can be, since all of them
// are numbers, or times.
func (e *Env) orderedText(f fieldInfo, op Operator, o Operand) error {
	if sides[op] == nil || o.Quoted || e.Kind == nil {
		return nil
	}
	kind, err := e.Kind(f.name)
	if err != nil || kind == TextKind {
		return err
	}
	wrong := &SyntaxError{Column: o.column, Got: gotText(o.Text), Expected: "a number"}
	if kind == TimeKind {
		wrong.Expected = "a day or a time"
		if signed := "-" + o.Text; isDate(signed) {
			wrong.Near = signed
		}
	}
	wrong.Expected += ", as all values of " + f.name + " are"
	return wrong
}

// compare compares a column of times. Closed is NULL where it is not set.
func (p period) compare(column string, op Operator) Condition {
	all := []Condition{{SQL: column + " IS NOT NULL"}}
	if op == AtLeast || op == Equal {
		all = append(all, Bound(column, ">=", p.start, p.day))
	}
	switch op {
	case Less:
		all = append(all, Bound(column, "<", p.start, p.day))
	case AtMost, Equal:
		all = append(all, Bound(column, "<", p.end, p.day))
	case Greater:
		all = append(all, Bound(column, ">=", p.end, p.day))
	}
	return join(all, " AND ")
}

// Bound compares a column of times with an instant, by < or >=; day says that it is the beginning
// of a day in its zone. A time that is midnight in UTC stands for a day, so that it is compared
// with the same midnight there. What comes first lets through all that the rest does, by an index.
func Bound(column, op string, at time.Time, day bool) Condition {
	y, m, d := at.Date()
	midnight := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	if !day || midnight.Equal(at) {
		return condition(column+" "+op+" ?", at.UnixMilli())
	}
	outer := at
	if (op == "<") == midnight.After(at) {
		outer = midnight
	}
	return condition(column+" "+op+" ? AND iif("+column+" % 86400000, "+column+" "+op+" ?, "+column+" "+op+" ?)",
		outer.UnixMilli(), at.UnixMilli(), midnight.UnixMilli())
}
