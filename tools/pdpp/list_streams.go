package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"issues-index/tools"
)

// A streamEntry is one stream of one connection.
type streamEntry struct {
	Name         string          `json:"name"`
	Records      json.RawMessage `json:"record_count"`
	Updated      string          `json:"last_updated"`
	ConnectionID string          `json:"connection_id"`
	DisplayName  string          `json:"display_name"`
	Connector    string          `json:"connector_key"`
}

func listStreams(c *Client) tools.Tool {
	return reading(tools.Tool{
		NeedsObject: true,
		Name:        "list_streams",
		Description: "List the streams that the grant covers, with connection_id and record counts: GET /v1/streams. Read-only." + served +
			" Next: schema with one stream; connection_id narrows.",
		Input:  tools.ObjectSchema(`"connection_id":` + anyText),
		Output: answered(),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			query := url.Values{}
			readConnection(args, query)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			p, err := c.list(ctx, "/v1/streams", query)
			if err != nil {
				return tools.Result{}, err
			}
			// A grant has many streams or few, never a next page: names are what must
			// stay when there are too many.
			return args.Smaller(2, func(level int) tools.Result { return c.streams(p, level) }), nil
		},
	})
}

// streams shows the streams: at level 0 all that is known of them, at 1 what a call
// needs, at 2 as many as there is room for.
func (c *Client) streams(p *page, level int) tools.Result {
	const most = 60
	e := c.envelope(p.answer)
	rows, note := p.Rows, ""
	if level > 1 && len(rows) > most {
		note = fmt.Sprintf("%d more streams are left out to fit; pass a connection_id for its streams alone.", len(rows)-most)
		rows = rows[:most]
	}
	var lines []string
	short := make([]json.RawMessage, 0, len(rows))
	for _, raw := range rows {
		var s streamEntry
		if !read(raw, &s) || s.Name == "" {
			lines, short = append(lines, preview{"", brief(raw, mostPreview)}.line()), append(short, raw)
			continue
		}
		lines = append(lines, s.line(level > 0))
		short = append(short, encode(struct {
			Name         string          `json:"name"`
			Records      json.RawMessage `json:"record_count,omitempty"`
			ConnectionID string          `json:"connection_id,omitempty"`
		}{s.Name, s.Records, s.ConnectionID}))
	}
	if level > 0 {
		e.Data = withRows(p.answer.Body, short...)
		note = strings.TrimSpace("Each stream has only its name, count and connection here, to fit. " + note)
	}
	e.Note = note
	head := []string{count(len(p.Rows), "stream") + "."}
	var first streamEntry
	if len(p.Rows) > 0 && read(p.Rows[0], &first) {
		head[0] += fmt.Sprintf(` Next: schema {"stream":%s} tells what one takes, query_records {"stream":%s} reads it.`, inLine(encode(first.Name)), inLine(encode(first.Name)))
	} else {
		head[0] = "The grant covers no stream, or none of this connection."
	}
	if note != "" {
		head = append(head, note)
	}
	head = append(head, warnings(p.Meta.Warnings)...)
	return tools.Result{Text: strings.Join(append(head, lines...), "\n"), Structured: e, Items: len(lines)}
}

// line is a stream in the text.
func (s streamEntry) line(short bool) string {
	line := escaped(s.Name)
	if records := brief(s.Records, 20); records != "" && records != "null" {
		line += " " + records + " records"
	}
	if s.Updated != "" && !short {
		line += " updated " + tools.Line(s.Updated)
	}
	if s.ConnectionID != "" {
		line += " connection_id=" + escaped(s.ConnectionID)
	}
	if s.DisplayName != "" {
		line += " " + quote(s.DisplayName)
	}
	if s.Connector != "" && !short {
		line += " connector_key=" + escaped(s.Connector)
	}
	return line
}
