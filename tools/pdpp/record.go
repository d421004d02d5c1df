package pdpp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/tools"
)

// A record is what every record has; its data is as its stream has it.
type record struct {
	ID           word            `json:"id"`
	Stream       string          `json:"stream"`
	ConnectionID string          `json:"connection_id"`
	Data         json.RawMessage `json:"data"`
	Expanded     json.RawMessage `json:"expanded"`
	Deleted      bool            `json:"deleted"`
}

// handle names the record; the stream is that which was asked when it does not say.
func (r record) handle(stream string) handle {
	if r.Stream != "" {
		stream = r.Stream
	}
	return handle{connection: r.ConnectionID, stream: stream, record: string(r.ID)}
}

// titles are the fields that say best what a record is.
var titles = []string{"title", "name", "subject", "display_name", "summary"}

// title is what to call the record, "" when it does not say.
func (r record) title() string {
	fields := members(r.Data)
	for _, name := range titles {
		if i := slices.IndexFunc(fields, func(m member) bool { return m.name == name }); i >= 0 {
			if text, ok := textOf(fields[i].value); ok && text != "" {
				return shorten(tools.Line(text), 120)
			}
		}
	}
	return ""
}

// rowPreview is a record, or what stands in the place of one, in a summary.
func rowPreview(raw json.RawMessage, stream string) preview {
	var r record
	switch {
	case !read(raw, &r):
		return preview{"", brief(raw, mostPreview)}
	case r.ID == "":
		return preview{"", r.preview()}
	}
	return preview{r.handle(stream).String(), r.preview()}
}

// fieldPreview is what a preview shows of one field, in bytes.
const fieldPreview = 96

// preview is the record on one line: its title, then its fields.
func (r record) preview() string {
	var parts []string
	title := r.title()
	if title != "" {
		parts = append(parts, string(encode(title)))
	}
	if r.Deleted {
		parts = append(parts, "deleted")
	}
	for _, m := range members(r.Data) {
		value := brief(m.value, fieldPreview)
		if value != "" && value != "null" && value != title && value != string(r.ID) {
			parts = append(parts, escaped(m.name)+"="+value)
		}
	}
	return strings.Join(parts, " ")
}

// A reduction is what was cut from a record, and how to read it.
type reduction struct {
	fields []string // whose text was cut
	nested []string // that were left out
}

// shortened returns a record whose long texts are cut to so many characters and
// whose nested values are left out where they are longer.
func shortened(raw json.RawMessage, limit int) (json.RawMessage, reduction) {
	var cut reduction
	list := members(raw)
	if list == nil {
		return raw, cut
	}
	for i, m := range list {
		switch m.name {
		case "data":
			fields := members(m.value)
			for j, field := range fields {
				text, isText := textOf(field.value)
				switch count := utf8.RuneCountInString(text); {
				case isText && count > limit:
					fields[j].value = encode(string([]rune(text)[:limit]) + fmt.Sprintf("… (%d of %d characters)", limit, count))
					cut.fields = append(cut.fields, field.name)
				case !isText && len(field.value) > max(2*limit, 200):
					fields[j].value = encode(fmt.Sprintf("… (left out: %d bytes)", len(field.value)))
					cut.nested = append(cut.nested, field.name)
				}
			}
			list[i].value = object(fields)
		case "expanded":
			if len(m.value) > max(8*limit, 400) {
				list[i].value = json.RawMessage("{}")
				cut.nested = append(cut.nested, m.name)
			}
		}
	}
	return object(list), cut
}

// note says what was cut and what to call for it, "" when nothing was.
func (r reduction) note(h handle) string {
	var parts []string
	if len(r.fields) > 0 {
		call := object([]member{{"id", encode(h.String())}, {"field", encode(r.fields[0])}})
		parts = append(parts, fmt.Sprintf("Cut to fit: %s. fetch %s reads one of them in windows.", someOf(r.fields), inLine(call)))
	}
	if len(r.nested) > 0 {
		parts = append(parts, fmt.Sprintf("Left out to fit: %s. Ask for it alone with fields, or for less of it with expand_limit.", someOf(r.nested)))
	}
	return strings.Join(parts, " ")
}

// someOf names the first few of a list.
func someOf(names []string) string {
	const most = 6
	text := shorten(strings.Join(escapedAll(names[:min(most, len(names))]), ", "), 200)
	if left := len(names) - most; left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return text
}
