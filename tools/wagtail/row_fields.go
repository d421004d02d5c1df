package wagtail

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/tools"
)

// A fieldValue is a field of an item on its way into a row.
type fieldValue struct {
	name   string
	text   string // its beginning; "" where the field holds nothing
	length int    // of all of it, in characters
	usual  bool   // the row has a place for it, so only a reader who names it wants it
}

// fieldValues are the members of an item, with one character more of each than a row
// shows. usual are those that the row has a place for.
func fieldValues(i item, usual []string, width int) []fieldValue {
	var values []fieldValue
	for _, m := range i.members {
		text := brief(m.value, i.reference())
		v := fieldValue{name: tools.Line(m.name), text: text, length: utf8.RuneCountInString(text), usual: slices.Contains(usual, m.name)}
		if v.length > width {
			v.text = string([]rune(text)[:width+1])
		}
		values = append(values, v)
	}
	return values
}

// shortened is a value in at most so many characters, with the number of those that
// are missing behind it.
func (v fieldValue) shortened(width int) string {
	if v.length <= width {
		return v.text
	}
	return fmt.Sprintf("%s (+%d)", cut(v.text, width), v.length-width+1)
}

// A selection is which fields a list was asked for.
type selection struct {
	all   bool
	names []string
}

// selectionOf reads fields as they are sent. After _ the fields of the identity stand
// among the others: what a row has a place for anyway is not taken as asked for there.
func selectionOf(fields string) selection {
	parts, _ := splitFields(fields) // readFields has checked the brackets
	s := selection{}
	for _, part := range parts {
		name, _, _ := strings.Cut(part, "(")
		switch {
		case name == "*":
			s.all = true
		case name == "_" || name[0] == '-':
		case slices.Contains(parts, "_") && slices.Contains(usualOfPages, name):
		default:
			s.names = append(s.names, name)
		}
	}
	return s
}

// has reports whether a field was asked for.
func (s selection) has(name string) bool { return s.all || slices.Contains(s.names, name) }

// stamps are the fields that a row shows in another form than the API: it has them
// whole for a reader who names them.
var stamps = []string{"first_published_at", "slug", "html_url"}

// shows reports whether a row shows a value among its fields.
func (s selection) shows(v fieldValue) bool {
	return !v.usual || slices.Contains(stamps, v.name) && slices.Contains(s.names, v.name)
}

// withFields are rows with their fields cut at so many characters, and whether any
// was. A field that was asked for and holds nothing is named: it would look like one
// that the site does not have.
func (s selection) withFields(rows []row, width int) (list []row, shortened bool) {
	list = slices.Clone(rows)
	for n := range list {
		r := &list[n]
		for _, v := range r.values {
			switch {
			case !s.shows(v):
			case v.text == "" && s.has(v.name):
				r.Empty = append(r.Empty, v.name)
			case v.text != "":
				if r.Fields == nil {
					r.Fields = map[string]string{}
				}
				r.names = append(r.names, v.name)
				r.Fields[v.name] = v.shortened(width)
				shortened = shortened || v.length > width
			}
		}
	}
	return list, shortened
}
