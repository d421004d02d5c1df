package issues

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A member is one key of a wranglerContext.
type member struct {
	key   string
	value json.RawMessage
}

// contextMembers are the keys of a wranglerContext in their order.
func contextMembers(raw json.RawMessage) []member {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		return nil
	}
	var members []member
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			break
		}
		members = append(members, member{fmt.Sprint(key), value})
	}
	return members
}

// context is a wranglerContext as far as the level goes: short values whole, of
// long ones the beginning, as a string. The note says what is missing.
func (l level) context(raw json.RawMessage, path string) (shown json.RawMessage, note string) {
	if l.whole() {
		return contextOf(raw), ""
	}
	members := contextMembers(raw)
	var cuts []string
	var parts []string
	for _, m := range members[:min(len(members), l.entries)] {
		value, left := cutValue(m.value, l.length)
		if left > 0 {
			cuts = append(cuts, fmt.Sprintf("%s (%d)", l.name(line(m.key)), left))
		}
		parts = append(parts, string(jsonText(l.name(m.key)))+":"+string(value))
	}
	var notes []string
	if len(cuts) > 0 {
		named, left := l.texts(cuts)
		notes = append(notes, "Cut, with the characters left out: "+strings.Join(named, ", ")+andMore(left)+
			". issues_metadata get with key reads one.")
	}
	if left := len(members) - len(parts); left > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d keys are left out; the file %s has all.", left, len(members), path))
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}"), strings.Join(notes, " ")
}

// cutValue is a JSON value of at most so many characters, or the beginning of its
// text as a JSON string and how many characters that leaves out.
func cutValue(value json.RawMessage, limit int) (shown json.RawMessage, left int) {
	text := string(value)
	if utf8.RuneCountInString(text) <= limit {
		return value, 0
	}
	var own string
	if json.Unmarshal(value, &own) == nil {
		text = own
	}
	short := cut(text, limit)
	return jsonText(short), utf8.RuneCountInString(text) - utf8.RuneCountInString(short) + 1
}

// jsonText is a text as JSON, without escapes that only browsers need.
func jsonText(text string) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) != nil { // a text always has a JSON form
		return json.RawMessage(`""`)
	}
	return bytes.TrimSpace(out.Bytes())
}
