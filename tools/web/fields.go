package web

import (
	"slices"
	"strings"

	"issues-index/index/documents"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// fieldNames are the fields of a document that a form can change, in its order.
var fieldNames = []string{"title", "type", "status", "priority", "labels", "assignee", "project", "parent", "dependsOn"}

// fieldLabels are what the fields are called on a page, where that is not the name itself.
var fieldLabels = map[string]string{"dependsOn": "Waits for"}

// fieldLabel is what a field is called on a page.
func fieldLabel(name string) string {
	if label := fieldLabels[name]; label != "" {
		return label
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// fieldHints say what a field takes.
var fieldHints = map[string]string{
	"labels":    "separated by commas; +x adds a label, -x takes it away",
	"dependsOn": "ids, separated by commas", "parent": "an id",
}

// A formField is one field of a document in a form.
type formField struct {
	Name, Label, Hint string
	Value             string
	Was               string   // in the document that the form was made from
	Choices           []string // nil for a text
	Wrong             string   // what is wrong with the value
}

// fieldOf is what a field of a document is in a form, in one line.
func fieldOf(doc *store.Document, name string) string {
	switch name {
	case "title":
		return words.OneLine(doc.Title)
	case "type":
		return doc.Type
	case "status":
		return words.OneLine(doc.CountedStatus())
	case "priority":
		return words.OneLine(doc.CountedPriority())
	case "labels":
		return words.OneLine(strings.Join(doc.Labels, ", "))
	case "assignee":
		return words.OneLine(doc.Assignee)
	case "project":
		return words.OneLine(doc.Project)
	case "parent":
		return words.OneLine(doc.Parent)
	case "dependsOn":
		return words.OneLine(strings.Join(doc.DependsOn(), ", "))
	}
	return ""
}

// newField is a field with a value. A value that is none of the choices is one here, so
// that a form that is sent as it is changes nothing.
func newField(l *layout.Layout, name, value string) formField {
	choices := documents.Choices(l, name).Allowed
	if choices != nil && !slices.Contains(choices, value) {
		choices = append([]string{value}, choices...)
	}
	return formField{
		Name: name, Label: fieldLabel(name), Hint: fieldHints[name], Value: value, Was: value, Choices: choices,
	}
}
