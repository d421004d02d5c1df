package pdpp

import (
	"context"
	"strings"

	"issues-index/store/orderedjson"
	"issues-index/tools"
)

// A document is a record, or a window of one of its fields, as document clients expect it.
type document struct {
	result
	envelope
}

// show shows one thing: our lines, and below them its members.
func showDocument(structured any, lines []string, data orderedjson.Object) tools.Result {
	var fields, texts []tools.TextField
	for _, m := range data {
		text, ok := textOf(m.Value)
		if !ok {
			text = compact(m.Value)
		}
		f := tools.TextField{Name: m.Name, Text: strings.TrimSuffix(text, "\n")}
		if strings.ContainsFunc(f.Text, endsLine) {
			texts = append(texts, f)
		} else {
			fields = append(fields, f)
		}
	}
	text, mark := fenced(lines, fields, texts)
	return tools.Result{Text: text, Mark: mark, Structured: structured, Items: 1}
}

// fetch answers with a record or, with field, with a window of one of its texts.
func fetch(ctx context.Context, c *call) (tools.Result, error) {
	h := c.readHandle()
	if err := c.args.Err(); err != nil {
		return tools.Result{}, err
	}
	if c.query.Has("field") {
		return c.window(ctx, h)
	}
	if err := c.checkExpand(ctx, h.stream, h.connection); err != nil {
		return tools.Result{}, err
	}
	r, err := c.getAt(ctx, h.path(), c.query)
	if err != nil {
		return tools.Result{}, err
	}
	const eighths = 8
	return c.args.Smaller(eighths-1, func(level int) tools.Result {
		doc := document{result{h.String(), h.title(), c.address(h.path())}, c.envelope(r)}
		if level > 0 {
			var left missing
			room := c.args.Budget().Bytes * (eighths - level) / eighths
			doc.Data = left.narrowed(doc.Data, room, recordList.keys)
			doc.Note = strings.Join(left.notes(doc.ID, 1, "Ask for it with fields, or for less of it with expand_limit."), " ")
		}
		return doc.show()
	}), nil
}

// show shows a record.
func (doc document) show() tools.Result {
	var r struct {
		record
		Emitted string `json:"emitted_at"`
		Meta    struct {
			Warnings []warning `json:"warnings"`
		} `json:"meta"`
	}
	read(doc.Data, &r)
	lines := []string{"Record " + shown(doc.ID)}
	if title := r.title(); title != "" {
		doc.Title = title
		lines[0] += " " + inLine(encode(title))
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
	data := members(r.Data)
	if data == nil && !r.Deleted { // it is in a form of the RS's own
		data.Put("answer", doc.Data)
	}
	if len(r.Expanded) > 0 {
		data = append(data, orderedjson.Member{Name: "expanded", Value: r.Expanded})
	}
	return showDocument(doc, lines, data)
}
