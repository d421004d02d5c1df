package wagtail

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store/words"
	"issues-index/tools"
)

// A row is one object of a list.
type row struct {
	ID        int               `json:"id"`
	Title     string            `json:"title"`
	Type      string            `json:"type,omitempty"`      // of a page
	Path      string            `json:"path,omitempty"`      // of a page, on the site; absent when nothing routes to it
	Slug      string            `json:"slug,omitempty"`      // of a page without a path
	Published string            `json:"published,omitempty"` // day
	Locale    string            `json:"locale,omitempty"`
	URL       string            `json:"url,omitempty"` // of a file
	Tags      []string          `json:"tags,omitempty"`
	Size      string            `json:"size,omitempty"` // of an image, in pixels, where it was asked for
	Fields    map[string]string `json:"fields,omitempty"`
	Empty     []string          `json:"empty,omitempty"`   // fields that were asked for and hold nothing
	Excerpt   string            `json:"excerpt,omitempty"` // of a page that a search found: a line with the words

	names  []string     // of Fields, in their order
	values []fieldValue // of the members that the row has no place for
}

// usual are the members of an item that a row has a place for, or that say nothing
// to a reader.
var (
	usualOfPages  = []string{"type", "detail_url", "html_url", "slug", "first_published_at", "locale", "title"}
	usualOfImages = []string{"type", "detail_url", "title", "download_url", "tags", "width", "height"}
	usualOfFiles  = []string{"type", "detail_url", "title", "download_url", "tags"}
)

func usual(kind string) []string {
	switch kind {
	case kindPages:
		return usualOfPages
	case kindImages:
		return usualOfImages
	}
	return usualOfFiles
}

// rows are the items of a list as they are shown, with so many characters of each
// field to show; at 0 there are no fields.
func (s *Site) rows(kind string, items []item, width int) []row {
	list := make([]row, len(items))
	for n, i := range items {
		r := row{ID: i.ID, Title: i.title()}
		if _, known := one[kind]; !known {
			r.Title = words.Cut(i.text("title"), 120)
		}
		if kind == kindPages {
			r.Type, r.Published, r.Locale = i.typeName(), i.published(), i.text("locale")
			if u := i.url("html_url", s.base); u != nil {
				r.Path = pathOf(u)
			} else {
				r.Slug = i.text("slug")
			}
		} else {
			r.Tags = i.tags()
			if u := i.url("download_url", s.base); u != nil {
				r.URL = u.String()
			}
			if w, h := string(i.get("width")), string(i.get("height")); isNumber(w) && isNumber(h) {
				r.Size = w + "x" + h
			}
		}
		if width > 0 {
			r.values = fieldValues(i, usual(kind), width)
		}
		list[n] = r
	}
	return list
}

// text is a row as one line, with a further one for each field where there is a title.
func (r row) text() string {
	words := []string{fmt.Sprint(r.ID)}
	add := func(format, value string) {
		if value != "" {
			words = append(words, fmt.Sprintf(format, value))
		}
	}
	add("%s", r.Title)
	add("(%s)", r.Type)
	add("%s", r.Path)
	add("slug %s", r.Slug)
	add("%s", r.Published)
	add("%s", r.Locale)
	add("[%s]", strings.Join(r.Tags, ","))
	add("%s", r.Size)
	add("%s", r.URL)
	var text strings.Builder
	text.WriteString(strings.Join(words, " "))
	between := "\n  "
	if r.Title == "" { // an object that is nothing but its fields
		between = " "
	}
	for _, name := range r.names {
		text.WriteString(between + name + ": " + r.Fields[name])
	}
	if r.Excerpt != "" {
		text.WriteString("\n  " + r.Excerpt)
	}
	if len(r.Empty) > 0 {
		text.WriteString(between + "empty: " + strings.Join(r.Empty, ", "))
	}
	return text.String()
}

// fewest is the number of rows from which on they leave out what most have alike.
const fewest = 3

// dropShared leaves out the type and the language that most rows of pages have, and
// says so; "" when there is nothing to leave out.
func dropShared(rows []row) string {
	var shared []string
	for _, of := range []struct {
		name  string
		field func(*row) *string
	}{
		{"Type", func(r *row) *string { return &r.Type }},
		{"Locale", func(r *row) *string { return &r.Locale }},
	} {
		counts, common := map[string]int{}, ""
		for n := range rows {
			value := *of.field(&rows[n])
			if counts[value]++; counts[value] > counts[common] {
				common = value
			}
		}
		if common == "" || counts[common] < fewest || 2*counts[common] < len(rows) || counts[""] > 0 {
			continue
		}
		for n := range rows {
			if value := of.field(&rows[n]); *value == common {
				*value = ""
			}
		}
		shared = append(shared, of.name+" is "+common+" unless shown.")
	}
	return strings.Join(shared, " ")
}

// elsewhere names the origin of the pages' addresses where it is not the base's,
// "" where it is: paths are all that rows show.
func (s *Site) elsewhere(items []item) string {
	for _, i := range items {
		if u := i.url("html_url", s.base); u != nil && u.Host != s.base.Host {
			return "Paths are those of " + tools.Line(origin(u)) + "."
		}
	}
	return ""
}

// pathOf is the path of a page's address as the tools take it.
func pathOf(u *url.URL) string {
	if u.Path == "" {
		return "/"
	}
	return tools.Line(u.EscapedPath())
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

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
	return fmt.Sprintf("%s (+%d)", words.Cut(v.text, width), v.length-width+1)
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
