package wagtail

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

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
			r.Title = cut(i.text("title"), 120)
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

// encoded is a value as JSON, without escapes that are for browsers.
func encoded(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
