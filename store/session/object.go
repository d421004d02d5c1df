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

// An fileObject is a session's file as it stands: a JSON fileObject whose members may be another
// program's.
type fileObject struct{ orderedjson.Object }

func (o *fileObject) putText(name, s string) { o.Put(name, orderedjson.Text(s)) }

func (o *fileObject) putTime(name string, t time.Time) {
	o.putText(name, t.UTC().Format(frontmatter.TimeFormat))
}

func (o *fileObject) putNumber(name string, n int64) { o.Put(name, fmt.Append(nil, n)) }

func (o *fileObject) putList(name string, list []string) {
	if len(list) == 0 {
		o.Put(name, json.RawMessage("[]"))
		return
	}
	b := []byte("[")
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, "\n    "...), orderedjson.Text(s)...)
	}
	o.Put(name, append(b, "\n  ]"...))
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

// line is the object without any space between its parts.
func (o fileObject) line() ([]byte, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, o.file()); err != nil {
		return nil, err
	}
	return append(b.Bytes(), '\n'), nil
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

// A memberReader takes typed values from an object. A value of another type counts as
// missing, and is a problem.
type memberReader struct {
	orderedjson.Object
	file     string
	problems []string
}

func (r *memberReader) problem(format string, args ...any) {
	r.problems = append(r.problems, r.file+" "+fmt.Sprintf(format, args...))
}

// raw returns a member's value, nil where it is missing or null.
func (r *memberReader) raw(name string) json.RawMessage {
	if value := r.Get(name); string(value) != "null" {
		return value
	}
	return nil
}

func (r *memberReader) into(name, kind string, target any) {
	if value := r.raw(name); value != nil && json.Unmarshal(value, target) != nil {
		r.problem("has a %s that is no %s", name, kind)
	}
}

func (r *memberReader) text(name string) (s string) {
	r.into(name, "text", &s)
	return s
}

func (r *memberReader) list(name string) (list []string) {
	r.into(name, "list of texts", &list)
	return list
}

func (r *memberReader) number(name string) (n int) {
	r.into(name, "whole number", &n)
	return n
}

func (r *memberReader) time(name string) time.Time {
	s := r.text(name)
	if s == "" {
		return time.Time{}
	}
	t, ok := frontmatter.ParseTime(s)
	if !ok {
		r.problem("has a %s that is no time", name)
	}
	return t
}
