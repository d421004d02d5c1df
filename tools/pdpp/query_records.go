package pdpp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
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
			stream := unescaped(args.Required("stream"))
			path := "/v1/streams/" + segment(args, "stream", stream) + "/records"
			connection := readConnection(args, query)
			readLimit(args, query)
			putNames(args, query, "sort", "view")
			readTexts(args, query, "cursor", "changes_since")
			readEnum(args, query, "order", "asc", "desc")
			readEnum(args, query, "count", "none", "estimated", "exact")
			for _, field := range givenNames(args, "fields") {
				query.Add("fields", field)
			}
			readFilter(args, query)
			relations := readExpand(args, query)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			if query.Has("cursor") && query.Has("changes_since") {
				query.Del("changes_since")
				args.Note("changes_since was left out: the cursor goes on with the changes that it is of")
			}
			if err := c.gate(ctx, stream, connection, relations); err != nil {
				return tools.Result{}, err
			}
			return c.fitted(ctx, args, listing{path: path, query: query, last: skeleton, show: func(p *page, level int) view {
				return c.records(args, stream, p, level)
			}})
		},
	})
}

// shorter are the characters that long texts of a lone record are cut to, one after
// the other, until it fits.
var shorter = []int{2000, 800, 300, 80}

// skeleton is the level at which of a record there is only what fetch takes.
var skeleton = len(shorter) + 1

// records shows a page of records. Level 0 is all of it; above, the long texts of each
// are cut, and at last only its id is there.
func (c *Client) records(args *tools.Args, stream string, p *page, level int) view {
	e := c.envelope(p.answer)
	notes := p.notes("query_records", args)
	if level > 0 {
		cut := p.cutRows(level)
		notes = append(notes, cut.note(stream))
		e.Data = withRows(p.answer.Body, cut.rows...)
	}
	e.Note = sentences(notes)

	rows := make([]preview, 0, len(p.Rows))
	for _, raw := range p.Rows {
		rows = append(rows, rowPreview(raw, stream))
	}
	first := count(len(p.Rows), "record") + " of " + escaped(stream)
	if total := p.total(); total != "" {
		first = fmt.Sprintf("%d of %s records of %s", len(p.Rows), total, escaped(stream))
	}
	text, hidden := p.text("query_records", args, first, rows, notes)
	return view{tools.Result{Text: text, Structured: e, Items: len(rows)}, hidden}
}

// A cutPage is a page whose rows say less, and what was taken from them.
type cutPage struct {
	rows []json.RawMessage
	reduction
	level int
}

func (p *page) cutRows(level int) cutPage {
	cut := cutPage{level: level}
	for _, raw := range p.Rows {
		if level == skeleton {
			cut.rows = append(cut.rows, only(raw, "id", "stream", "connection_id"))
			continue
		}
		row, taken := shortened(raw, shorter[level-1])
		cut.rows = append(cut.rows, row)
		cut.fields = append(cut.fields, taken.fields...)
		cut.nested = append(cut.nested, taken.nested...)
	}
	return cut
}

// note says what was taken from the rows, and what to call for it.
func (c cutPage) note(stream string) string {
	switch {
	case c.level == skeleton:
		return "Each record has only its id here, to fit; fetch reads it."
	case len(c.rows) == 1:
		var r record
		read(c.rows[0], &r)
		return c.reduction.note(r.handle(stream))
	case len(c.fields)+len(c.nested) == 0:
		return ""
	}
	return "Cut to fit: " + someOf(slices.Compact(slices.Sorted(slices.Values(slices.Concat(c.fields, c.nested))))) + ". fetch reads a record whole."
}

// only is a JSON object with some of its members alone.
func only(raw json.RawMessage, names ...string) json.RawMessage {
	if len(members(raw)) == 0 {
		return raw
	}
	return object(slices.DeleteFunc(members(raw), func(m member) bool { return !slices.Contains(names, m.name) }))
}

// text is the summary of a page, and how many of its rows it has no room for.
func (p *page) text(tool string, args *tools.Args, first string, rows []preview, notes []string) (text string, hidden int) {
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
	return summarize(head, rows, handle, cmp.Or(p.room, maxSummary), func(fit int) string {
		return nextCall(tool, args, limitTo(fit)) + " has shorter pages."
	})
}

// What to pass where a list has no pages, and where rows of it are left out.
var (
	forMore = map[string]string{
		"search":        "pass a larger limit (at most 100), streams or a connection_id, or mode lexical, which has pages",
		"query_records": "pass a connection_id, with which there are pages, or narrow the question with a filter",
	}
	forLeft = map[string]string{
		"search":        "narrow the question, or pass mode lexical, which has pages",
		"query_records": "pass fields, so that rows are smaller, or narrow the question with a filter",
	}
)

// notes are the sentences on how to go on. A page of which rows are left out has no next
// one: it would pass them over.
func (p *page) notes(tool string, args *tools.Args) []string {
	notes := []string{p.shrunk()}
	switch {
	case p.left > 0:
		notes = append(notes, fmt.Sprintf("%s of this answer are left out to fit, and no next page has them: %s.", count(p.left, "more row"), forLeft[tool]))
	case p.stays:
	case p.cursor() != "":
		changes := p.changes()
		if p.pinned {
			changes = append(changes, limitTo(len(p.Rows)))
		}
		notes = append(notes, "Next page: "+nextCall(tool, args, changes...))
	case p.HasMore:
		notes = append(notes, "More match, and there is no cursor to them: "+forMore[tool]+".")
	}
	if p.NextChanges != "" && p.cursor() == "" { // before the last page it would skip the rest
		notes = append(notes, "next_changes_since="+escaped(string(p.NextChanges)))
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
