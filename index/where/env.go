package where

import (
	"slices"
	"strings"
	"time"

	"issues-index/store/words"
)

// FoldFunction is the name, in SQL, of search.Fold. The connection that runs a
// condition has to know it.
const FoldFunction = "issues_index_fold"

// An Env is what the criteria do not say themselves. FoldID, Children and the
// functions of the Choices are required. Criteria that search, or have a predicate that
// is not among Predicates, are refused.
type Env struct {
	Now time.Time // in the zone of who asks
	Me  string    // who asks, "" when that is not known

	// Fields are the keys that the frontmatter of any document has: those of the
	// table field.
	Fields []string

	Choices map[string]Choices // of the fields with known values: status, priority and type

	// FoldID is the form in which the columns id_fold and parent_fold have an id.
	FoldID func(id string) string

	// Kind tells what all values of a key are that the frontmatter has. nil tells nothing.
	Kind func(key string) (ValueKind, error)

	// Mirror says that documents have a workspace and a line: the index is that of a hub.
	Mirror bool

	// Predicates are conditions by their names, besides those that columns answer: of is
	// and has with what they ask for (is:ready), of others without (under). Their errors
	// are returned as they are, but for the column of a TermError.
	Predicates map[string]func(arg string) (Condition, error)

	// Children is the condition of the documents whose parent an id names. Its errors are
	// returned as those of Predicates are.
	Children func(id string) (Condition, error)

	// Search is the condition of a search, in the language of package search.
	Search func(text string) (Condition, error)
}

// A ValueKind is what the values of a key are.
type ValueKind int

// The kinds. Text may be of any form.
const (
	TextKind ValueKind = iota
	NumberKind
	TimeKind
)

// field returns the field that a name means here.
func (e *Env) field(name string, column int) (fieldInfo, error) {
	if f, ok := named(builtins, name); ok {
		return f, nil
	}
	if f, ok := named(lineFields, name); ok && e.Mirror {
		return f, nil
	}
	if key, ok := words.Respell(name, e.Fields); ok {
		return fieldInfo{name: key, kind: extraField}, nil
	}
	err := &SyntaxError{Column: column, Got: gotText(name), Expected: "a field", Near: nearestName(name, e.Fields)}
	if err.Near == "" {
		err.Expected = "a field: " + strings.Join(append(builtinNames(), "or a key that a document has"), ", ")
	}
	return fieldInfo{}, err
}

// Choices are the values of a field that has known ones.
type Choices struct {
	Values []string // in their order
	// Resolve returns the value that a text means, which may be a value in use
	// and not among Values.
	Resolve func(text string) (value string, ok bool)
}

// value returns the value that an operand means.
func (c Choices) value(field string, o Operand) (string, error) {
	if value, ok := c.Resolve(o.Text); ok {
		return value, nil
	}
	return "", &SyntaxError{
		Column: o.column, Got: gotText(o.Text), Expected: "a " + field + " (" + strings.Join(c.Values, ", ") + ")",
		Near: words.Nearest(o.Text, c.Values),
	}
}

// beside are the values on one side of a value: those for which holds is true of
// their place compared with its own.
func (c Choices) beside(value string, holds func(compared int) bool) []string {
	place := slices.Index(c.Values, value)
	if place < 0 {
		return nil
	}
	var all []string
	for i, v := range c.Values {
		if holds(i - place) {
			all = append(all, v)
		}
	}
	return all
}
