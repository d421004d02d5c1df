package wagtail

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"issues-index/tools"
	"issues-index/tools/wagtail/content"
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

	names []string // of Fields, in their order
}

// usual are the members of an item that a row has a place for, or that say nothing
// to a reader.
var usual = []string{"type", "detail_url", "html_url", "slug", "first_published_at", "locale", "title", "download_url", "tags", "width", "height"}

// rows are the items of a list as they are shown, fields cut at so many characters;
// at 0 there are none.
func (s *Site) rows(kind string, items []item, width int) []row {
	list := make([]row, len(items))
	for n, i := range items {
		r := row{ID: i.ID, Title: i.title()}
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
			if width == 0 || slices.Contains(usual, m.name) && (m.name != "tags" || kind != kindPages) {
				continue
			}
			if text := cut(brief(m.value), width); text != "" {
				if r.Fields == nil {
					r.Fields = map[string]string{}
				}
				name := tools.Line(m.name)
				r.names = append(r.names, name)
				r.Fields[name] = text
			}
		}
		list[n] = r
	}
	return list
}

// narrowed are rows to be changed, their fields cut at so many characters.
func narrowed(rows []row, width int) []row {
	list := slices.Clone(rows)
	for n, r := range list {
		if r.Fields == nil {
			continue
		}
		list[n].Fields = make(map[string]string, len(r.Fields))
		for name, text := range r.Fields {
			list[n].Fields[name] = cut(text, width)
		}
	}
	return list
}

// text is a row as one line, with a further one for each field.
func (r row) text() string {
	words := []string{fmt.Sprint(r.ID), r.Title}
	add := func(format, value string) {
		if value != "" {
			words = append(words, fmt.Sprintf(format, value))
		}
	}
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
	for _, name := range r.names {
		text.WriteString("\n  " + name + ": " + r.Fields[name])
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

// brief is a field's value in one line: rich text and StreamField as their words,
// a related object as its name, the rest as compact JSON. What is empty is "".
func brief(value json.RawMessage) string {
	if read, ok := content.ReadField(value); ok {
		return tools.Line(read.Markdown(nil))
	}
	if text := textOf(value); text != "" {
		return tools.Line(text)
	}
	if name := related(value); name != "" {
		return name
	}
	var texts []string
	if json.Unmarshal(value, &texts) == nil {
		return tools.Line(strings.Join(texts, ", "))
	}
	switch short := compact(value); short {
	case "null", `""`, "[]", "{}":
		return ""
	default:
		return tools.Line(short)
	}
}

// related names an object of another endpoint, "" for any other value.
func related(value json.RawMessage) string {
	var i item
	if json.Unmarshal(value, &i) != nil || i.ID == 0 || i.typeName() == "" {
		return ""
	}
	for _, m := range i.members { // one with fields of its own is shown with them
		if !slices.Contains(usual, m.name) {
			return ""
		}
	}
	name := fmt.Sprintf("%s %d", i.typeName(), i.ID)
	if title := cut(i.text("title"), 120); title != "" {
		name += " " + title
	}
	if at := i.text("download_url"); at != "" {
		name += " " + at
	}
	return name
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
