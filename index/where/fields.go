package where

import (
	"slices"
	"strings"

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
	lineField                    // a column of names in the index of a hub
)

// A fieldInfo is what is known of a field.
type fieldInfo struct {
	name    string
	kind    fieldKind
	aliases []string // the key in files, and what people write for it
	tallied bool     // whether the table tally has each of its values, and an index their documents
}

const parentField = "parent"

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
	{name: parentField, kind: idField, aliases: []string{"parentTaskId"}},
	{name: "created", kind: timeField, aliases: []string{"createdAt"}},
	{name: "updated", kind: timeField, aliases: []string{"updatedAt"}},
	{name: "closed", kind: timeField, aliases: []string{"closedAt"}},
}

// lineFields are those that documents have besides in the index of a hub.
var lineFields = []fieldInfo{{name: "workspace", kind: lineField}, {name: "line", kind: lineField}}

// isLineField reports whether a name is one of lineFields. Before a colon it is that only in a
// hub, and else a word to search for.
func isLineField(name string) bool {
	return slices.ContainsFunc(lineFields, func(f fieldInfo) bool { return f.name == name })
}

// named returns the field of some that a name means, however it is spelled.
func named(fields []fieldInfo, name string) (fieldInfo, bool) {
	for _, f := range fields {
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

// nearestName returns the field, or another of the names, that was probably meant: one that is
// spelled nearly so, or else the only one that begins so.
func nearestName(name string, others []string) string {
	const least = 3 // letters that can stand for a name
	all := slices.Concat(builtinNames(), others)
	near, begun := words.Nearest(name, all), words.Fold(name)
	if near != "" || len(begun) < least {
		return near
	}
	for _, one := range all {
		if !strings.HasPrefix(words.Fold(one), begun) {
			continue
		}
		if near != "" && near != one {
			return ""
		}
		near = one
	}
	return near
}
