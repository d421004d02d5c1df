package web

import (
	"fmt"
	"slices"
	"strings"

	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/words"
	"issues-index/tools"
)

// fieldNames are the fields of a document that a form can change, in its order.
var fieldNames = []string{"title", "type", "status", "priority", "labels", "assignee", "project", "parent", "dependsOn"}

// fieldLabels are what the fields are called on a page, where that is not the name itself.
var fieldLabels = map[string]string{"dependsOn": "Waits for"}

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

// choicesOf are the values that a field may have, nil for any.
func choicesOf(l *layout.Layout, name string) []string {
	switch name {
	case "type":
		return store.Types
	case "status":
		return l.StatusNames()
	case "priority":
		return l.Priorities
	}
	return nil
}

// newField is a field with a value. A value that is none of the choices is one here, so
// that a form that is sent as it is changes nothing.
func newField(l *layout.Layout, name, value string) formField {
	label := fieldLabels[name]
	if label == "" {
		label = strings.ToUpper(name[:1]) + name[1:]
	}
	choices := choicesOf(l, name)
	if choices != nil && !slices.Contains(choices, value) {
		choices = append([]string{value}, choices...)
	}
	return formField{Name: name, Label: label, Hint: fieldHints[name], Value: value, Was: value, Choices: choices}
}

// setField sets a field to what was typed, by the rules of the command set: an empty value
// clears a field that need not have one.
func setField(f *store.Fields, l *layout.Layout, name, typed string) (err error) {
	value := words.OneLine(typed)
	if f.SetOptional(name, value) {
		return nil
	}
	if value == "" {
		return tools.Errorf(tools.CodeValidation, "The %s is empty.", name).On(name).Try("A document must have a %s.", name)
	}
	switch name {
	case "title":
		f.Title = &value
	case "type":
		f.Type = &value
		*f.Type, err = chosen(name, value, words.Only(store.Types...))
	case "status":
		f.Status = &value
		*f.Status, err = chosen(name, value, l.StatusValues())
	case "priority":
		f.Priority = &value
		*f.Priority, err = chosen(name, value, l.PriorityValues())
	}
	return err
}

// chosen is the allowed value that a word means.
func chosen(name, word string, allowed words.ValueSet) (string, error) {
	if value, ok := words.Respell(word, allowed.Allowed); ok {
		return value, nil
	}
	if value := allowed.Understood(word); value != "" {
		return value, nil
	}
	hint := fmt.Sprintf("It can be %s.", strings.Join(allowed.Allowed, ", "))
	if near := allowed.Suggested(word); near != "" {
		hint = "Did you mean " + near + "? " + hint
	}
	return "", tools.Errorf(tools.CodeValidation, "There is no %s %s.", name, tools.Quote(word)).On(name).Try("%s", hint)
}
