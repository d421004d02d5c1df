package pdpp

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

func queryRecords(c *Client) tools.Tool {
	return reading(tools.Tool{
		NeedsObject: true,
		Name:        "query_records",
		Description: "Read a page of a stream's records: GET /v1/streams/{stream}/records. Read-only. " +
			"Text previews them." + served + " Page with cursor, narrow with fields and limit; use aggregate or search when whole records are not needed. What a stream takes: schema.",
		Input: tools.ObjectSchema(`"stream":`+anyText+`,"limit":{"type":"integer","minimum":1,"maximum":100},"cursor":`+anyText+
			`,"order":{"type":"string","enum":["asc","desc"]},"sort":`+anyText+`,"count":{"type":"string","enum":["none","estimated","exact"]},`+
			filterInput+`,"fields":`+anyTexts+`,"view":`+anyText+`,`+expandInput+
			`,"changes_since":{"type":"string","description":"beginning, or a next_changes_since"},"connection_id":`+anyText, "stream"),
		Output: answered(),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			query := url.Values{}
			stream := unescaped(args.Required("stream"))
			path := "/v1/streams/" + segment(args, "stream", stream) + "/records"
			connection := readConnection(args, query)
			readLimit(args, query)
			readNames(args, query, "sort", "view")
			readTexts(args, query, "cursor", "changes_since")
			readEnum(args, query, "order", "asc", "desc")
			readEnum(args, query, "count", "none", "estimated", "exact")
			query["fields"] = givenNames(args, "fields")
			readFilter(args, query)
			relations := readExpand(args, query)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			if query.Has("cursor") && query.Has("changes_since") {
				query.Del("changes_since")
				args.Note("changes_since was left out: the cursor continues the changes that it came from")
			}
			if err := c.checkExpand(ctx, stream, connection, relations); err != nil {
				return tools.Result{}, err
			}
			return c.fitted(ctx, args, listRequest{path: path, query: query, last: onlyIDs, show: func(p *listPage, level int) pageView {
				return c.records(args, stream, p, level)
			}})
		},
	})
}

// records shows a page of records: all of it at level 0, less of each record above.
func (c *Client) records(args *tools.Args, stream string, p *listPage, level int) pageView {
	e := c.envelope(p.response)
	notes := p.notes("query_records", args)
	if level > 0 {
		rows, note := cutRecords(p.Rows, stream, level)
		e.Data = withRows(p.response.Body, rows...)
		if note != "" {
			notes = append(notes, note)
		}
	}
	e.Note = strings.Join(notes, " ")
	rows := make([]preview, len(p.Rows))
	for i, raw := range p.Rows {
		rows[i] = rowPreview(raw, stream)
	}
	heading := words.Count(len(rows), "record") + " of " + escaped(stream)
	if total := p.total(); total != "" {
		heading = fmt.Sprintf("%d of %s records of %s", len(rows), total, escaped(stream))
	}
	text, hidden := p.text("query_records", args, heading, rows, notes)
	return pageView{tools.Result{Text: text, Structured: e, Items: len(rows)}, hidden}
}
