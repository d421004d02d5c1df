package pdpp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"issues-index/tools"
)

// What a schema in structured output may take, in bytes: all streams, and one of them.
// An answer's own budget holds besides.
const (
	maxSchema       = 60_000
	maxStreamSchema = 6_000
)

// legend tells how the compact notation of a field is read. It goes with every answer
// that has the notation.
const legend = "Field notation: t=type, eq=exact filter, r=range filter operators, lex=lexical search, sem=semantic search, " +
	"a=aggregations, g=false not granted; declared=known by name only."

// declaredOnly is said of a token whose schema advertises no capability at all.
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
			a, err := c.get(ctx, "/v1/schema", schemaQuery(cmp.Or(detail, "compact"), stream, connection))
			if err != nil {
				return tools.Result{}, err
			}
			d := description{client: c, answer: a, stream: stream, full: full, fields: fields}
			read(a.Body, &d.document)
			return args.Smaller(lastDescription, d.show), nil
		},
	})
}

// schemaQuery asks for a schema. The compact form is a view, the full one a detail.
func schemaQuery(detail, stream, connection string) url.Values {
	query := url.Values{}
	if detail == "compact" {
		query.Set("view", detail)
	} else {
		query.Set("detail", detail)
	}
	if stream != "" {
		query.Set("stream", stream)
	}
	if connection != "" {
		query.Set("connection_id", connection)
	}
	return query
}

// A description is a schema document on its way to an answer.
type description struct {
	client   *Client
	answer   *response
	document schemaDocument
	stream   string
	full     bool
	fields   []string // that full detail is wanted of; nil for all
}

// lastDescription is the last level of show.
const lastDescription = 3

// show answers with the document: at level 0 as the RS gave it, unless that is over
// the limits of a schema; then with an index of it that says less the higher the
// level is.
func (d description) show(level int) tools.Result {
	rows := d.document.rows()
	body := struct {
		envelope
		Legend string `json:"legend,omitempty"`
	}{envelope: d.client.envelope(d.answer)}
	if d.fields != nil {
		body.Data = onlyFields(d.answer.Body, d.fields)
	}
	largest := maxSchema
	if d.stream != "" && !d.full {
		largest = maxStreamSchema
	}
	if level == 0 && len(body.Data) > largest {
		level = 1
	}
	index := index{level: level, scoped: d.stream != ""}
	var notes []string
	if level > 0 {
		body.Data = encode(index.document(rows))
		notes = append(notes, index.note(d, rows))
	}
	if slices.ContainsFunc(rows, func(r streamRow) bool { return len(r.Fields) > 0 }) && !d.full {
		body.Legend = legend
	}
	if declared(rows) {
		notes = append(notes, declaredOnly)
	}
	body.Note = sentences(notes)
	text := d.heading(rows)
	for _, note := range notes {
		text += "\n" + note
	}
	if body.Legend != "" && d.stream != "" {
		text += "\n" + legend
	}
	if d.full && level == 0 {
		text += "\n" + inLine(body.Data)
	} else {
		text += "\n" + strings.Join(index.lines(rows), "\n")
	}
	return tools.Result{Text: strings.TrimSuffix(text, "\n"), Structured: body, Items: len(rows)}
}

// heading says what there is and what to call next.
func (d description) heading(rows []streamRow) string {
	switch {
	case len(rows) == 0 && d.stream != "":
		return fmt.Sprintf("The grant covers no stream %s, or none of this connection. list_streams names those that it does.", quote(d.stream))
	case len(rows) == 0:
		return "The grant covers no stream. Ask the user which data it should cover."
	case d.stream != "":
		return fmt.Sprintf(`Schema of %s. Next: query_records {"stream":%s} reads it, aggregate counts it.`, escaped(d.stream), inLine(encode(d.stream)))
	}
	return fmt.Sprintf(`%s. Next: schema {"stream":%s} tells the fields of one, query_records reads it.`, count(len(rows), "stream"), inLine(encode(rows[0].Name)))
}

// declared reports whether the compact schema advertises no capability of any field.
func declared(rows []streamRow) bool {
	some := false
	for _, row := range rows {
		for _, raw := range row.Fields {
			if text, ok := textOf(raw); !ok || text != "declared" {
				return false
			}
			some = true
		}
	}
	return some
}

// onlyFields is a schema document whose rows say something of these fields only.
func onlyFields(document json.RawMessage, fields []string) json.RawMessage {
	return rewrite(document, func(name string, value json.RawMessage) (json.RawMessage, bool) {
		switch name {
		case "field_capabilities", "properties":
			kept := slices.DeleteFunc(members(value), func(m member) bool { return !slices.Contains(fields, m.name) })
			return object(kept), true
		}
		return value, false
	})
}

// rewrite returns JSON with the members that replace wants to be otherwise, at any
// depth; what was replaced is not looked into.
func rewrite(raw json.RawMessage, replace func(name string, value json.RawMessage) (json.RawMessage, bool)) json.RawMessage {
	if list := members(raw); list != nil {
		for i, m := range list {
			value, done := replace(m.name, m.value)
			if !done {
				value = rewrite(m.value, replace)
			}
			list[i].value = value
		}
		return object(list)
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || items == nil {
		return raw
	}
	for i, item := range items {
		items[i] = rewrite(item, replace)
	}
	return encode(items)
}
