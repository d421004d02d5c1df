package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"issues-index/tools"
)

// maxLimit is the largest page that an RS gives.
const maxLimit = 100

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
			stream := args.Required("stream")
			path := "/v1/streams/" + segment(args, "stream", stream) + "/records"
			connection := readConnection(args, query)
			readLimit(args, query)
			readTexts(args, query, "cursor", "sort", "view", "changes_since")
			readEnum(args, query, "order", "asc", "desc")
			readEnum(args, query, "count", "none", "estimated", "exact")
			for _, field := range args.Names("fields") {
				query.Add("fields", field)
			}
			readFilter(args, query)
			relations := readExpand(args, query)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			if err := c.gate(ctx, stream, connection, relations); err != nil {
				return tools.Result{}, err
			}
			return c.fitted(ctx, args, path, query, func(p *page, level int) tools.Result {
				return c.records(args, stream, p, level)
			})
		},
	})
}

// shorter are the characters that long texts of a lone record are cut to, one after
// the other, until it fits.
var shorter = []int{2000, 800, 300, 80}

// records shows a page of records. Level 0 is all of it; above, the long texts of a
// lone record are cut.
func (c *Client) records(args *tools.Args, stream string, p *page, level int) tools.Result {
	e := c.envelope(p.answer)
	notes := p.notes("query_records", args)
	if level > 0 && len(p.Rows) == 1 {
		row, cut := shortened(p.Rows[0], shorter[level-1])
		var r record
		read(row, &r)
		notes = append(notes, cut.note(r.handle(stream)))
		e.Data = withRows(p.answer.Body, row)
	}
	e.Note = sentences(notes)

	rows := make([]preview, 0, len(p.Rows))
	for _, raw := range p.Rows {
		rows = append(rows, rowPreview(raw, stream))
	}
	first := count(len(p.Rows), "record") + " of " + tools.Plain(stream)
	if total := p.total(); total != "" {
		first = fmt.Sprintf("%d of %s records of %s", len(p.Rows), total, tools.Plain(stream))
	}
	text := p.text("query_records", args, first, rows, notes)
	return tools.Result{Text: text, Structured: e, Items: len(rows)}
}

// text is the summary of a page.
func (p *page) text(tool string, args *tools.Args, first string, rows []preview, notes []string) string {
	handle := firstID(rows)
	first += "."
	if handle != "" {
		first += " first_fetch_id=" + handle
	}
	head := []string{first}
	for _, note := range notes {
		if note != "" {
			head = append(head, note)
		}
	}
	head = append(head, warnings(p.Meta.Warnings)...)
	return summarize(head, rows, handle, func(fit int) string {
		return nextCall(tool, args, limitTo(fit)) + " has shorter pages."
	})
}

// notes are the sentences on how to go on.
func (p *page) notes(tool string, args *tools.Args) []string {
	notes := []string{p.shrunk()}
	switch {
	case p.cursor() != "":
		changes := p.changes()
		if p.asked > 0 {
			changes = append(changes, limitTo(len(p.Rows)))
		}
		notes = append(notes, "Next page: "+nextCall(tool, args, changes...))
	case p.HasMore:
		notes = append(notes, "More match, and there is no cursor to them: narrow the question.")
	}
	if p.NextChanges != "" {
		notes = append(notes, "next_changes_since="+string(p.NextChanges))
	}
	return notes
}

// sentences joins notes; empty ones are left out.
func sentences(notes []string) string {
	var given []string
	for _, note := range notes {
		if note != "" {
			given = append(given, note)
		}
	}
	return strings.Join(given, " ")
}

// withRows is a list with other rows in place of its own.
func withRows(body json.RawMessage, rows ...json.RawMessage) json.RawMessage {
	list := members(body)
	for i, m := range list {
		if m.name == "data" {
			list[i].value = encode(rows)
		}
	}
	return object(list)
}

// readLimit puts the limit, if there is one, into a query.
func readLimit(args *tools.Args, query url.Values) {
	if limit := args.Int("limit", 1, maxLimit, 0); limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
}

// readTexts puts arguments into a query as they are.
func readTexts(args *tools.Args, query url.Values, names ...string) {
	for _, name := range names {
		if text := args.String(name); text != "" {
			query.Set(name, text)
		}
	}
}

// readEnum puts one of the allowed values into a query.
func readEnum(args *tools.Args, query url.Values, name string, allowed ...string) {
	if value := args.Enum(name, allowed...); value != "" {
		query.Set(name, value)
	}
}
