package pdpp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/tools/answer"
)

// missing is what was left out of rows to make them fit.
type missing struct {
	texts   []string // fields whose text was cut
	members []string // members and fields that were left out
}

// dispensable are the members of a row that a reader misses least, in that order.
var dispensable = []string{
	"evidence_excerpts", "score", "scores", "retrieval_mode", "connector_instance_id", "display_name", "record_url",
	"links", "freshness", "object", "matched_fields", "snippet",
}

// note adds a name to a list that does not have it.
func note(names *[]string, name string) {
	if !slices.Contains(*names, name) {
		*names = append(*names, name)
	}
}

// leastValue is what a value that is cut or left out still takes, in bytes.
const leastValue = 40

// narrowed returns a row in so many bytes: without what a reader misses least, then with shorter
// values in its data, and at the least with its keys.
func (m *missing) narrowed(raw json.RawMessage, room int, keys []string) json.RawMessage {
	object := members(raw)
	if object == nil {
		return raw
	}
	leave := func(name string) {
		if len(raw) > room && object.Get(name) != nil && !slices.Contains(keys, name) {
			object.Delete(name)
			note(&m.members, name)
			raw = encode(object)
		}
	}
	for _, name := range dispensable {
		leave(name)
	}
	if data := members(object.Get("data")); len(raw) > room && data != nil {
		data = append(data, orderedjson.Member{Name: "expanded", Value: object.Get("expanded")})
		m.cut(data, len(raw)-room)
		last := len(data) - 1
		object.Put("data", encode(data[:last]))
		if data[last].Value != nil {
			object.Put("expanded", data[last].Value)
		}
		raw = encode(object)
	}
	for _, member := range slices.Clone(object) {
		leave(member.Name)
	}
	return raw
}

// cut shortens the longest of some fields by so many bytes together, if it can.
func (m *missing) cut(fields orderedjson.Object, over int) {
	var sizes []int
	total := 0
	for _, field := range fields {
		sizes = append(sizes, len(field.Value))
		total += len(field.Value)
	}
	limit := max(leastValue, answer.Share(sizes, total-over))
	for i, field := range fields {
		text, isText := textOf(field.Value)
		switch {
		case len(field.Value) <= limit:
		case isText:
			cut := words.CutBytes(text, limit-leastValue/2)
			fields[i].Value = orderedjson.Text(fmt.Sprintf("%s (%d of %d characters)",
				cut, max(0, utf8.RuneCountInString(cut)-1), utf8.RuneCountInString(text)))
			note(&m.texts, field.Name)
		default:
			fields[i].Value = json.RawMessage("{}")
			note(&m.members, field.Name)
		}
	}
}

// notes says what is missing in so many rows, and how to get it: of the one record with this id,
// or of several rows by what the sentence whole says.
func (m *missing) notes(id string, rows int, whole string) []string {
	var notes []string
	for says, names := range map[string][]string{"Cut to fit: ": m.texts, "Left out to fit: ": m.members} {
		if len(names) > 0 {
			notes = append(notes, says+someOf(names)+".")
		}
	}
	switch {
	case len(notes) == 0:
		return nil
	case rows == 1 && id != "" && len(m.texts) > 0:
		whole = callOf("fetch", "id", id, "field", m.texts[0]) + " reads one of them in windows, fields and expand_limit " +
			"ask for less."
	}
	slices.Sort(notes)
	return []string{strings.Join(append(notes, whole), " ")}
}

// only returns a JSON object with these members only.
func only(raw json.RawMessage, names ...string) json.RawMessage {
	return encode(slices.DeleteFunc(members(raw), func(m orderedjson.Member) bool {
		return !slices.Contains(names,
			m.Name)
	}))
}

// without returns a JSON object without these members.
func without(raw json.RawMessage, names ...string) json.RawMessage {
	return encode(slices.DeleteFunc(members(raw), func(m orderedjson.Member) bool {
		return slices.Contains(names,
			m.Name)
	}))
}
