package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/orderedjson"
)

// A fileObject is the JSON object in a session's file; other programs' members are kept.
type fileObject struct{ orderedjson.Object }

// A member is a member that this package knows, and the field of its value: a *string, *int,
// *time.Time, *[]string or *json.RawMessage.
type member struct {
	name  string
	field any
}

// read sets the fields of members. A member that is missing or null is passed over. A value of
// another type is passed over, too, and is a problem of the file.
func (o fileObject) read(file string, members []member) (problems []string) {
	for _, m := range members {
		value := o.Get(m.name)
		if value == nil || string(value) == "null" {
			continue
		}
		if !m.set(value) {
			problems = append(problems, fmt.Sprintf("%s has a %s of another type than it must have", file, m.name))
		}
	}
	return problems
}

// set sets the field to a value; ok is false for a value of another type.
func (m member) set(value json.RawMessage) (ok bool) {
	at, isTime := m.field.(*time.Time)
	if !isTime {
		return json.Unmarshal(value, m.field) == nil
	}
	var text string
	ok = json.Unmarshal(value, &text) == nil
	if text != "" {
		*at, ok = frontmatter.ParseTime(text)
	}
	return ok
}

// put sets a member of the object.
func (o *fileObject) put(name string, value any) { o.Put(name, jsonOf(value)) }

// jsonOf is a value as it is written. A value that is an object keeps its bytes.
func jsonOf(value any) json.RawMessage {
	switch field := value.(type) {
	case *time.Time:
		value = field.UTC().Format(frontmatter.TimeFormat)
	case *json.RawMessage:
		return *field
	case *[]string:
		if len(*field) == 0 {
			value = []string{}
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("  ", "  ")
	_ = encoder.Encode(value) // texts, numbers and lists of texts always have a JSON form
	return bytes.TrimSpace(text.Bytes())
}

// update puts those members that are no longer what was read, and lists that are missing. It
// reports whether there are any.
func (o *fileObject) update(read, now []member) (changed bool) {
	for i, m := range now {
		value := jsonOf(m.field)
		if bytes.Equal(value, jsonOf(read[i].field)) && (string(value) != "[]" || o.Get(m.name) != nil) {
			continue
		}
		o.Put(m.name, value)
		changed = true
	}
	return changed
}

// file is the object with a line for each member.
func (o fileObject) file() []byte {
	b := []byte("{")
	for i, m := range o.Object {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, "\n  "...), orderedjson.Text(m.Name)...), ": "...)
		b = append(b, m.Value...)
	}
	return append(b, "\n}\n"...)
}

// isObject reports whether data is one JSON object, with less memory than parsing takes.
func isObject(data []byte) bool {
	return data[0] == '{' && utf8.Valid(data) && json.Valid(data)
}

// givenObject checks an object that the caller passed; nil is an empty one.
func givenObject(field string, data json.RawMessage) (fileObject, error) {
	if text := strings.TrimSpace(string(data)); text == "" || text == "null" {
		return fileObject{}, nil
	}
	o, err := orderedjson.Parse(data)
	if err != nil {
		return fileObject{}, &store.ValueError{Field: field, Value: string(data), Reason: err.Error()}
	}
	return fileObject{o}, nil
}

// sameJSON reports whether two values differ in nothing but white space.
func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
