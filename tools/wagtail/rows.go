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
	URL       string            `json:"url,omitempty"` // of a file, and of a page of another site
	Tags      []string          `json:"tags,omitempty"`
	Size      string            `json:"size,omitempty"` // of an image, in pixels, where it was asked for
	Fields    map[string]string `json:"fields,omitempty"`
	Empty     []string          `json:"empty,omitempty"` // fields that were asked for and hold nothing

	names []string // of Fields, in their order
}

// ownPlaces are the members of an object that a row or a document has its own place for, or that
// tell a reader nothing, by kind.
var ownPlaces = map[string][]string{
	kindPages:     {"type", "detail_url", "html_url", "slug", "first_published_at", "locale", "title"},
	kindImages:    {"type", "detail_url", "title", "download_url", "tags", "width", "height"},
	kindDocuments: {"type", "detail_url", "title", "download_url", "tags"},
}

// placesOf returns the own places of a kind; objects of other endpoints have those of documents.
func placesOf(kind string) []string {
	if places, known := ownPlaces[kind]; known {
		return places
	}
	return ownPlaces[kindDocuments]
}

// rows returns objects as rows, with their fields unless asked is nil. Those of another site have
// their URL: its paths mean other pages here.
func (s *Site) rows(kind string, items []apiObject, asked *selection, elsewhere bool) []listRow {
	list := make([]listRow, len(items))
	for n, i := range items {
		r := listRow{ID: i.ID, Title: i.titleOf(kind), Tags: i.tags()}
		switch page := i.url("html_url", s.base); {
		case kind != kindPages:
			if u := i.url("download_url", s.base); u != nil {
				r.URL = u.String()
			}
			if w, h := string(i.get("width")), string(i.get("height")); isNumber(w) && isNumber(h) {
				r.Size = w + "x" + h
			}
		case page == nil:
			r.Slug = i.text("slug")
		case elsewhere:
			r.URL = page.String()
		default:
			r.Path = pathOf(page)
		}
		if kind == kindPages {
			r.Type, r.Published, r.Locale, r.Tags = i.typeName(), i.published(), i.text("locale"), nil
		}
		for _, m := range i.members {
			if asked == nil || slices.Contains(placesOf(kind), m.name) && !slices.Contains(asked.names, m.name) {
				continue
			}
			name, value := tools.Line(m.name), brief(m.value, i.reference())
			switch {
			case value != "":
				if r.Fields == nil {
					r.Fields = map[string]string{}
				}
				r.names, r.Fields[name] = append(r.names, name), value
			case asked.has(m.name):
				r.Empty = append(r.Empty, name)
			}
		}
		list[n] = r
	}
	return list
}

// narrowed returns rows whose fields are cut to width characters, and whether any was cut.
func narrowed(rows []listRow, width int) (list []listRow, shortened bool) {
	list = slices.Clone(rows)
	for n, r := range list {
		fields := make(map[string]string, len(r.Fields))
		for name, text := range r.Fields {
			if missing := utf8.RuneCountInString(text) - width; missing > 0 {
				text, shortened = fmt.Sprintf("%s (+%d)", words.Cut(text, max(width, 1)), missing+1), true
			}
			fields[name] = text
		}
		list[n].Fields = fields
	}
	return list, shortened
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
	text, between := strings.Join(words, " "), "\n  "
	if r.Title == "" { // an object that is nothing but its fields
		between = " "
	}
	for _, name := range r.names {
		text += between + name + ": " + r.Fields[name]
	}
	if len(r.Empty) > 0 {
		text += between + "empty: " + strings.Join(r.Empty, ", ")
	}
	return text
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
		case slices.Contains(parts, "_") && slices.Contains(ownPlaces[kindPages], name):
		default:
			s.names = append(s.names, name)
		}
	}
	return s
}

// has reports whether a field was asked for.
func (s selection) has(name string) bool { return s.all || slices.Contains(s.names, name) }
