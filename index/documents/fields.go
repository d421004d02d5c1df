package documents

import (
	"encoding/json"
	"slices"
	"strings"

	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// FieldKeys are the keys of the fields that SetField sets, besides those of wranglerContext.
var FieldKeys = []string{
	"title", "type", "status", "priority", "labels", "assignee", "project", "parent", "dependsOn", "description",
}

// ContextPrefix begins the name of a key of wranglerContext among those of fields.
const ContextPrefix = "context."

// Choices are the values that a field may have, none for a field that takes any.
func Choices(l *layout.Layout, field string) words.ValueSet {
	switch field {
	case "type":
		return words.Only(store.Types...)
	case "status":
		return l.StatusValues()
	case "priority":
		return l.PriorityValues()
	}
	return words.ValueSet{}
}

// An UnknownFieldError says that no field has a key.
type UnknownFieldError struct {
	Key  string
	Near string // the key that was probably meant, "" for none
}

func (e *UnknownFieldError) Error() string { return "unknown key " + words.Quote(e.Key) }

// SetField sets a field to what was typed, by its key; labels+, labels-, dependsOn+ and dependsOn-
// add to a list and take away from it, and a key of wranglerContext takes JSON, or else a text. An
// empty value clears a field that need not have one. note says that another word was understood.
// Errors: *UnknownFieldError, *words.ChoiceError, and *store.ValueError for an empty value.
func SetField(f *store.Fields, l *layout.Layout, key, typed string) (note string, err error) {
	if name, ok := strings.CutPrefix(key, ContextPrefix); ok && name != "" {
		if f.Context == nil {
			f.Context = map[string]json.RawMessage{}
		}
		f.Context[name] = jsonOrText(typed)
		return "", nil
	}
	if f.SetOptional(key, typed) {
		return "", nil
	}
	lists := map[string]*[]string{
		"labels+": &f.AddLabels, "labels-": &f.RemoveLabels,
		"dependsOn+": &f.AddDependsOn, "dependsOn-": &f.RemoveDependsOn,
	}
	if list := lists[key]; list != nil {
		*list = append(*list, words.List(typed)...)
		return "", nil
	}
	values := map[string]**string{
		"title": &f.Title, "type": &f.Type, "status": &f.Status, "priority": &f.Priority, "description": &f.Description,
	}
	value, known := values[key]
	switch {
	case !known:
		keys := append(slices.Clone(FieldKeys), "labels+", "labels-", "dependsOn+", "dependsOn-")
		return "", &UnknownFieldError{key, words.Nearest(key, keys)}
	case strings.TrimSpace(typed) == "":
		return "", &store.ValueError{Field: key, Reason: "must not be empty"}
	}
	if allowed := Choices(l, key); allowed.Allowed != nil {
		var meant []string
		if meant, note, err = allowed.Choose(key, typed); err != nil {
			return "", err
		}
		typed = meant[0]
	}
	*value = &typed
	return note, nil
}

// jsonOrText is a value as JSON: itself where it is some, else a text; nil for a blank one.
func jsonOrText(value string) json.RawMessage {
	if strings.TrimSpace(value) == "" {
		return nil
	}
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	text, _ := json.Marshal(value) // a string always has a JSON form
	return text
}

// FillIn gives a new document what its type's template has and what was given leaves unset. given
// are the keys of the fields that were given. Errors are those of [store.Workspace.Template] and
// [store.NamesOf].
func FillIn(ws *store.Workspace, n *store.NewDocument, given ...string) error {
	template, err := ws.Template(n.Type)
	if err != nil {
		return err
	}
	for _, field := range []struct {
		key             string
		value, standard *string
	}{
		{"status", &n.Status, &template.Status}, {"priority", &n.Priority, &template.Priority},
		{"assignee", &n.Assignee, &template.Assignee}, {"project", &n.Project, &template.Project},
		{"description", &n.Description, &template.Description},
	} {
		if !slices.Contains(given, field.key) && *field.standard != "" {
			*field.value = *field.standard
		}
	}
	n.Context, n.Extra = template.Context, template.Extra
	if !slices.Contains(given, "labels") {
		n.Labels = template.Labels
		return nil
	}
	n.Labels, err = store.NamesOf("labels", n.Labels, template.Labels)
	return err
}
