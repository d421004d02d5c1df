package pdpptest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// projection returns how a record is shown: with the fields, the view and the
// relations that were asked for.
func (s *Server) projection(a asked, c *connection, st *stream) (func(record) object, *refusal) {
	wanted := a.listed("fields")
	if view := a.one("view"); view != "" {
		fields, ok := st.views[view]
		if !ok {
			return nil, invalid("Unknown view: "+view, "view")
		}
		wanted = fields
	}
	for _, name := range wanted {
		if st.field(name) == nil {
			return nil, refuse(http.StatusBadRequest, "unknown_field", "Unknown field: "+name)
		}
	}
	relations := a.listed("expand", "expand[]")
	for _, name := range relations {
		if st.relation(name) == nil {
			return nil, refuse(http.StatusBadRequest, "invalid_expand", "Unsupported expand relation '"+name+"' on '"+st.name+"'")
		}
	}
	limits, wrong := expandLimits(a, relations)
	if wrong != nil {
		return nil, wrong
	}
	return func(r record) object {
		row := recordRow(c, st, r, wanted)
		expanded := object{}
		for _, name := range relations {
			expanded[name] = c.children(*st.relation(name), r, limits[name])
		}
		if len(relations) > 0 {
			row["expanded"] = expanded
		}
		return row
	}, nil
}

func expandLimits(a asked, relations []string) (map[string]int, *refusal) {
	limits := make(map[string]int)
	for name, values := range a.query {
		relation, ok := strings.CutPrefix(name, "expand_limit[")
		if !ok {
			continue
		}
		relation = strings.TrimSuffix(relation, "]")
		limit, err := strconv.Atoi(values[0])
		if err != nil || limit < 1 {
			return nil, invalid("expand_limit must be a positive integer", "expand_limit")
		}
		if !slices.Contains(relations, relation) {
			return nil, refuse(http.StatusBadRequest, "invalid_expand", "expand_limit names a relation that is not expanded: "+relation)
		}
		limits[relation] = limit
	}
	return limits, nil
}

func (st *stream) relation(name string) *Relation {
	for i := range st.relations {
		if st.relations[i].Name == name {
			return &st.relations[i]
		}
	}
	return nil
}

// recordRow is a record in a list; nil fields are all of them, and those that
// the schema requires are always there.
func recordRow(c *connection, st *stream, r record, fields []string) object {
	data := object{}
	for _, f := range st.fields {
		if fields == nil || f.required || slices.Contains(fields, f.name) {
			data[f.name] = r.data[f.name]
		}
	}
	return object{
		"object": "record", "id": r.id, "stream": st.name, "emitted_at": r.at,
		"connection_id": c.id, "connector_instance_id": c.id, "data": data,
	}
}

// children are the records that a relation leads to.
func (c *connection) children(relation Relation, of record, limit int) object {
	if limit == 0 {
		limit = relation.Default
	}
	data := []object{}
	more := false
	for _, st := range c.streams {
		if st.name != relation.Target {
			continue
		}
		for _, r := range st.records {
			if r.data[relation.ForeignKey] != of.id {
				continue
			}
			if more = len(data) == min(limit, relation.Max); more {
				break
			}
			data = append(data, recordRow(c, st, r, nil))
		}
	}
	return object{"object": "list", "has_more": more, "data": data}
}

// record answers with one record, flat.
func (s *Server) record(a asked) (reply, *refusal) {
	c, st, wrong := s.find(a)
	if wrong == nil {
		wrong = s.readable(a)
	}
	if wrong != nil {
		return reply{}, wrong
	}
	show, wrong := s.projection(a, c, st)
	if wrong != nil {
		return reply{}, wrong
	}
	r, wrong := st.find(a.PathValue("id"))
	if wrong != nil {
		return reply{}, wrong
	}
	row := show(r)
	row["connector_key"] = sourceID(a, c)
	content, err := json.Marshal(r.data)
	if err != nil {
		return reply{}, refuse(http.StatusInternalServerError, "internal_error", err.Error())
	}
	row["record_json_bytes"] = len(content)
	return reply{body: envelope(a, row, "")}, nil
}

func (st *stream) find(id string) (record, *refusal) {
	for _, r := range st.records {
		if r.id == id {
			return r, nil
		}
	}
	return record{}, refuse(http.StatusNotFound, "not_found", "Record not found")
}

const (
	defaultWindow = 4096
	maxWindow     = 16384
	defaultAround = 2048
)

// fieldWindow answers with a part of a record's text field, in characters.
func (s *Server) fieldWindow(a asked) (reply, *refusal) {
	_, st, wrong := s.find(a)
	if wrong != nil {
		return reply{}, wrong
	}
	for name := range a.query {
		if !slices.Contains([]string{"field", "offset_chars", "limit_chars", "q", "before_chars", "after_chars", "connection_id", "connector_id"}, name) {
			return reply{}, invalid("Unsupported query parameter: "+name, "")
		}
	}
	r, wrong := st.find(a.PathValue("id"))
	if wrong != nil {
		return reply{}, wrong
	}
	f := st.field(a.one("field"))
	if f == nil {
		return reply{}, refuse(http.StatusForbidden, "field_not_granted", "field '"+a.one("field")+"' is not within the granted projection for this stream")
	}
	text, ok := r.data[f.name].(string)
	if !ok {
		return reply{}, refuse(http.StatusUnprocessableEntity, "field_not_text",
			"field '"+f.name+"' is "+f.kind+", not a readable text field; non-text and binary fields are metadata-only")
	}
	w, wrong := windowOf(a, f.name, []rune(text))
	if wrong != nil {
		return reply{}, wrong
	}
	return reply{body: envelope(a, object{
		"object": "field_window", "record_id": r.id, "stream": st.name, "url": a.URL.Path,
		"field": object{"path": f.name, "type": f.kind}, "window": w,
	}, "")}, nil
}

func windowOf(a asked, field string, text []rune) (object, *refusal) {
	numbers := map[string]int{"offset_chars": 0, "limit_chars": defaultWindow, "before_chars": defaultAround, "after_chars": defaultAround}
	for name := range numbers {
		if value := a.one(name); value != "" {
			number, err := strconv.Atoi(value)
			if err != nil || number < 0 || number > maxWindow && name != "offset_chars" {
				return nil, invalid(name+" is out of range", name)
			}
			numbers[name] = number
		}
	}
	start, limit := min(numbers["offset_chars"], len(text)), numbers["limit_chars"]
	var matchStart, matchEnd any
	if q := a.one("q"); q != "" {
		at := strings.Index(strings.ToLower(string(text)), strings.ToLower(q))
		if at < 0 {
			return nil, refuse(http.StatusNotFound, "query_not_found", "q was not found in field '"+field+"'")
		}
		from := utf8.RuneCountInString(string(text)[:at])
		to := from + utf8.RuneCountInString(q)
		matchStart, matchEnd = from, to
		start = max(0, from-numbers["before_chars"])
		limit = to + numbers["after_chars"] - start
	}
	end := min(start+limit, len(text))
	var next, previous any
	if end < len(text) {
		next = end
	}
	if start > 0 {
		previous = max(0, start-limit)
	}
	return object{
		"text": string(text[start:end]), "start_chars": start, "end_chars": end, "limit_chars": limit, "total_chars": len(text),
		"complete": start == 0 && end == len(text), "has_more": end < len(text), "next_offset_chars": next,
		"previous_offset_chars": previous, "match_start_chars": matchStart, "match_end_chars": matchEnd,
	}, nil
}
