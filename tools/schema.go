package tools

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"issues-index/store/orderedjson"
)

// ObjectSchema is the schema of an object with these properties, written as the
// members of a JSON object, of which some are required.
func ObjectSchema(properties string, required ...string) json.RawMessage {
	object := `{"type":"object","properties":{` + properties + `}`
	if len(required) > 0 {
		object += `,"required":["` + strings.Join(required, `","`) + `"]`
	}
	return json.RawMessage(object + "}")
}

// An input is what the schema of a tool says of its arguments. A server reads it
// once, at the first call.
type input struct {
	names, required []string
	objects         map[string][]string // the members of each object, or list of objects, TakesIn among them
	usage           string
}

func newInput(t Tool) *input {
	names, required := properties(t.Input)
	objects := nested(t.Input)
	for name, members := range t.TakesIn {
		objects[name] = append(objects[name], members...)
	}
	return &input{names, required, objects, usage(t.Name, names, required)}
}

// arguments is the tool's input.
func (t Tool) arguments() *input {
	if t.input == nil {
		return newInput(t)
	}
	return t.input()
}

// nested returns the properties of each object, or list of objects, in a schema.
func nested(schema json.RawMessage) map[string][]string {
	var root struct{ Properties map[string]json.RawMessage }
	if bytes.Count(schema, []byte(`"object"`)) < 2 || json.Unmarshal(schema, &root) != nil {
		return nil
	}
	objects := make(map[string][]string)
	for name, property := range root.Properties {
		inner, _ := properties(property)
		var list struct{ Items json.RawMessage }
		if json.Unmarshal(property, &list) == nil {
			each, _ := properties(list.Items)
			inner = append(inner, each...)
		}
		if len(inner) > 0 {
			objects[name] = inner
		}
	}
	return objects
}

// properties returns the names of an object schema's properties in their
// order, and those that are required.
func properties(schema json.RawMessage) (names, required []string) {
	var object struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(schema, &object) != nil || len(object.Properties) == 0 {
		return nil, nil
	}
	members, err := orderedjson.Parse(object.Properties)
	if err != nil {
		return nil, nil
	}
	for _, m := range members {
		names = append(names, m.Name)
	}
	return names, object.Required
}

// usage says in one sentence what a tool takes.
func usage(tool string, names, required []string) string {
	if len(names) == 0 {
		return tool + " takes no arguments."
	}
	shown := slices.Clone(names)
	for i, name := range shown {
		if slices.Contains(required, name) {
			shown[i] = name + " (required)"
		}
	}
	return tool + " takes " + strings.Join(shown, ", ") + "."
}

// object returns the members of a JSON object or of the text of one. What is
// absent or null is an object without members.
func object(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	var members map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &members) == nil {
		return members, true
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil, false
	}
	return members, json.Unmarshal([]byte(text), &members) == nil
}

// canonical returns JSON in the one form that equal values share.
func canonical(raw json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(raw)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// kind names a JSON value's type for people.
func kind(raw json.RawMessage) string {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0, raw[0] == 'n':
		return "nothing"
	case raw[0] == '"':
		text, _ := scalar(raw)
		return Quote(text)
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case raw[0] == 't', raw[0] == 'f':
		return string(raw)
	}
	return Plain(string(raw))
}

func keys(members map[string]json.RawMessage) []string {
	return slices.Sorted(maps.Keys(members))
}
