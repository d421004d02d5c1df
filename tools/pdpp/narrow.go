package pdpp

import (
	"encoding/json"
	"fmt"
	"slices"
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
			m.members = append(m.members, name)
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
			m.texts = append(m.texts, field.Name)
		default:
			fields[i].Value = json.RawMessage("{}")
			m.members = append(m.members, field.Name)
		}
	}
}

// notes says what is missing in so many rows, and how to get it: of the one record with this id,
// or of several rows by what the sentence whole says.
func (m *missing) notes(id string, rows int, whole string) (notes []string) {
	names := words.Once(slices.Concat(m.texts, m.members))
	switch {
	case len(names) == 0:
		return nil
	case rows > 1 || id == "" || len(m.texts) == 0 && whole != "":
		return []string{"Cut or left out to fit: " + someOf(names) + ". " + whole}
	case len(m.texts) > 0:
		notes = append(notes, "Cut to fit: "+someOf(m.texts)+". "+
			callOf("fetch", "id", id, "field", m.texts[0])+" reads one of them in windows.")
	}
	if len(m.members) > 0 {
		notes = append(notes, "Left out to fit: "+someOf(m.members)+
			". Ask for it alone with fields, or for less of it with expand_limit.")
	}
	return notes
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
