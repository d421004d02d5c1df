package tools

import (
	"bytes"
	"encoding/json"
)

// An input is what the schema of a tool says of its arguments. A server reads it
// once, at the first call.
type input struct {
	names, required []string
	objects         map[string][]string // the members of each object, or list of objects
	usage           string
}

func newInput(t Tool) *input {
	names, required := properties(t.Input)
	return &input{names, required, nested(t.Input), usage(t.Name, names, required)}
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
	var root struct {
		Properties map[string]struct {
			Properties json.RawMessage
			Items      json.RawMessage
		}
	}
	if bytes.Count(schema, []byte(`"object"`)) < 2 || json.Unmarshal(schema, &root) != nil {
		return nil
	}
	objects := make(map[string][]string)
	for name, property := range root.Properties {
		inner, _ := properties(json.RawMessage(`{"properties":` + string(orEmpty(property.Properties)) + `}`))
		if len(inner) == 0 {
			inner, _ = properties(orEmpty(property.Items))
		}
		if len(inner) > 0 {
			objects[name] = inner
		}
	}
	return objects
}

func orEmpty(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return json.RawMessage(`{}`)
	}
	return schema
}
