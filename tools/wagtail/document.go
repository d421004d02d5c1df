package wagtail

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"

	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// A documentAnswer is the answer of the tools that read one object.
type documentAnswer struct {
	Page     *view `json:"page,omitempty"`
	Image    *view `json:"image,omitempty"`
	Document *view `json:"document,omitempty"`
	answer.Shown
}

// document answers with an object of a kind and its text. query has the arguments of the call and,
// from a cursor, the chunk to go on at.
func (s *Site) document(args *tools.Args, tool, kind string, query url.Values, v view,
	text string) (tools.Result, error) {
	onward := maps.Clone(query)
	onward.Del("at")
	name := fmt.Sprintf("%s %d", singularOf(kind), v.ID)
	if v.ID == 0 {
		name = v.URL
	}
	passage := args.Passage()
	passage.Section = query.Get("section")
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	d := answer.Document{
		LongText: answer.LongText{Tool: tool, Name: name, Body: text, Seal: s.base.String() + encodeCursor(tool, onward)},
		Passage:  passage, Cursor: query.Get("at"), NoText: text == "" && !query.Has("at"),
		Onward: func(chunk string) string {
			onward.Set("at", chunk)
			return encodeCursor(tool, onward)
		},
		Show: func(level int, shown answer.Shown, text *string) (string, json.RawMessage) {
			v := v.at(level, args.Room())
			lines := v.heading(kind) + v.lines("")
			if text != nil {
				v.Text = *text
			}
			object := documentAnswer{Shown: shown}
			switch kind {
			case kindPages:
				object.Page = &v
			case kindImages:
				object.Image = &v
			default:
				object.Document = &v
			}
			return lines, encoded(object)
		},
		Last: 3, Less: func(level int) string { return v.at(level, args.Room()).less() },
		MostTokens: args.Settings().MaxTokens,
	}
	fitted, err := d.Fit(args.Budget(), args.Room())
	return tools.Fitted(fitted), err
}

// at returns the view with less in it: at level 1 with its long fields cut, at level 2 without
// fields, and above with its name alone.
func (v view) at(level int, room answer.Space) view {
	switch level {
	case 0:
		return v
	case 1:
		const share = 3 // of the room, beside a text
		return v.cut(max(1, answer.Share(v.sizes(), room.Bytes()/share)))
	case 2:
		named := v.named()
		named.URL, named.short = v.URL, v.names
		return named
	}
	return v.named()
}

// less says which fields are cut or left out, "" when none is.
func (v view) less() string {
	if len(v.short) == 0 {
		return ""
	}
	return "Fields that are cut or left out: " + words.Cut(strings.Join(v.short, ", "), 200) +
		". Pass fields with their names, or a larger maxTokens."
}

// upper returns a word as a sentence begins with it.
func upper(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// encoded returns a value of ours as JSON.
func encoded(value any) json.RawMessage {
	object, err := orderedjson.Marshal(value)
	if err != nil { // texts, numbers and valid JSON always have a JSON form
		return json.RawMessage("{}")
	}
	return object
}
