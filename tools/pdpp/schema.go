package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

const schemaPath = "/v1/schema"

// notation explains the compact notation of a field. It goes with every answer that has it.
const notation = "Field notation: t=type, eq=exact filter, r=range filter operators, lex=lexical search, " +
	"sem=semantic search, " +
	"a=aggregations, g=false not granted; declared=known by name only."

// declaredOnly is the note on a schema that advertises no capability to this token.
const declaredOnly = "Every field says declared: no filter, view or relation is advertised as usable for this " +
	"token. It may use " +
	withClientToken + "."

// checkDetail refuses parameters of schema that do not go together.
func checkDetail(c *call) {
	switch full := c.query.Get("detail") == "full"; {
	case full && c.names["stream"] == "":
		c.refuse(tools.CodeMissingField, "stream", "Call schema without detail first; it names the streams.",
			"detail full needs a stream.")
	case !full && c.query.Has("fields"):
		c.refuse(tools.CodeValidation, "fields", `Pass detail: "full" and a stream, or leave fields out.`,
			"fields goes with detail full.")
	}
}

// schema answers with the schema document of the RS or, where that does not fit, with an index
// of it.
func schema(ctx context.Context, c *call) (tools.Result, error) {
	full, fields := c.query.Get("detail") == "full", c.query["fields"]
	c.query.Del("fields")
	if !full { // the compact form is a view of the RS, the full one a detail
		c.query.Del("detail")
		c.query.Set("view", "compact")
	}
	r, err := c.get(ctx)
	if err != nil {
		return tools.Result{}, err
	}
	var document schemaDocument
	read(r.Body, &document)
	d := schemaAnswer{call: c, response: r, streams: document.streams(), stream: c.names["stream"], full: full}
	if fields != nil {
		r.Body = onlyFields(r.Body, fields)
	}
	return c.args.Smaller(5, d.show), nil
}

// A schemaAnswer is a schema document on its way to an answer.
type schemaAnswer struct {
	*call
	response *rsResponse
	streams  []streamSchema
	stream   string // that was asked for, "" for all
	full     bool
}

// show answers with the document: at level 0 as the RS gave it, above with an index that has
// half as many names at each level.
func (d schemaAnswer) show(level int) tools.Result {
	body := struct {
		envelope
		Legend string `json:"legend,omitempty"`
	}{envelope: d.envelope(d.response)}
	most := math.MaxInt // names of streams, or of a stream's fields
	if level > 0 {
		most = 1600 >> level
	}
	index := d.index(most)
	var notes []string
	if level > 0 {
		body.Data = encode(map[string]any{
			"object": "schema", "detail": "index", "stream_count": len(d.streams), "streams": append([]indexed{}, index...),
		})
		notes = append(notes, d.indexNote(most))
	}
	if d.nothingAdvertised() {
		notes = append(notes, declaredOnly)
	}
	body.Note = strings.Join(notes, " ")
	lines := append([]string{d.heading()}, notes...)
	if !d.full && len(d.streams) > 0 {
		body.Legend = notation
		if d.stream != "" {
			lines = append(lines, notation)
		}
	}
	if d.full && level == 0 {
		lines = append(lines, inLine(body.Data))
	} else {
		for _, row := range index {
			lines = append(lines, inLine(encode(row)))
		}
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: body, Items: len(d.streams)}
}

// heading says what the schema has.
func (d schemaAnswer) heading() string {
	switch {
	case len(d.streams) > 0 && d.stream != "":
		return "Schema of " + shown(d.stream) + "."
	case len(d.streams) > 0:
		return words.Count(len(d.streams), "stream") + "."
	case d.stream != "":
		return "The grant covers no stream " + quote(d.stream) + ", or none of this connection. " + seeStreams
	}
	return "The grant covers no stream. Ask the user which data it should cover."
}

// nothingAdvertised reports whether a compact schema only declares its fields.
func (d schemaAnswer) nothingAdvertised() bool {
	some := false
	for _, s := range d.streams {
		for _, raw := range s.Fields {
			if text, ok := textOf(raw); !ok || text != "declared" {
				return false
			}
			some = true
		}
	}
	return some
}

// An indexed is a stream in an index or, where all streams are asked for, the streams of one
// connector.
type indexed struct {
	Name        string              `json:"name,omitempty"`
	Streams     []string            `json:"streams,omitempty"`
	Connector   string              `json:"connector_key,omitempty"`
	Connections []connection        `json:"connections,omitempty"`
	Fields      map[string][]string `json:"fields_by_capability,omitempty"`
	Relations   json.RawMessage     `json:"expand_capabilities,omitempty"`
	Views       json.RawMessage     `json:"views,omitempty"`
}

// index returns the index, with at most so many names.
func (d schemaAnswer) index(most int) (list []indexed) {
	for _, s := range d.streams[:min(most, len(d.streams))] {
		of := indexed{Connector: s.Connector, Connections: s.connections()}
		last := len(list) - 1
		switch {
		case d.stream != "":
			of.Name, of.Fields, of.Relations, of.Views = s.Name, s.byCapability(most), s.Expand, s.Views
		case last >= 0 && list[last].Connector == of.Connector && slices.Equal(list[last].Connections, of.Connections):
			list[last].Streams = append(list[last].Streams, s.Name)
			continue
		default:
			of.Streams = []string{s.Name}
		}
		list = append(list, of)
	}
	return list
}

// indexNote says what the index leaves out and how to get it.
func (d schemaAnswer) indexNote(most int) string {
	note := "The schema is too large for an answer: it is an index here"
	if d.stream == "" {
		return fmt.Sprintf("%s, of %d of %d streams and without fields. Pass a stream for its fields, or a connection_id.",
			note, min(most, len(d.streams)), len(d.streams))
	}
	var names []string
	for _, s := range d.streams {
		names = append(names, slices.Sorted(maps.Keys(s.Fields))...)
	}
	return fmt.Sprintf("%s, of %d of %d fields by what they can do. %s tells everything about some, down to one at a "+
		"time.",
		note, min(most, len(names)), len(names),
		callOf("schema", "stream", d.stream, "detail", "full", "fields", names[:min(2, len(names))]))
}

// byCapability groups the first fields by what they can do, in the compact notation.
func (s streamSchema) byCapability(most int) map[string][]string {
	groups := make(map[string][]string)
	names := slices.Sorted(maps.Keys(s.Fields))
	for _, name := range names[:min(most, len(names))] {
		can, compact := textOf(s.Fields[name])
		if !compact {
			can = "see detail compact"
		}
		groups[can] = append(groups[can], name)
	}
	return groups
}

// onlyFields returns a schema document that tells only of these fields.
func onlyFields(raw json.RawMessage, fields []string) json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) == nil && items != nil {
		for i, item := range items {
			items[i] = onlyFields(item, fields)
		}
		return encode(items)
	}
	object := members(raw)
	if object == nil {
		return raw
	}
	for i, m := range object {
		if m.Name == "field_capabilities" || m.Name == "properties" {
			object[i].Value = only(m.Value, fields...)
		} else {
			object[i].Value = onlyFields(m.Value, fields)
		}
	}
	return encode(object)
}
