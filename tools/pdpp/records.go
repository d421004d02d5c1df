package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store/orderedjson"
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
			return c.fitted(ctx, args, listRequest{
				path: path, query: query, last: onlyIDs,
				preview: func(row json.RawMessage) preview { return rowPreview(row, stream) },
				show:    func(p *listPage, level int) pageView { return c.records(args, stream, p, level) },
			})
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
	heading := words.Count(len(p.Rows), "record") + " of " + escaped(stream)
	if total := p.total(); total != "" {
		heading = fmt.Sprintf("%d of %s records of %s", len(p.Rows), total, escaped(stream))
	}
	text, hidden := p.text("query_records", args, heading, notes)
	return pageView{tools.Result{Text: text, Structured: e, Items: len(p.Rows)}, hidden}
}

// A streamRecord has these members in every stream; its data is as the stream has it.
type streamRecord struct {
	ID           word            `json:"id"`
	Stream       string          `json:"stream"`
	ConnectionID string          `json:"connection_id"`
	Data         json.RawMessage `json:"data"`
	Expanded     json.RawMessage `json:"expanded"`
	Deleted      bool            `json:"deleted"`
}

// handle names the record, with the stream that was asked when the record names none.
func (r streamRecord) handle(stream string) handle {
	if r.Stream != "" {
		stream = r.Stream
	}
	return handle{connection: r.ConnectionID, stream: stream, record: string(r.ID)}
}

// titleFields are the fields that say best what a record is.
var titleFields = []string{"title", "name", "subject", "display_name", "summary"}

// maxTitle bounds a title, in bytes.
const maxTitle = 120

// title returns what to call the record, "" when it does not say.
func (r streamRecord) title() string {
	fields := members(r.Data)
	for _, name := range titleFields {
		if text, ok := textOf(fields.Get(name)); ok && text != "" {
			return words.CutBytes(tools.Line(text), maxTitle)
		}
	}
	return ""
}

// rowPreview returns the preview of a row, which may be no record.
func rowPreview(raw json.RawMessage, stream string) preview {
	var r streamRecord
	if !read(raw, &r) {
		return preview{"", brief(raw, mostPreview)}
	}
	p := preview{"", r.preview()}
	if r.ID != "" {
		p.id = r.handle(stream).String()
	}
	return p
}

// fieldPreview bounds one field in a preview, in bytes.
const fieldPreview = 96

// preview returns the record on one line: its title, then its fields.
func (r streamRecord) preview() string {
	var parts []string
	title := r.title()
	if title != "" {
		parts = append(parts, string(encode(title)))
	}
	if r.Deleted {
		parts = append(parts, "deleted")
	}
	for _, m := range members(r.Data) {
		value := brief(m.Value, fieldPreview)
		if value != "" && value != "null" && value != title && value != string(r.ID) {
			parts = append(parts, escaped(m.Name)+"="+value)
		}
	}
	return strings.Join(parts, " ")
}

// textLimits are what the long texts of a record are cut to, in characters, one limit
// after the other until the record fits.
var textLimits = []int{2000, 800, 300, 80}

// A reduction is what was left out of records.
type reduction struct {
	texts  []string // fields whose text was cut
	nested []string // fields, or expanded, that were left out
}

// shortened returns a record whose texts are cut to limit characters and whose nested
// values are left out where they are longer.
func shortened(raw json.RawMessage, limit int) (json.RawMessage, reduction) {
	var cut reduction
	list := members(raw)
	fields := members(list.Get("data"))
	for i, field := range fields {
		text, isText := textOf(field.Value)
		switch count := utf8.RuneCountInString(text); {
		case isText && count > limit:
			fields[i].Value = orderedjson.Text(string([]rune(text)[:limit]) + fmt.Sprintf("… (%d of %d characters)", limit, count))
			cut.texts = append(cut.texts, field.Name)
		case !isText && len(field.Value) > max(2*limit, 200):
			fields[i].Value = orderedjson.Text(fmt.Sprintf("… (left out: %d bytes)", len(field.Value)))
			cut.nested = append(cut.nested, field.Name)
		}
	}
	if len(cut.texts)+len(cut.nested) > 0 {
		list.Put("data", encode(fields))
	}
	if len(list.Get("expanded")) > max(8*limit, 400) {
		list.Put("expanded", json.RawMessage("{}"))
		cut.nested = append(cut.nested, "expanded")
	}
	if len(cut.texts)+len(cut.nested) == 0 {
		return raw, cut
	}
	return encode(list), cut
}

// note says what was cut from one record and which call has it, "" when nothing was.
func (r reduction) note(h handle) string {
	var notes []string
	if len(r.texts) > 0 {
		notes = append(notes, fmt.Sprintf("Cut to fit: %s. %s reads one of them in windows.", someOf(r.texts), callOf("fetch", "id", h.String(), "field", r.texts[0])))
	}
	if len(r.nested) > 0 {
		notes = append(notes, fmt.Sprintf("Left out to fit: %s. Ask for it alone with fields, or for less of it with expand_limit.", someOf(r.nested)))
	}
	return strings.Join(notes, " ")
}

// onlyIDs is the level at which a record has only what fetch takes.
var onlyIDs = len(textLimits) + 1

// cutRecords returns the records with less in each, and a note on it.
func cutRecords(rows []json.RawMessage, stream string, level int) (cut []json.RawMessage, note string) {
	if level == onlyIDs {
		for _, raw := range rows {
			cut = append(cut, only(raw, "id", "stream", "connection_id"))
		}
		return cut, "Each record has only its id here, to fit; fetch reads it."
	}
	var names []string
	for _, raw := range rows {
		row, left := shortened(raw, textLimits[level-1])
		cut = append(cut, row)
		names = slices.Concat(names, left.texts, left.nested)
		if len(rows) == 1 {
			var r streamRecord
			read(raw, &r)
			return cut, left.note(r.handle(stream))
		}
	}
	if len(names) == 0 {
		return cut, ""
	}
	return cut, "Cut to fit: " + someOf(slices.Compact(slices.Sorted(slices.Values(names)))) + ". fetch reads a record whole."
}

// only returns a JSON object with these members only.
func only(raw json.RawMessage, names ...string) json.RawMessage {
	return pick(raw, func(m orderedjson.Member) bool { return slices.Contains(names, m.Name) })
}

// without returns a JSON object without these members.
func without(raw json.RawMessage, names ...string) json.RawMessage {
	return pick(raw, func(m orderedjson.Member) bool { return !slices.Contains(names, m.Name) })
}

// pick returns a JSON object with the members to keep; what is no object stays.
func pick(raw json.RawMessage, keep func(orderedjson.Member) bool) json.RawMessage {
	var kept orderedjson.Object
	object := members(raw)
	for _, m := range object {
		if keep(m) {
			kept = append(kept, m)
		}
	}
	if len(object) == 0 {
		return raw
	}
	return encode(kept)
}

// withRows returns a list with other rows in place of its own.
func withRows(list json.RawMessage, rows ...json.RawMessage) json.RawMessage {
	body := members(list)
	body.Put("data", encode(append([]json.RawMessage{}, rows...)))
	return encode(body)
}
