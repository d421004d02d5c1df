package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// An object is a JSON object as it stands in a session's file: its keys in
// their order, its values byte for byte, whatever program wrote them.
type object []member

type member struct {
	key   string
	value json.RawMessage
}

// parseObject reads an object and nothing else. Of equal keys the last counts.
func parseObject(data []byte) (object, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	start, err := d.Token()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("is no JSON: %w", err)
	}
	if start != json.Delim('{') {
		return nil, errors.New("is no JSON object")
	}
	var o object
	at := map[string]int{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("is no JSON: %w", err)
		}
		key, _ := token.(string) // the decoder accepts nothing else here
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("is no JSON: %w", err)
		}
		if i, ok := at[key]; ok {
			o[i].value = value
			continue
		}
		at[key] = len(o)
		o = append(o, member{key, value})
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("is no JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("goes on after its JSON object")
	}
	return o, nil
}

// isObject reports whether parseObject reads data, without the memory it takes.
func isObject(data []byte) bool {
	return data[0] == '{' && utf8.Valid(data) && json.Valid(data)
}

func (o object) index(key string) int {
	return slices.IndexFunc(o, func(m member) bool { return m.key == key })
}

// get returns nil where the key is missing or null.
func (o object) get(key string) json.RawMessage {
	i := o.index(key)
	if i < 0 || string(o[i].value) == "null" {
		return nil
	}
	return o[i].value
}

// put gives a key its value: a key that is there keeps its place, a new one
// comes last.
func (o *object) put(key string, value json.RawMessage) {
	if i := o.index(key); i >= 0 {
		(*o)[i].value = value
		return
	}
	*o = append(*o, member{key, value})
}

func (o *object) setText(key, s string) { o.put(key, appendString(nil, s)) }

func (o *object) setTime(key string, t time.Time) { o.setText(key, t.UTC().Format(fullTime)) }

func (o *object) setNumber(key string, n int64) { o.put(key, fmt.Append(nil, n)) }

func (o *object) setList(key string, list []string) {
	if len(list) == 0 {
		o.put(key, json.RawMessage("[]"))
		return
	}
	b := []byte("[")
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(append(b, "\n    "...), s)
	}
	o.put(key, append(b, "\n  ]"...))
}

// render is the object as a file, one key a line.
func (o object) render() []byte {
	b := []byte("{")
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(append(b, "\n  "...), m.key), ": "...)
		b = append(b, m.value...)
	}
	return append(b, "\n}\n"...)
}

// line is the object without any space between its parts.
func (o object) line() ([]byte, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, o.render()); err != nil {
		return nil, err
	}
	return append(b.Bytes(), '\n'), nil
}

// A reading takes typed values from an object. What has another type counts as
// missing, and is a problem.
type reading struct {
	object
	file     string
	problems []string
}

func (r *reading) problem(format string, args ...any) {
	r.problems = append(r.problems, r.file+" "+fmt.Sprintf(format, args...))
}

func (r *reading) into(key, kind string, target any) {
	if value := r.get(key); value != nil && json.Unmarshal(value, target) != nil {
		r.problem("has a %s that is no %s", key, kind)
	}
}

func (r *reading) text(key string) (s string) {
	r.into(key, "text", &s)
	return s
}

func (r *reading) list(key string) (list []string) {
	r.into(key, "list of texts", &list)
	return list
}

func (r *reading) number(key string) (n int) {
	r.into(key, "whole number", &n)
	return n
}

func (r *reading) time(key string) time.Time {
	s := r.text(key)
	if s == "" {
		return time.Time{}
	}
	t, ok := parseDate(s)
	if !ok {
		r.problem("has a %s that is no time", key)
	}
	return t
}

// givenObject checks an object that the caller passed; nil is an empty one.
func givenObject(field string, data json.RawMessage) (object, error) {
	if text := strings.TrimSpace(string(data)); text == "" || text == "null" {
		return nil, nil
	}
	o, err := parseObject(data)
	if err != nil {
		return nil, &ValueError{Field: field, Value: string(data), Reason: err.Error()}
	}
	return o, nil
}

// sameJSON reports whether two values differ in nothing but white space.
func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
