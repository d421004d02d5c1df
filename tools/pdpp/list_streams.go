package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

// A streamEntry is a stream of one connection in the list of streams.
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
			return unpaged(args, len(p.Rows), func(shown int, short bool) tools.Result { return c.streams(p, shown, short) }), nil
		},
	})
}

// streams shows the first streams: all that is known of each or, in short, what a call needs.
func (c *Client) streams(p *listPage, shown int, short bool) tools.Result {
	e := c.envelope(p.response)
	var notes []string
	if short {
		notes = append(notes, "Each stream has only its name, count and connection here, to fit.")
	}
	if left := len(p.Rows) - shown; left > 0 {
		notes = append(notes, fmt.Sprintf("%d more streams are left out to fit; pass a connection_id for its streams alone.", left))
	}
	var lines []string
	rows := make([]json.RawMessage, shown)
	for i, raw := range p.Rows[:shown] {
		var s streamEntry
		if !read(raw, &s) || s.Name == "" {
			lines, rows[i] = append(lines, preview{"", brief(raw, mostPreview)}.line()), raw
			continue
		}
		lines, rows[i] = append(lines, s.line(short)), only(raw, "name", "record_count", "connection_id")
	}
	if short {
		e.Data = withRows(p.response.Body, rows...)
	}
	e.Note = strings.Join(notes, " ")
	heading := "The grant covers no stream, or none of this connection."
	if len(p.Rows) > 0 {
		heading = words.Count(len(p.Rows), "stream") + "."
		var first streamEntry
		if read(p.Rows[0], &first) {
			heading += fmt.Sprintf(" Next: %s tells what one takes, %s reads it.", callOf("schema", "stream", first.Name), callOf("query_records", "stream", first.Name))
		}
	}
	head := append(append([]string{heading}, notes...), warnings(p.Meta.Warnings)...)
	return tools.Result{Text: strings.Join(append(head, lines...), "\n"), Structured: e, Items: len(lines)}
}

// line returns the stream as the text has it.
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
