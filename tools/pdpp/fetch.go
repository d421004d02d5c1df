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
			query["fields"] = givenNames(args, "fields")
			relations := readExpand(args, query)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			if window.field != "" {
				return c.window(ctx, args, h, window)
			}
			if err := c.checkExpand(ctx, h.stream, h.connection, relations); err != nil {
				return tools.Result{}, err
			}
			r, err := c.get(ctx, h.path(), query)
			if err != nil {
				return tools.Result{}, err
			}
			return args.Smaller(len(textLimits), func(level int) tools.Result { return c.fetched(h, r, level) }), nil
		},
	})
}

// A fetchedRecord is a record, or a window of one of its fields, as it is answered.
type fetchedRecord struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url"`
	envelope
}

// fetched shows a record. Above level 0 its long texts are cut.
func (c *Client) fetched(h handle, response *rsResponse, level int) tools.Result {
	doc := fetchedRecord{ID: h.String(), URL: strings.TrimRight(c.provider, "/") + h.path(), envelope: c.envelope(response)}
	if level > 0 {
		data, cut := shortened(response.Body, textLimits[level-1])
		doc.Data, doc.Note = data, cut.note(h)
	}
	var r struct {
		streamRecord
		Emitted string `json:"emitted_at"`
		Meta    struct {
			Warnings []warning `json:"warnings"`
		} `json:"meta"`
	}
	read(doc.Data, &r)
	lines := []string{"Record " + doc.ID}
	if doc.Title = r.title(); doc.Title != "" {
		lines[0] += " " + string(encode(doc.Title))
	} else {
		doc.Title = h.title()
	}
	if doc.Note != "" {
		lines = append(lines, doc.Note)
	}
	if r.Deleted {
		lines = append(lines, "deleted: true")
	}
	lines = append(lines, warnings(r.Meta.Warnings)...)
	if r.Emitted != "" {
		lines = append(lines, "emitted_at: "+tools.Line(r.Emitted))
	}
	var fields, texts []tools.TextField
	add := func(name, value string) {
		if f := (tools.TextField{Name: name, Text: value}); strings.ContainsFunc(value, endsLine) {
			texts = append(texts, f)
		} else {
			fields = append(fields, f)
		}
	}
	data := members(r.Data)
	switch {
	case len(r.Data) == 0 && !r.Deleted:
		lines = append(lines, "The answer has no data in it.")
		add("answer", compact(doc.Data))
	case len(r.Data) > 0 && data == nil:
		add("data", compact(r.Data))
	}
	for _, m := range data {
		if text, ok := textOf(m.Value); ok {
			add(m.Name, strings.TrimSuffix(text, "\n"))
		} else {
			add(m.Name, compact(m.Value))
		}
	}
	if len(r.Expanded) > 0 {
		add("expanded", compact(r.Expanded))
	}
	text, mark := fenced(lines, fields, texts)
	return tools.Result{Text: text, Mark: mark, Structured: doc, Items: 1}
}
