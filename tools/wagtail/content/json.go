package content

import (
	"bytes"
	"encoding/json"
)

// textOf returns a value that is a text.
func textOf(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

// list reads the items of a JSON list.
func list(raw json.RawMessage) ([]json.RawMessage, bool) {
	var items []json.RawMessage
	if !begins(raw, '[') || json.Unmarshal(raw, &items) != nil {
		return nil, false
	}
	return items, true
}

// object reads the fields of a JSON object in their order.
func object(raw json.RawMessage) ([]block, bool) {
	if !begins(raw, '{') || !json.Valid(raw) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	_, _ = d.Token()
	fields := []block{}
	for d.More() {
		key, err := d.Token()
		name, isText := key.(string)
		if err != nil || !isText {
			return nil, false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, false
		}
		fields = append(fields, block{name, value})
	}
	return fields, true
}

func begins(raw json.RawMessage, c byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == c
}

// empty reports whether a value has nothing to show.
func empty(raw json.RawMessage) bool {
	switch raw = bytes.TrimSpace(raw); string(raw[:min(len(raw), len("null "))]) {
	case "", "null", `""`, "[]", "{}":
		return true
	}
	return false
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
