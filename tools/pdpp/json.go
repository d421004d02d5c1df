package pdpp

import (
	"bytes"
	"encoding/json"
	"errors"

	"issues-index/store/orderedjson"
	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
)

// surrogates finds the escapes of half a character in JSON. To step over them it also
// finds an escaped backslash and an escape of both halves.
var surrogates = pattern.Lazy(`\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|` +
	`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// wellFormed returns JSON with U+FFFD in place of bytes that are not UTF-8, which would
// break the line of the answer, and of half a character, for which clients refuse the
// whole answer.
func wellFormed(body []byte) json.RawMessage {
	body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	if !bytes.Contains(body, []byte(`\u`)) {
		return body
	}
	return surrogates().ReplaceAllFunc(body, func(escape []byte) []byte {
		if len(escape) == len(`\ud800`) {
			return []byte(`\ufffd`)
		}
		return escape
	})
}

// read decodes the members that have the expected form; a member of another form does not
// hide the rest. It reports whether raw is of the expected kind at all.
func read(raw json.RawMessage, into any) bool {
	err := json.Unmarshal(raw, into)
	var form *json.UnmarshalTypeError
	return err == nil || errors.As(err, &form) && form.Field != ""
}

// A word is a text, or the digits of a number; anything else is "".
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

// members returns the members of a JSON object, none when raw is no object.
func members(raw json.RawMessage) orderedjson.Object {
	object, err := orderedjson.Parse(raw)
	if err != nil {
		return nil
	}
	return object
}

// encode writes a value as JSON, null when it has no JSON form.
func encode(value any) json.RawMessage {
	raw, err := orderedjson.Marshal(value)
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

// compact returns JSON without its white space.
func compact(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return string(raw)
	}
	return out.String()
}

// textOf returns the text of a JSON string and whether raw is one.
func textOf(raw json.RawMessage) (text string, ok bool) {
	err := json.Unmarshal(raw, &text)
	return text, err == nil && len(raw) > 0 && raw[0] == '"'
}

// brief returns a JSON value on one line, cut to limit bytes.
func brief(raw json.RawMessage, limit int) string {
	text, ok := textOf(raw)
	if !ok {
		text = compact(raw)
	}
	return words.CutBytes(tools.Line(text), limit)
}
