package where

import (
	"slices"

	"issues-index/store/words"
)

// A fieldKind is how a field is kept, and so how it compares.
type fieldKind int

const (
	extraField  fieldKind = iota // of the frontmatter, in the table field
	textField                    // a column
	peopleField                  // a column with a list of names, with commas
	choiceField                  // a column with one of known values, which have an order
	labelsField                  // the table document_label
	idField                      // a column and one with its folded form
	timeField                    // a column of milliseconds since 1970
)

// A fieldInfo is what is known of a field.
type fieldInfo struct {
	name    string
	kind    fieldKind
	aliases []string // the key in files, and what people write for it
	tallied bool     // whether the table tally has each of its values, and an index their documents
}

// builtins are the fields that every document has.
var builtins = []fieldInfo{
	{name: "id", kind: idField},
	{name: "title", kind: textField},
	{name: "type", kind: choiceField},
	{name: "status", kind: choiceField},
	{name: "priority", kind: choiceField},
	{name: "labels", kind: labelsField, aliases: []string{"label"}},
	{name: "assignee", kind: peopleField, tallied: true},
	{name: "project", kind: textField, tallied: true},
	{name: "parent", kind: idField, aliases: []string{"parentTaskId"}},
	{name: "created", kind: timeField, aliases: []string{"createdAt"}},
	{name: "updated", kind: timeField, aliases: []string{"updatedAt"}},
	{name: "closed", kind: timeField, aliases: []string{"closedAt"}},
}

// builtinNamed returns the field that a name means, however it is spelled.
func builtinNamed(name string) (fieldInfo, bool) {
	for _, f := range builtins {
		if _, ok := words.Respell(name, append([]string{f.name}, f.aliases...)); ok {
			return f, true
		}
	}
	return fieldInfo{}, false
}

func builtinNames() []string {
	names := make([]string, len(builtins))
	for i, f := range builtins {
		names[i] = f.name
	}
	return names
}

// nearestName returns the field, or another of the names, that was probably meant.
func nearestName(name string, others []string) string {
	return words.Nearest(name, slices.Concat(builtinNames(), others))
}
