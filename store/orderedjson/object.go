// Package orderedjson reads and writes JSON objects whose members keep their order and
// whose values keep their bytes. Every package may use it.
//
// It knows nothing about what the objects mean. Its invariants: a value is never
// rewritten; the last of several members with one name counts, at the place of the
// first; what is written has no escapes that only browsers need.
package orderedjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// A Member is one name of an object with its value.
type Member struct {
	Name  string
	Value json.RawMessage
}

// An Object is a JSON object: its members in their order.
type Object []Member

// Parse reads one JSON object and nothing else. Its errors are verb phrases about the
// data: "is empty", "is no JSON object".
func Parse(data []byte) (Object, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	start, err := d.Token()
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("is empty")
	case err != nil:
		return nil, notJSON(err)
	case start != json.Delim('{'):
		return nil, errors.New("is no JSON object")
	}
	var o Object
	at := make(map[string]int)
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, notJSON(err)
		}
		name, _ := token.(string) // the decoder accepts nothing else here
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, notJSON(err)
		}
		if i, twice := at[name]; twice {
			o[i].Value = value
			continue
		}
		at[name] = len(o)
		o = append(o, Member{name, value})
	}
	if _, err := d.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("goes on after its JSON object")
	}
	return o, nil
}

func notJSON(err error) error { return fmt.Errorf("is no JSON: %w", err) }

// Get returns a member's value, nil when there is none.
func (o Object) Get(name string) json.RawMessage {
	if i := o.index(name); i >= 0 {
		return o[i].Value
	}
	return nil
}

// Put sets a member. One that exists keeps its place; a new one comes last.
func (o *Object) Put(name string, value json.RawMessage) {
	if i := o.index(name); i >= 0 {
		(*o)[i].Value = value
		return
	}
	*o = append(*o, Member{name, value})
}

// Delete removes a member, if there is one.
func (o *Object) Delete(name string) {
	if i := o.index(name); i >= 0 {
		*o = slices.Delete(*o, i, i+1)
	}
}

func (o Object) index(name string) int {
	return slices.IndexFunc(o, func(m Member) bool { return m.Name == name })
}

// MarshalJSON writes the object on one line.
func (o Object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, Text(m.Name)...), ':')
		out = append(out, m.Value...)
	}
	return append(out, '}'), nil
}

// Marshal is json.Marshal without escapes for HTML: no browser reads the result, and
// each escape would cost a model five characters.
func Marshal(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// Text returns a text as a JSON string.
func Text(text string) json.RawMessage { return AppendText(nil, text) }

// AppendText appends a text as a JSON string, and returns the longer slice.
func AppendText(to []byte, text string) []byte {
	for i, r := range text {
		if r < ' ' || r == '"' || r == '\\' || r == '\u2028' || r == '\u2029' ||
			r == utf8.RuneError && text[i] != "\ufffd"[0] {
			out, err := Marshal(text)
			if err != nil { // a text always has a JSON form
				out = json.RawMessage(`""`)
			}
			return append(to, out...)
		}
	}
	to = append(to, '"')
	return append(append(to, text...), '"')
}
