package pdpp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

// What a schema may take in structured output, in bytes: of all streams, and of one. The
// answer's own budget holds, too.
const (
	maxSchema       = 60_000
	maxStreamSchema = 6_000
)

// notation explains the compact notation of a field. It goes with every answer that has it.
const notation = "Field notation: t=type, eq=exact filter, r=range filter operators, lex=lexical search, sem=semantic search, " +
	"a=aggregations, g=false not granted; declared=known by name only."

// declaredOnly is the note on a schema that advertises no capability to this token.
const declaredOnly = "Every field says declared: no filter, view or relation is advertised as usable for this token. It may use " +
	withClientToken + "."

func schemaTool(c *Client) tools.Tool {
	return reading(tools.Tool{
		NeedsObject: true,
		Name:        "schema",
		Description: "Read what the grant covers and what calls may use: streams, fields, filter operators, relations, connections: GET /v1/schema. Read-only. " +
			"Compact by default; detail full needs stream." + served + " Scope it with stream.",
		Input: tools.ObjectSchema(`"detail":{"type":"string","enum":["compact","full"]},"stream":` + anyText + `,"connection_id":` + anyText +
			`,"fields":{"type":"array","items":` + anyText + `,"description":"with detail full: only these"}`),
		Output: answered(`"legend":` + anyText),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			detail := args.Enum("detail", "compact", "full")
			stream, connection, fields := givenName(args, "stream"), givenName(args, "connection_id"), givenNames(args, "fields")
			if stream != "" {
				checkName(args, "stream", stream)
			}
			if connection != "" {
				checkName(args, "connection_id", connection)
			}
			full := detail == "full"
			switch {
			case full && stream == "":
				args.Fail(tools.Errorf(tools.CodeMissingField, "detail full needs a stream.").On("stream").
					Try("Call schema without detail first; it names the streams."))
			case !full && fields != nil:
				args.Fail(tools.Errorf(tools.CodeValidation, "fields goes with detail full.").On("fields").
					Try(`Pass detail: "full" and a stream, or leave fields out.`))
			}
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			r, err := c.get(ctx, "/v1/schema", schemaQuery(cmp.Or(detail, "compact"), stream, connection))
			if err != nil {
				return tools.Result{}, err
			}
			d := schemaAnswer{client: c, response: r, stream: stream, full: full, fields: fields}
			var document schemaDocument
			read(r.Body, &document)
			d.streams = document.streams()
			return args.Smaller(2, d.show), nil
		},
	})
}

// schemaQuery asks for a schema. The compact form is a view, the full one a detail.
func schemaQuery(detail, stream, connection string) url.Values {
	query := url.Values{}
	name := map[string]string{"compact": "view", "full": "detail"}[detail]
	for name, value := range map[string]string{name: detail, "stream": stream, "connection_id": connection} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// A schemaAnswer is a schema document on its way to an answer.
type schemaAnswer struct {
	client   *Client
	response *rsResponse
	streams  []streamSchema
	stream   string // that was asked for, "" for all
	full     bool
	fields   []string // that full detail is wanted of; nil for all
}

// show answers with the document: at level 0 as the RS gave it, unless that is over the
// limits of a schema; at level 1 with an index of it, at level 2 with names.
func (d schemaAnswer) show(level int) tools.Result {
	body := struct {
		envelope
		Legend string `json:"legend,omitempty"`
	}{envelope: d.client.envelope(d.response)}
	if d.fields != nil {
		body.Data = onlyFields(d.response.Body, d.fields)
	}
	largest := maxSchema
	if d.stream != "" && !d.full {
		largest = maxStreamSchema
	}
	if level == 0 && len(body.Data) > largest {
		level = 1
	}
	lines := []string{d.heading()}
	var notes []string
	if level > 0 {
		body.Data = encode(d.index(level))
		notes = append(notes, d.indexNote(level))
	}
	if d.nothingAdvertised() {
		notes = append(notes, declaredOnly)
	}
	body.Note = strings.Join(notes, " ")
	lines = append(lines, notes...)
	if !d.full && slices.ContainsFunc(d.streams, func(s streamSchema) bool { return len(s.Fields) > 0 }) {
		body.Legend = notation
		if d.stream != "" {
			lines = append(lines, notation)
		}
	}
	if d.full && level == 0 {
		lines = append(lines, inLine(body.Data))
	} else {
		lines = append(lines, d.lines(level)...)
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: body, Items: len(d.streams)}
}

// heading says what the schema has and what to call next.
func (d schemaAnswer) heading() string {
	switch {
	case len(d.streams) == 0 && d.stream != "":
		return fmt.Sprintf("The grant covers no stream %s, or none of this connection. list_streams names the streams that it covers.", quote(d.stream))
	case len(d.streams) == 0:
		return "The grant covers no stream. Ask the user which data it should cover."
	case d.stream != "":
		return fmt.Sprintf(`Schema of %s. Next: %s reads it, aggregate counts it.`, escaped(d.stream), callOf("query_records", "stream", d.stream))
	}
	return fmt.Sprintf(`%s. Next: %s tells the fields of one, query_records reads it.`, words.Count(len(d.streams), "stream"), callOf("schema", "stream", d.streams[0].Name))
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
