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

// A listRow is one object of a list.
type listRow struct {
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
	values []fieldValue // of all members
}

// usual returns the members of an item that a row has its own place for, or that tell a
// reader nothing.
func usual(kind string) []string {
	files := []string{"type", "detail_url", "title", "download_url", "tags"}
	switch kind {
	case kindPages:
		return []string{"type", "detail_url", "html_url", "slug", "first_published_at", "locale", "title"}
	case kindImages:
		return append(files, "width", "height")
	}
	return files
}

// rows returns the items of a list as rows, with or without their other fields.
func (s *Site) rows(kind string, items []apiObject, fields bool) []listRow {
	list := make([]listRow, len(items))
	for n, i := range items {
		r := listRow{ID: i.ID, Title: i.title()}
		if _, known := singular[kind]; !known {
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
		for _, m := range i.members {
			if fields {
				r.values = append(r.values, fieldValue{tools.Line(m.name), brief(m.value, i.reference()), slices.Contains(usual(kind), m.name)})
			}
		}
		list[n] = r
	}
	return list
}

// text returns a row as one line, with a further line for each field of an object with
// a title.
func (r listRow) text() string {
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

// leastShared is the number of rows from which common values are left out.
const leastShared = 3

// dropShared removes the type and the language that most rows have, and returns a
// sentence about them; "" when there are none.
func dropShared(rows []listRow) string {
	var shared []string
	for _, of := range []struct {
		name  string
		field func(*listRow) *string
	}{
		{"Type", func(r *listRow) *string { return &r.Type }},
		{"Locale", func(r *listRow) *string { return &r.Locale }},
	} {
		counts, common := map[string]int{}, ""
		for n := range rows {
			value := *of.field(&rows[n])
			if counts[value]++; counts[value] > counts[common] {
				common = value
			}
		}
		if common == "" || counts[common] < leastShared || 2*counts[common] < len(rows) || counts[""] > 0 {
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

// elsewhere names the origin of the pages when it is not the base's, "" when it is:
// rows only show paths.
func (s *Site) elsewhere(items []apiObject) string {
	for _, i := range items {
		if u := i.url("html_url", s.base); u != nil && u.Host != s.base.Host {
			return "Paths are those of " + tools.Line(origin(u)) + "."
		}
	}
	return ""
}

// pathOf returns the path of a page's URL as the tools accept it.
func pathOf(u *url.URL) string {
	if u.Path == "" {
		return "/"
	}
	return tools.Line(u.EscapedPath())
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// A fieldValue is a field of an object as a text, "" when it is empty.
type fieldValue struct {
	name, text string
	usual      bool // the row has its own place for it
}

// A selection is the fields that a call asks for.
type selection struct {
	all   bool
	names []string
}

// selectionOf reads fields as they are sent. After _ the fields of the identity are
// among the others: those with their own place in a row do not count as asked for.
func selectionOf(fields string) selection {
	parts, _ := splitFields(fields) // readFields has checked the brackets
	s := selection{}
	for _, part := range parts {
		name, _, _ := strings.Cut(part, "(")
		switch {
		case name == "*":
			s.all = true
		case name == "_" || name[0] == '-':
		case slices.Contains(parts, "_") && slices.Contains(usual(kindPages), name):
		default:
			s.names = append(s.names, name)
		}
	}
	return s
}

// has reports whether a field was asked for.
func (s selection) has(name string) bool { return s.all || slices.Contains(s.names, name) }

// stamps are fields that a row shows in another form than the API; a call that names
// them gets them whole.
var stamps = []string{"first_published_at", "slug", "html_url"}

// shows reports whether a row shows a value among its fields.
func (s selection) shows(v fieldValue) bool {
	return !v.usual || slices.Contains(stamps, v.name) && slices.Contains(s.names, v.name)
}

// withFields returns rows with their fields, cut to width characters, and whether any
// was cut. A field that was asked for and is empty is named: otherwise it would look
// like one that the site does not have.
func (s selection) withFields(rows []listRow, width int) (list []listRow, shortened bool) {
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
				r.Fields[v.name] = v.text
				if missing := utf8.RuneCountInString(v.text) - width; missing > 0 {
					r.Fields[v.name] = fmt.Sprintf("%s (+%d)", words.Cut(v.text, width), missing+1)
					shortened = true
				}
			}
		}
	}
	return list, shortened
}
