package pdpp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// A member is one of a JSON object's, in its place.
type member struct {
	name  string
	value json.RawMessage
}

// lone finds escapes of half a character in JSON, and, so as to pass them by, those
// of two halves and of a backslash.
var lone = pattern.Lazy(`\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// wellFormed is JSON in which what is no text stands as U+FFFD: bytes that are not
// UTF-8 would break the line that the answer stands on, and clients refuse the whole
// of an answer for half a character.
func wellFormed(body []byte) json.RawMessage {
	body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	if !bytes.Contains(body, []byte(`\u`)) {
		return body
	}
	return lone().ReplaceAllFunc(body, func(escape []byte) []byte {
		if len(escape) == len(`\ud800`) {
			return []byte(`\ufffd`)
		}
		return escape
	})
}

// read takes of JSON what has the form that is expected, and reports whether it is of
// that kind at all: a member that has another form is none, and does not hide the rest.
func read(raw json.RawMessage, into any) bool {
	err := json.Unmarshal(raw, into)
	var form *json.UnmarshalTypeError
	return err == nil || errors.As(err, &form) && form.Field != ""
}

// A word is a text, or a number as its digits; "" is anything else.
type word string

// UnmarshalJSON reads a text or a number.
func (w *word) UnmarshalJSON(raw []byte) error {
	text, isText := textOf(raw)
	var digits json.Number
	if !isText && json.Unmarshal(raw, &digits) == nil {
		text = digits.String()
	}
	*w = word(text)
	return nil
}

// members returns those of a JSON object in their order, none when it is none.
func members(object json.RawMessage) (list []member) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		return nil
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return nil
		}
		list = append(list, member{fmt.Sprint(name), value})
	}
	return list
}

// object writes members as a JSON object.
func object(list []member) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(encode(m.name))
		out.WriteByte(':')
		out.Write(m.value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

// encode writes a value as JSON, with < > & as they are.
func encode(value any) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSpace(out.Bytes())
}

// compact is JSON without its white space.
func compact(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return string(raw)
	}
	return out.String()
}

// textOf returns the text of a JSON string, and whether it is one.
func textOf(raw json.RawMessage) (text string, ok bool) {
	err := json.Unmarshal(raw, &text)
	return text, err == nil && len(raw) > 0 && raw[0] == '"'
}

// count is a number of things.
func count(number int, thing string) string {
	if number != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", number, thing)
}

// brief is a JSON value on one line, at most so many bytes of it.
func brief(raw json.RawMessage, limit int) string {
	if text, ok := textOf(raw); ok {
		return shorten(tools.Line(text), limit)
	}
	return shorten(tools.Line(compact(raw)), limit)
}
