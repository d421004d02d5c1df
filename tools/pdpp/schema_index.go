package pdpp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What an index shows at most.
const (
	detailedRows  = 50  // streams with their connections, in the text; the others by name
	mostOfRow     = 8   // connections of one stream
	mostNames     = 150 // names of streams, or of a stream's fields, at the last level
	longestCaps   = 60  // bytes of a field's capabilities in the text
	wideFieldText = 3000
)

// An index is a schema that is too large to be shown, in short. At level 1 a stream
// has its fields by capability if it is the only one that was asked for, and its
// connections; at level 2 its name and connections; at level 3 there are as many
// names as there is room for.
type index struct {
	level  int
	scoped bool // to one stream
}

// An indexRow is a stream in an index.
type indexRow struct {
	Name        string              `json:"name"`
	Connector   string              `json:"connector_key,omitempty"`
	Connections []string            `json:"connection_ids,omitempty"`
	FieldCount  int                 `json:"field_count,omitempty"`
	Fields      map[string][]string `json:"fields_by_capability,omitempty"`
	Names       []string            `json:"field_names,omitempty"`
	Relations   []string            `json:"expand_relations,omitempty"`
	Views       []string            `json:"views,omitempty"`
}

// document is the index in structured output.
func (x index) document(rows []streamRow) any {
	short := make([]indexRow, 0, len(rows))
	for i, row := range rows {
		if x.level == lastDescription && i == mostNames {
			break
		}
		one := indexRow{Name: row.Name}
		if x.level < lastDescription || x.scoped {
			if x.level == 1 || x.scoped {
				one.Connector, one.FieldCount = row.Connector, len(row.Fields)
				one.Relations, _ = row.relations()
				one.Views = row.views()
			}
			for _, c := range row.connections()[:min(mostOfRow, len(row.connections()))] {
				one.Connections = append(one.Connections, c.ID)
			}
		}
		switch names := slices.Sorted(maps.Keys(row.Fields)); {
		case !x.scoped:
		case x.level == 1:
			one.Fields = byCapability(row.Fields)
		default:
			one.Names = names[:min(mostNames, len(names))]
		}
		short = append(short, one)
	}
	return struct {
		Object  string     `json:"object"`
		Detail  string     `json:"detail"`
		Count   int        `json:"stream_count"`
		Streams []indexRow `json:"streams"`
	}{"schema", "index", len(rows), short}
}

// note says what the index leaves out and how to get it.
func (x index) note(d description, rows []streamRow) string {
	switch {
	case d.full && d.fields != nil:
		return "The full detail of these fields is too large for an answer: it is an index here. Pass fewer of them, one at a time at last."
	case d.full && len(rows) > 0:
		names := slices.Sorted(maps.Keys(rows[0].Fields))
		call := object([]member{{"stream", encode(d.stream)}, {"detail", encode("full")}, {"fields", encode(names[:min(2, len(names))])}})
		return fmt.Sprintf("The full detail is too large for an answer: it is an index here. schema %s has all of some fields.", inLine(call))
	case x.scoped && x.level > 1:
		return fmt.Sprintf(`The schema is too large for an answer: it has names of fields here, at most %d. schema with detail full and fields tells all of some.`, mostNames)
	case x.scoped:
		return "The schema is large: fields are grouped by what they can do. schema with detail full and fields tells all of some."
	case x.level == lastDescription && len(rows) > mostNames:
		return fmt.Sprintf("The schema is too large for an answer: %d of %d stream names are here. Pass a connection_id for the streams of one connection, or a stream.", mostNames, len(rows))
	}
	return "The schema is too large for an answer: it is an index here, without fields. Pass a stream for its fields."
}

// lines are the rows in the text.
func (x index) lines(rows []streamRow) (lines []string) {
	var rest []string
	for i, row := range rows {
		if i >= detailedRows || x.level == lastDescription && !x.scoped {
			if len(rest) < mostNames {
				rest = append(rest, row.Name)
			}
			continue
		}
		lines = append(lines, row.line())
		if x.scoped {
			lines = append(lines, x.fields(row)...)
		}
	}
	if len(rest) > 0 {
		lines = append(lines, "Streams by name: "+strings.Join(escapedAll(rest), " "))
	}
	return lines
}

// line names a stream and its connections.
func (r streamRow) line() string {
	line := escaped(r.Name)
	if r.Connector != "" {
		line += " connector_key=" + escaped(r.Connector)
	}
	of := r.connections()
	for i, c := range of {
		if i == mostOfRow {
			line += fmt.Sprintf(" and %d more connections", len(of)-i)
			break
		}
		line += " connection_id=" + escaped(c.ID)
		if c.Name != "" {
			line += " " + quote(c.Name)
		}
	}
	line += " " + count(len(r.Fields), "field")
	if names, _ := r.relations(); len(names) > 0 {
		line += ", expands " + someOf(names)
	}
	if names := r.views(); len(names) > 0 {
		line += ", views " + someOf(names)
	}
	return line
}

// fields are the lines of a stream's fields and relations.
func (x index) fields(row streamRow) (lines []string) {
	names := slices.Sorted(maps.Keys(row.Fields))
	if x.level > 1 {
		lines = append(lines, "fields: "+strings.Join(escapedAll(names[:min(mostNames, len(names))]), " "))
	} else if line := fieldLine(row.Fields, names); len(line) <= wideFieldText {
		lines = append(lines, line)
	} else {
		groups := byCapability(row.Fields)
		for _, capability := range slices.Sorted(maps.Keys(groups)) {
			lines = append(lines, capability+": "+strings.Join(escapedAll(groups[capability]), " "))
		}
	}
	expansions, _ := row.expansions()
	for _, raw := range expansions {
		lines = append(lines, "relation "+relationLine(raw))
	}
	return lines
}

// fieldLine has every field with what it can do behind it.
func fieldLine(fields map[string]json.RawMessage, names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = escaped(name) + "[" + capability(fields[name]) + "]"
	}
	return "fields: " + strings.Join(words, " ")
}

// capability is what a field can do, in the compact notation or, from a full schema,
// as the names of what is usable.
func capability(raw json.RawMessage) string {
	if text, ok := textOf(raw); ok {
		return shorten(escaped(text), longestCaps)
	}
	var usable []string
	for _, m := range members(raw) {
		if isUsable(m.value) {
			usable = append(usable, m.name)
		}
		for _, inner := range members(m.value) { // of aggregation
			if isUsable(inner.value) {
				usable = append(usable, inner.name)
			}
		}
	}
	if len(usable) == 0 {
		return "declared"
	}
	return shorten(strings.Join(escapedAll(usable), ","), longestCaps)
}

func isUsable(raw json.RawMessage) bool {
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

// relationLine is a relation in the text.
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
