package pdpp

import (
	"context"
	"net/url"
	"strings"

	"issues-index/tools"
)

func fetch(c *Client) tools.Tool {
	return reading(tools.Tool{
		NeedsObject: true,
		Name:        "fetch",
		Description: "Read one record by its id: GET /v1/streams/{stream}/records/{record_id}. Read-only. With field, a window of that text " +
			"(GET …/field-window): at offset_chars, or around q." + served + " Narrow with fields.",
		Input: tools.ObjectSchema(`"id":{"type":"string","description":"connection_id/stream:record_id"},"fields":`+anyTexts+`,`+expandInput+`,"field":`+anyText+
			`,"offset_chars":{"type":"integer","minimum":0},"limit_chars":{"type":"integer","minimum":1,"maximum":16384,"default":4096},"q":`+anyText+
			`,"before_chars":{"type":"integer","minimum":0,"maximum":8192},"after_chars":{"type":"integer","minimum":0,"maximum":8192},"connection_id":`+anyText, "id"),
		Output: answered(`"id":`+anyText, `"title":`+anyText, `"url":`+anyText),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			h := readHandle(args)
			query := url.Values{}
			if h.connection != "" {
				query.Set("connection_id", h.connection)
			}
			window := readWindow(args)
			for _, field := range givenNames(args, "fields") {
				query.Add("fields", field)
			}
			relations := readExpand(args, query)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			if window.field != "" {
				return c.window(ctx, args, h, window)
			}
			if err := c.gate(ctx, h.stream, h.connection, relations); err != nil {
				return tools.Result{}, err
			}
			a, err := c.get(ctx, h.path(), query)
			if err != nil {
				return tools.Result{}, err
			}
			return args.Smaller(len(shorter), func(level int) tools.Result { return c.fetched(h, a, level) }), nil
		},
	})
}

// A document is a record as it is answered.
type document struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url"`
	envelope
}

// fetched shows a record. Above level 0 its long texts are cut.
func (c *Client) fetched(h handle, a *response, level int) tools.Result {
	doc := document{ID: h.String(), URL: strings.TrimRight(c.provider, "/") + h.path(), envelope: c.envelope(a)}
	if level > 0 {
		data, cut := shortened(a.Body, shorter[level-1])
		doc.Data, doc.Note = data, cut.note(h)
	}
	var r record
	read(doc.Data, &r)
	doc.Title = h.title()
	lines := []string{"Record " + doc.ID}
	if title := r.title(); title != "" {
		doc.Title = title
		lines[0] += " " + string(encode(title))
	}
	if doc.Note != "" {
		lines = append(lines, doc.Note)
	}
	if r.Deleted {
		lines = append(lines, "deleted: true")
	}
	var meta struct {
		Meta struct {
			Warnings []warning `json:"warnings"`
		} `json:"meta"`
		Emitted string `json:"emitted_at"`
	}
	read(a.Body, &meta)
	lines = append(lines, warnings(meta.Meta.Warnings)...)
	if meta.Emitted != "" {
		lines = append(lines, "emitted_at: "+tools.Line(meta.Emitted))
	}
	var fields []tools.Field
	switch {
	case len(r.Data) == 0 && !r.Deleted:
		lines = append(lines, "The answer has no data in it.")
		fields = append(fields, tools.Field{Name: "answer", Text: compact(doc.Data)})
	case len(r.Data) > 0 && members(r.Data) == nil:
		fields = append(fields, tools.Field{Name: "data", Text: compact(r.Data)})
	}
	for _, m := range members(r.Data) {
		value := compact(m.value)
		if text, ok := textOf(m.value); ok {
			value = strings.TrimSuffix(text, "\n")
		}
		fields = append(fields, tools.Field{Name: m.name, Text: value})
	}
	if len(r.Expanded) > 0 {
		fields = append(fields, tools.Field{Name: "expanded", Text: compact(r.Expanded)})
	}
	text, mark := fencedRecord(lines, fields)
	return tools.Result{Text: text, Mark: mark, Structured: doc, Items: 1}
}
