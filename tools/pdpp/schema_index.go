package pdpp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"issues-index/store/words"
)

// What an index of a schema has at most.
const (
	detailedStreams = 50   // in the text; the others are named
	mostConnections = 8    // of one stream
	mostNames       = 150  // of streams, or of a stream's fields
	maxCapabilities = 60   // bytes of what one field can do, in the text
	maxFieldLine    = 3000 // bytes of a line that has every field with what it can do
)

// An indexedStream is a stream in the index of a schema that is too large to be shown.
type indexedStream struct {
	Name        string              `json:"name"`
	Connector   string              `json:"connector_key,omitempty"`
	Connections []string            `json:"connection_ids,omitempty"`
	FieldCount  int                 `json:"field_count,omitempty"`
	Fields      map[string][]string `json:"fields_by_capability,omitempty"`
	FieldNames  []string            `json:"field_names,omitempty"`
	Relations   []string            `json:"expand_relations,omitempty"`
	Views       []string            `json:"views,omitempty"`
}

// index returns the index: of one stream all but its fields' details, of many streams
// their connections at level 1 and only their names at level 2.
func (d schemaAnswer) index(level int) any {
	streams := d.streams
	if level > 1 {
		streams = streams[:min(mostNames, len(streams))]
	}
	list := make([]indexedStream, len(streams))
	for i, s := range streams {
		list[i].Name = s.Name
		if level > 1 && d.stream == "" {
			continue
		}
		list[i].Connector, list[i].FieldCount, list[i].Views = s.Connector, len(s.Fields), s.views()
		list[i].Relations, _ = s.relations()
		for _, c := range s.connections()[:min(mostConnections, len(s.connections()))] {
			list[i].Connections = append(list[i].Connections, c.ID)
		}
		switch {
		case d.stream == "":
		case level > 1:
			list[i].FieldNames = s.fieldNames()
		default:
			list[i].Fields = byCapability(s.Fields)
		}
	}
	return struct {
		Object  string          `json:"object"`
		Detail  string          `json:"detail"`
		Count   int             `json:"stream_count"`
		Streams []indexedStream `json:"streams"`
	}{"schema", "index", len(d.streams), list}
}

// indexNote says what the index leaves out and how to get it.
func (d schemaAnswer) indexNote(level int) string {
	switch {
	case d.full && d.fields != nil:
		return "The full detail of these fields is too large for an answer: it is an index here. Pass fewer of them, down to one at a time."
	case d.full && len(d.streams) > 0:
		names := d.streams[0].fieldNames()
		return fmt.Sprintf("The full detail is too large for an answer: it is an index here. %s tells everything about some fields.",
			callOf("schema", "stream", d.stream, "detail", "full", "fields", names[:min(2, len(names))]))
	case d.stream != "" && level > 1:
		return fmt.Sprintf(`The schema is too large for an answer: it has names of fields here, at most %d. schema with detail full and fields tells everything about some.`, mostNames)
	case d.stream != "":
		return "The schema is large: fields are grouped by what they can do. schema with detail full and fields tells everything about some."
	case level > 1 && len(d.streams) > mostNames:
		return fmt.Sprintf("The schema is too large for an answer: %d of %d stream names are here. Pass a connection_id for the streams of one connection, or a stream.", mostNames, len(d.streams))
	}
	return "The schema is too large for an answer: it is an index here, without fields. Pass a stream for its fields."
}

// lines returns the streams as the text has them.
func (d schemaAnswer) lines(level int) (lines []string) {
	var named []string
	for i, s := range d.streams {
		switch {
		case i < detailedStreams && (level < 2 || d.stream != ""):
			lines = append(lines, s.line())
			if d.stream != "" {
				lines = append(lines, s.fieldLines(level)...)
			}
		case len(named) < mostNames:
			named = append(named, s.Name)
		}
	}
	if len(named) > 0 {
		lines = append(lines, "Streams by name: "+strings.Join(escapedAll(named), " "))
	}
	return lines
}

// line names a stream and its connections.
func (s streamSchema) line() string {
	line := escaped(s.Name)
	if s.Connector != "" {
		line += " connector_key=" + escaped(s.Connector)
	}
	of := s.connections()
	for i, c := range of {
		if i == mostConnections {
			line += fmt.Sprintf(" and %d more connections", len(of)-i)
			break
		}
		line += " connection_id=" + escaped(c.ID)
		if c.Name != "" {
			line += " " + quote(c.Name)
		}
	}
	line += " " + words.Count(len(s.Fields), "field")
	if names, _ := s.relations(); len(names) > 0 {
		line += ", expands " + someOf(names)
	}
	if names := s.views(); len(names) > 0 {
		line += ", views " + someOf(names)
	}
	return line
}

// fieldNames returns the names of the first fields.
func (s streamSchema) fieldNames() []string {
	names := slices.Sorted(maps.Keys(s.Fields))
	return names[:min(mostNames, len(names))]
}

// fieldLines returns the lines of a stream's fields and relations.
func (s streamSchema) fieldLines(level int) (lines []string) {
	var each []string
	for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
		each = append(each, escaped(name)+"["+capability(s.Fields[name])+"]")
	}
	if line := "fields: " + strings.Join(each, " "); level > 1 {
		lines = append(lines, "fields: "+strings.Join(escapedAll(s.fieldNames()), " "))
	} else if len(line) <= maxFieldLine {
		lines = append(lines, line)
	} else {
		groups := byCapability(s.Fields)
		for _, capability := range slices.Sorted(maps.Keys(groups)) {
			lines = append(lines, capability+": "+strings.Join(escapedAll(groups[capability]), " "))
		}
	}
	var relations []json.RawMessage
	read(s.Expand, &relations)
	for _, raw := range relations {
		lines = append(lines, "relation "+relationLine(raw))
	}
	return lines
}

// capability returns what a field can do: the compact notation or, from a full schema,
// the names of what is usable.
func capability(raw json.RawMessage) string {
	if text, ok := textOf(raw); ok {
		return words.CutBytes(escaped(text), maxCapabilities)
	}
	var names []string
	for _, m := range members(raw) {
		if usable(m.Value) {
			names = append(names, m.Name)
		}
		for _, inner := range members(m.Value) { // of aggregation
			if usable(inner.Value) {
				names = append(names, inner.Name)
			}
		}
	}
	if len(names) == 0 {
		return "declared"
	}
	return words.CutBytes(strings.Join(escapedAll(names), ","), maxCapabilities)
}

func usable(raw json.RawMessage) bool {
	var one struct {
		Usable bool `json:"usable"`
	}
	return read(raw, &one) && one.Usable
}

// byCapability groups fields by what they can do.
func byCapability(fields map[string]json.RawMessage) map[string][]string {
	groups := make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		can := capability(fields[name])
		groups[can] = append(groups[can], name)
	}
	return groups
}

// relationLine returns a relation as the text has it.
func relationLine(raw json.RawMessage) string {
	var r struct {
		Name        string `json:"name"`
		Target      string `json:"target_stream"`
		Cardinality string `json:"cardinality"`
		Default     int    `json:"default_limit"`
		Max         int    `json:"max_limit"`
	}
	if !read(raw, &r) || r.Name == "" {
		return brief(raw, 120)
	}
	line := escaped(r.Name) + " to " + escaped(r.Target) + " " + escaped(r.Cardinality)
	if r.Max > 0 {
		line += fmt.Sprintf(", expand_limit %d by default, at most %d", r.Default, r.Max)
	}
	return line
}
