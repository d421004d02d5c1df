package pdpp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/tools"
)

// What a line of a text has of a row at most, in bytes: of one field, and of all together.
const (
	fieldPreview = 200
	rowPreview   = 1000
)

var (
	streamList = listView{
		thing: "stream", keys: []string{"name", "record_count", "connection_id"}, noPages: true,
		empty: "The grant covers none, or none of this connection.",
		whole: "schema with a stream tells more of it.", less: "pass a connection_id for its streams alone",
	}
	recordList = listView{
		thing: "record", keys: []string{"id", "stream", "connection_id"}, records: true, byDefault: 8,
		more:  "pass a connection_id, with which there are pages, or narrow the question with a filter",
		whole: fetchWhole, less: "pass fields, so that rows are smaller, or narrow the question with a filter",
	}
	hitList = listView{
		thing: "hit", keys: []string{"record_key", "stream"}, records: true, byDefault: 8, results: true,
		empty: "Try other words, another mode, or query_records.",
		more:  "pass a larger limit (at most 100), streams or a connection_id, or mode lexical, which has pages",
		whole: fetchWhole, less: "narrow the question, or pass mode lexical, which has pages",
	}
	subscriptionList = listView{
		thing: "event subscription", keys: []string{"subscription_id", "status"}, noPages: true,
		empty: "create_event_subscription makes one.",
		whole: "get_event_subscription reads one whole.", less: "delete_event_subscription makes the list shorter",
	}
)

const fetchWhole = "fetch reads a record whole."

// queryRecords answers with a page of records.
func queryRecords(ctx context.Context, c *call) (tools.Result, error) {
	if c.query.Has("cursor") && c.query.Has("changes_since") {
		c.query.Del("changes_since")
		c.args.Note("changes_since was left out: the cursor continues the changes that it came from")
	}
	if err := c.checkExpand(ctx, c.names["stream"], c.names["connection_id"]); err != nil {
		return tools.Result{}, err
	}
	return recordList.answer(ctx, c)
}

// checkMode refuses a cursor in the mode that has no pages.
func checkMode(c *call) {
	if c.query.Get("mode") == "hybrid" && c.query.Has("cursor") {
		c.refuse(tools.CodeInvalidCursor, "cursor", "Leave the cursor out and pass a larger limit (at most 100), or pass "+
			"mode lexical.",
			"The mode hybrid has no pages, so it takes no cursor.")
	}
}

// search answers with hits. Each mode but lexical has an endpoint of its own, and rows that a
// smaller limit would change.
func search(ctx context.Context, c *call) (tools.Result, error) {
	view, mode := hitList, c.query.Get("mode")
	c.query.Del("mode")
	if mode == "semantic" || mode == "hybrid" {
		c.path += "/" + mode
		view.noPages, view.byDefault = true, 10
	}
	return view.answer(ctx, c)
}

// A record is a record, or a hit of a search, as far as all streams have the same members.
type record struct {
	ID           word            `json:"id"`
	Key          word            `json:"record_key"` // of a hit
	Stream       string          `json:"stream"`
	ConnectionID string          `json:"connection_id"`
	Data         json.RawMessage `json:"data"`
	Expanded     json.RawMessage `json:"expanded"`
	Deleted      bool            `json:"deleted"`

	URL      string   `json:"record_url"`
	Matched  []string `json:"matched_fields"`
	Snippet  excerpt  `json:"snippet"`
	Evidence []struct {
		Field string `json:"field_path"`
		Text  string `json:"preview_text"`
	} `json:"evidence_excerpts"`
}

// An excerpt is a part of a hit that matched.
type excerpt struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// handle names the record, with the stream that was asked when the record names none.
func (r record) handle(stream string) handle {
	return handle{r.ConnectionID, cmp.Or(r.Stream, stream), string(cmp.Or(r.Key, r.ID))}
}

// titleFields are the fields that say best what a record is.
var titleFields = []string{"title", "name", "subject", "display_name", "summary"}

// title returns what to call the record, "" when it does not say.
func (r record) title() string {
	fields := members(r.Data)
	for _, name := range titleFields {
		if text, ok := textOf(fields.Get(name)); ok && text != "" {
			return words.CutBytes(tools.Line(text), fieldPreview)
		}
	}
	return ""
}

// A row is a row of a list as the channels have it.
type row struct {
	result        // of a record
	name   string // which is never cut
	text   string
}

// A result is a record as document clients expect it: an id that fetch takes, a title and an
// address. Where room is short it has only the id.
type result struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	URL   string `json:"url,omitempty"`
}

// row shows a row of a list: what it is called, then its fields.
func (c *call) row(v listView, raw json.RawMessage) row {
	var r record
	fields := members(raw)
	if fields == nil {
		return row{name: "(no id)", text: brief(raw, fieldPreview)}
	}
	read(raw, &r)
	name, _ := textOf(fields.Get(v.keys[0]))
	if !v.records {
		return row{name: cmp.Or(shown(name), "(no id)"), text: preview(members(without(raw, "object",
			"connector_instance_id", "freshness")), name)}
	}
	of := row{name: "(no id)"}
	if h := r.handle(c.names["stream"]); h.record != "" {
		of.result = result{h.String(), h.title(), c.address(h.path())}
		of.name = shown(of.ID)
	}
	if strings.HasPrefix(r.URL, "/") {
		of.URL = c.address(r.URL)
	}
	if v.results {
		of.text = of.matched(r)
		return of
	}
	title := r.title()
	if title != "" {
		of.text = inLine(encode(title)) + " "
	}
	if r.Deleted {
		of.text += "deleted "
	}
	fields = append(members(r.Data), orderedjson.Member{Name: "expanded", Value: r.Expanded})
	of.text += preview(fields, title, string(r.ID))
	return of
}

// preview returns the fields on one line, but for those with one of these values.
func preview(fields orderedjson.Object, but ...string) string {
	var parts []string
	for _, m := range fields {
		value := brief(m.Value, fieldPreview)
		if value != "" && value != "null" && !slices.Contains(but, value) {
			parts = append(parts, shown(m.Name)+"="+value)
		}
	}
	return words.CutBytes(strings.Join(parts, " "), rowPreview)
}

// marks stand around the words that matched; a model needs none.
var marks = strings.NewReplacer("<mark>", "", "</mark>", "")

// matched returns the text of a hit that the RS gave, and the fields that matched. A title that
// matched becomes that of the row.
func (of *row) matched(r record) string {
	found := r.Snippet
	if found.Text == "" && len(r.Evidence) > 0 {
		found = excerpt(r.Evidence[0])
	}
	if found.Text == "" {
		return "(metadata only)"
	}
	text := words.CutBytes(tools.Line(marks.Replace(found.Text)), fieldPreview)
	if slices.Contains(titleFields, found.Field) {
		of.Title = text
	}
	line := shown(found.Field) + ": " + text
	if len(r.Matched) > 1 {
		line += " (matched " + someOf(r.Matched) + ")"
	}
	return line
}
