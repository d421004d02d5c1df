package where

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"issues-index/store/words"
)

// A Condition is one on the table document, in SQL. It is true or false, never NULL,
// and binds as tightly as a name does.
type Condition struct {
	SQL  string
	Args []any
}

// Compile returns the condition that the criteria are. Errors: *SyntaxError for what is
// not known here, and those of the functions of env.
func Compile(c *Criteria, env *Env) (Condition, error) {
	if c.Where == nil {
		return Condition{SQL: "true"}, nil
	}
	return env.compile(c.Where)
}

// operatorsOf are the operators that the fields of a kind take. Those of a kind that is
// not among them take all.
var operatorsOf = map[fieldKind][]Operator{
	labelsField: unordered, idField: unordered, lineField: unordered,
	timeField: {Equal, NotEqual, Less, AtMost, Greater, AtLeast, In},
}

// unordered are the operators that ask for no order.
var unordered = []Operator{Equal, NotEqual, Contains, Lacks, In}

func (e *Env) compile(x Expr) (Condition, error) {
	switch x := x.(type) {
	case And:
		c, err := e.joined(x, " AND ")
		for i := 1; i < len(x) && err == nil; i++ {
			if not, ok := x[i].(Not); ok {
				before, _ := x[i-1].(Search)
				behind, _ := not.Expr.(Search)
				err = e.missingOperator(slices.Concat(before, behind), "!=")
			}
		}
		return c, err
	case Or:
		return e.joined(x, " OR ")
	case Not:
		c, err := e.compile(x.Expr)
		return c.not(), err
	case Compare:
		return e.compare(x)
	case Predicate:
		return e.predicate(x)
	case Search:
		if err := e.missingOperator(x, "="); err != nil {
			return Condition{}, err
		}
		if e.Search == nil {
			return Condition{}, errors.New("words cannot be searched for here")
		}
		return e.Search(x.FullText())
	}
	return Condition{}, errors.New("this expression has no condition")
}

func (e *Env) joined(parts []Expr, joint string) (Condition, error) {
	all := make([]Condition, len(parts))
	for i, part := range parts {
		var err error
		if all[i], err = e.compile(part); err != nil {
			return Condition{}, err
		}
	}
	return join(all, joint), nil
}

// join is several conditions in one.
func join(all []Condition, joint string) Condition {
	if len(all) == 1 {
		return all[0]
	}
	var c Condition
	terms := make([]string, len(all))
	for i, one := range all {
		terms[i] = one.SQL
		c.Args = append(c.Args, one.Args...)
	}
	c.SQL = "(" + strings.Join(terms, joint) + ")"
	return c
}

func (c Condition) not() Condition { return Condition{"(NOT " + c.SQL + ")", c.Args} }

func condition(sql string, args ...any) Condition { return Condition{"(" + sql + ")", args} }

// among is a condition that a column has one of some values.
func among(column string, values []string) Condition {
	if len(values) == 0 {
		return Condition{SQL: "false"}
	}
	c := Condition{SQL: "(" + column + " IN (?" + strings.Repeat(", ?", len(values)-1) + "))"}
	for _, v := range values {
		c.Args = append(c.Args, v)
	}
	return c
}

// builtinPredicates are those that columns answer.
var builtinPredicates = map[string]string{
	"has:boxes":      "boxes_total > 0",
	"has:open-boxes": "boxes_checked < boxes_total",
}

// meantPredicates are criteria that people write as predicates.
var meantPredicates = map[string]string{
	"is:mine":       "assignee = @me",
	"is:assigned":   "assignee != empty",
	"is:unassigned": "assignee = empty",
	"is:closed":     "is:done",
	"is:waiting":    "is:blocked",
}

func (e *Env) predicate(p Predicate) (Condition, error) {
	name, arg := p.Name, p.Arg
	if name == "is" || name == "has" {
		name, arg = name+":"+arg, ""
	}
	if isLineField(name) {
		if !e.Mirror {
			return e.compile(Search{{Text: name + ":" + arg, column: p.column}})
		}
		return inLine(name, arg), nil
	}
	if sql := builtinPredicates[name]; sql != "" {
		return condition(sql), nil
	}
	if compile := e.Predicates[name]; compile != nil {
		c, err := compile(arg)
		return c, at(p.argColumn, err)
	}
	known := slices.Sorted(maps.Keys(builtinPredicates))
	known = append(known, slices.Sorted(maps.Keys(e.Predicates))...)
	return Condition{}, &SyntaxError{
		Column: p.column, Got: gotText(name), Expected: "a predicate (" + strings.Join(known, ", ") + ")",
		Near: cmp.Or(meantPredicates[name], words.Nearest(name, known)),
	}
}

// Asks reports whether criteria compare a field, by the name that it has in them.
func (c *Criteria) Asks(field string) bool {
	return anyPart(c.Where, func(x Expr) bool {
		switch x := x.(type) {
		case Predicate:
			return x.Name == field
		case Compare:
			_, same := words.Respell(x.Field, []string{field})
			return same
		}
		return false
	})
}

// inLine is the condition that a column of lineFields has a name.
func inLine(column, name string) Condition {
	return condition(column+" <> '' AND "+column+" = ?", strings.ToLower(name))
}

// opposites are the operators that are the opposite of another one.
var opposites = map[Operator]Operator{NotEqual: Equal, Lacks: Contains}

func (e *Env) compare(c Compare) (Condition, error) {
	f, err := e.field(c.Field, c.column)
	if err != nil {
		return Condition{}, err
	}
	if taken := operatorsOf[f.kind]; taken != nil && !slices.Contains(taken, c.Op) {
		list := make([]string, len(taken))
		for i, o := range taken {
			list[i] = string(o)
		}
		return Condition{}, &SyntaxError{
			Column: c.opColumn, Got: gotText(string(c.Op)),
			Expected: "one of " + strings.Join(list, " ") + ", as " + f.name + " takes them",
		}
	}
	if op, ok := opposites[c.Op]; ok {
		one, err := e.value(f, op, c.Values[0])
		return one.not(), err
	}
	op := c.Op
	if op == In {
		op = Equal
	}
	all := make([]Condition, len(c.Values))
	for i, v := range c.Values {
		if all[i], err = e.value(f, op, v); err != nil {
			return Condition{}, err
		}
	}
	return join(all, " OR "), nil
}

// value is the condition that a field compares so with one value.
func (e *Env) value(f fieldInfo, op Operator, o Operand) (Condition, error) {
	if o.Empty() {
		return unset(f), nil
	}
	if !o.Quoted && (strings.EqualFold(o.Text, meText) || f.kind == peopleField && words.IsMe(o.Text)) {
		if e.Me == "" {
			return Condition{}, &SyntaxError{
				Column: o.column, Got: gotText(meText), Expected: "a name, since it is not known who @me is",
			}
		}
		o.Text, o.Quoted = e.Me, true
	}
	switch f.kind {
	case choiceField:
		return e.choice(f, op, o)
	case idField:
		return e.id(f, op, o)
	case lineField: // which has whole names, so that api is not api-2
		return inLine(f.name, o.Text), nil
	case timeField:
		p, ok := parsePeriod(o.Text, e.Now)
		if !ok {
			return Condition{}, &SyntaxError{Column: o.column, Got: gotText(o.Text), Expected: TimeForms}
		}
		return p.compare(f.name, op), nil
	case labelsField:
		one := compareText("label", op, o.Text)
		one.SQL = "(doc IN (SELECT doc FROM document_label" +
			" WHERE label IN (SELECT label FROM label_tally WHERE " + one.SQL + ")))"
		return one, nil
	case extraField:
		return e.extra(f, op, o)
	}
	return text(f, op, o), nil
}
