package wagtail

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/tools"
)

// A document is one page, image or object of another endpoint by itself. The Text of a page is the
// Markdown of its rich text and StreamFields, each under a heading with its field's name; Fields are
// the others.
type document struct {
	ID        int                        `json:"id,omitempty"` // absent for what is shown where the API has no page
	Title     string                     `json:"title,omitempty"`
	Type      string                     `json:"type,omitempty"`
	URL       string                     `json:"url,omitempty"`
	Path      string                     `json:"path,omitempty"`
	Slug      string                     `json:"slug,omitempty"`
	Published string                     `json:"published,omitempty"`
	Locale    string                     `json:"locale,omitempty"`
	Tags      []string                   `json:"tags,omitempty"`
	Width     json.Number                `json:"width,omitempty"`
	Height    json.Number                `json:"height,omitempty"`
	Parent    *listRow                   `json:"parent,omitempty"`
	AliasOf   *listRow                   `json:"aliasOf,omitempty"`
	Fields    map[string]json.RawMessage `json:"fields,omitempty"`
	Empty     []string                   `json:"empty,omitempty"` // fields that were asked for and hold nothing
	Text      string                     `json:"text,omitempty"`
	TextLeft  int                        `json:"textLeft,omitempty"` // characters that are left out beside other pages

	kind  string   // what a heading calls it, such as page
	names []string // of Fields, in their order
	short []string // names of fields that were cut or left out
}

// documentOf returns an object without its text. members are those that are not text.
func (s *Site) documentOf(kind string, i apiObject, members []objectField, asked selection) document {
	d := document{
		kind: singularOf(kind), ID: i.ID, Title: cmp.Or(i.whole("title"), i.titleOf(kind)), Type: i.typeName(),
		Slug: i.text("slug"), Published: i.text("first_published_at"), Locale: i.text("locale"),
		Fields: map[string]json.RawMessage{},
		Parent: s.rowOf(i.get("parent")), AliasOf: s.rowOf(i.get("alias_of")),
	}
	if u := i.address(s.base); u != nil {
		d.URL = u.String()
		if kind == kindPages {
			d.Path = pathOf(u)
		}
	}
	if kind != kindPages {
		d.Tags = i.tags()
	}
	for _, m := range members {
		switch value := compact(m.value); {
		case m.name == "width" && isNumber(value):
			d.Width = json.Number(value)
		case m.name == "height" && isNumber(value):
			d.Height = json.Number(value)
		case slices.Contains(placesOf(kind), m.name) || value == "false" && !asked.has(m.name): // most are, and say little
		case slices.Contains([]string{"", "null", `""`, "[]", "{}"}, value):
			if asked.has(m.name) {
				d.Empty = append(d.Empty, tools.Line(m.name))
			}
		default:
			d.names, d.Fields[m.name] = append(d.names, m.name), json.RawMessage(value)
		}
	}
	return d
}

// rowOf returns a page that another refers to, nil for none.
func (s *Site) rowOf(value json.RawMessage) *listRow {
	var i apiObject
	if json.Unmarshal(value, &i) != nil || i.ID == 0 {
		return nil
	}
	r := listRow{ID: i.ID, Title: i.title()}
	if u := i.url("html_url", s.base); u != nil {
		r.Path = pathOf(u)
	}
	return &r
}

// at returns the document with fields of at most so many characters; at 0 it only says which
// object it is.
func (d document) at(width int) document {
	if width == 0 {
		return document{kind: d.kind, ID: d.ID, Title: words.Cut(d.Title, 60), Type: d.Type, short: d.names}
	}
	fields := make(map[string]json.RawMessage, len(d.Fields))
	for name, value := range d.Fields {
		if len(value) > width {
			d.short = append(d.short, tools.Line(name))
			value = orderedjson.Text(words.Cut(brief(value, d.reference()), max(width-20, 1)))
		}
		fields[name] = value
	}
	slices.Sort(d.short)
	d.Fields = fields
	return d
}

func (d document) reference() objectRef {
	return objectRef{d.ID, d.Type, d.kind == singular[kindPages]}
}

// widest returns the longest of the fields, in bytes.
func (d document) widest() int {
	longest := 1
	for _, value := range d.Fields {
		longest = max(longest, len(value))
	}
	return longest
}

// less says which fields are cut, "" when none is.
func (d document) less() string {
	if len(d.short) == 0 {
		return ""
	}
	return "Fields that are cut or left out: " + words.Cut(strings.Join(d.short, ", "), 200) +
		". Pass fields with their names, or a larger maxTokens."
}

// heading names the document.
func (d document) heading() string {
	heading := strings.ToUpper(d.kind[:1]) + d.kind[1:]
	if d.ID > 0 {
		heading += fmt.Sprintf(" %d", d.ID)
	}
	if d.Title != "" {
		heading += ": " + d.Title
	}
	if d.Type != "" {
		heading += " (" + d.Type + ")"
	}
	return heading + "."
}

// lines returns the fields, one on a line, and then the text.
func (d document) lines() string {
	var out strings.Builder
	add := func(name, value string) {
		if value != "" {
			out.WriteString("\n" + name + ": " + value)
		}
	}
	add("url", d.URL)
	if d.URL == "" {
		add("slug", d.Slug)
	}
	add("published", d.Published)
	add("locale", d.Locale)
	if d.Width != "" && d.Height != "" {
		add("size", d.Width.String()+"x"+d.Height.String())
	}
	add("tags", strings.Join(d.Tags, ", "))
	if d.Parent != nil {
		add("parent", d.Parent.text())
	}
	if d.AliasOf != nil {
		add("alias of", d.AliasOf.text())
	}
	for _, name := range d.names {
		add(tools.Line(name), brief(d.Fields[name], d.reference()))
	}
	add("empty", strings.Join(d.Empty, ", "))
	return out.String()
}

// separated returns a text to be put below other lines.
func separated(text string) string {
	if text == "" {
		return ""
	}
	return "\n\n" + text
}
