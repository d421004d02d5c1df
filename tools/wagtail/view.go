package wagtail

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/tools"
)

// fieldWidth is the most characters of a field that a row of a list shows.
const fieldWidth = 400

// A view is one object of the site as answers show it: a row of a list, or a page, an image or
// another object by itself. The Text of a page is the Markdown of its rich text and StreamFields,
// each under a heading with its field's name; Fields are the others.
type view struct {
	ID        int                        `json:"id,omitempty"` // absent for what is shown where the API has no page
	Title     string                     `json:"title,omitempty"`
	Type      string                     `json:"type,omitempty"`
	Path      string                     `json:"path,omitempty"` // of a page; absent when nothing routes to it
	URL       string                     `json:"url,omitempty"`  // in a list only of files and of pages of another site
	Slug      string                     `json:"slug,omitempty"` // of a page without an address
	Published string                     `json:"published,omitempty"`
	Locale    string                     `json:"locale,omitempty"`
	Tags      []string                   `json:"tags,omitempty"`
	Size      string                     `json:"size,omitempty"` // of an image, in pixels
	Parent    *view                      `json:"parent,omitempty"`
	AliasOf   *view                      `json:"aliasOf,omitempty"`
	Fields    map[string]json.RawMessage `json:"fields,omitempty"` // in a list as texts
	Empty     []string                   `json:"empty,omitempty"`  // fields that were asked for and hold nothing
	Text      string                     `json:"text,omitempty"`
	TextLeft  int                        `json:"textLeft,omitempty"` // characters that are left out beside other pages

	names []string          // of Fields, in their order
	texts map[string]string // the Fields in one line
	short []string          // names of fields that were cut or left out
}

// ownPlaces are the members of an object that a view has its own place for, or that tell a reader
// nothing, by kind.
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

// viewOf returns an object with those of its members that are no text.
func (s *Site) viewOf(kind string, i apiObject, members []objectField, asked selection) view {
	v := view{
		ID: i.ID, Title: cmp.Or(i.whole("title"), i.titleOf(kind)), Fields: map[string]json.RawMessage{},
		texts: map[string]string{},
	}
	at := i.address(s.base)
	switch {
	case at != nil:
		v.URL = at.String()
	case kind == kindPages:
		v.Slug = i.text("slug")
	}
	if kind == kindPages {
		v.Type, v.Published, v.Locale = i.typeName(), i.text("first_published_at"), i.text("locale")
		v.Parent, v.AliasOf = s.related(i.get("parent")), s.related(i.get("alias_of"))
	} else {
		v.Type, v.Tags = i.typeName(), i.tags()
	}
	if kind == kindPages && at != nil {
		v.Path = pathOf(at)
	}
	if w, h := string(i.get("width")), string(i.get("height")); kind == kindImages && isNumber(w) && isNumber(h) {
		v.Size = w + "x" + h
	}
	for _, m := range members {
		if slices.Contains(placesOf(kind), m.name) && !slices.Contains(asked.names, m.name) {
			continue
		}
		name, text, value := tools.Line(m.name), brief(m.value, i.reference()), compact(m.value)
		switch {
		case text != "" && (value != "false" || asked.has(m.name)): // most are, and say little
			v.names, v.texts[name], v.Fields[name] = append(v.names, name), text, json.RawMessage(value)
		case text == "" && asked.has(m.name):
			v.Empty = append(v.Empty, name)
		}
	}
	return v
}

// rows returns objects as rows of a list. Those of another site have their URL: its paths mean
// other pages here.
func (s *Site) rows(kind string, items []apiObject, asked *selection, elsewhere bool) []view {
	list := make([]view, len(items))
	for n, i := range items {
		var r view
		if asked == nil {
			r = s.viewOf(kind, i, nil, selection{})
		} else {
			r = s.viewOf(kind, i, i.members, *asked)
		}
		r.Title, r.Parent, r.AliasOf = i.titleOf(kind), nil, nil
		r.Published, _, _ = strings.Cut(r.Published, "T")
		switch {
		case kind != kindPages:
			r.Type = ""
		case elsewhere:
			r.Path = ""
		default:
			r.URL = ""
		}
		for name, text := range r.texts {
			r.Fields[name] = orderedjson.Text(text)
		}
		list[n] = r.cut(fieldWidth)
	}
	return list
}

// related returns a page that another refers to, nil for none. It has its URL, since it may be of
// another site.
func (s *Site) related(value json.RawMessage) *view {
	var i apiObject
	if json.Unmarshal(value, &i) != nil || i.ID == 0 {
		return nil
	}
	v := view{ID: i.ID, Title: i.title()}
	if u := i.url("html_url", s.base); u != nil {
		v.URL = u.String()
	}
	return &v
}

// cut returns the view with fields of at most so many characters, and without them at 0.
func (v view) cut(width int) view {
	fields, texts := map[string]json.RawMessage{}, map[string]string{}
	for _, name := range v.names {
		text, value := v.texts[name], v.Fields[name]
		missing := utf8.RuneCountInString(text) - width
		if missing > 0 {
			text = fmt.Sprintf("%s (+%d)", words.Cut(text, max(width, 1)), missing+1)
			v.short = append(v.short, name)
		}
		if missing > 0 || len(value) > max(width, fieldWidth) {
			value = orderedjson.Text(text)
		}
		fields[name], texts[name] = value, text
	}
	if v.Fields, v.texts = fields, texts; width == 0 {
		v.Fields, v.names, v.Empty = nil, nil, nil
	}
	return v
}

// named returns no more than which object it is.
func (v view) named() view { return view{ID: v.ID, Title: words.Cut(v.Title, 60), Type: v.Type} }

// sizes returns the bytes of the fields in an answer.
func (v view) sizes() []int {
	sizes := make([]int, len(v.names))
	for n, name := range v.names {
		sizes[n] = len(name) + max(len(v.Fields[name]), len(v.texts[name]))
	}
	return sizes
}

// line returns the view in one line, without its fields.
func (v view) line() string { return v.called(strconv.Itoa(v.ID)) }

// heading returns the line with which the view begins when it is shown by itself.
func (v view) heading(kind string) string {
	name := upper(singularOf(kind))
	if v.ID > 0 {
		name += fmt.Sprintf(" %d", v.ID)
	}
	if v.Title != "" {
		name += ":"
	}
	return v.called(name)
}

// called is line with another name in place of the id.
func (v view) called(name string) string {
	parts := []string{name}
	add := func(format, value string) {
		if value != "" {
			parts = append(parts, fmt.Sprintf(format, value))
		}
	}
	add("%s", v.Title)
	add("(%s)", v.Type)
	add("[%s]", strings.Join(v.Tags, ","))
	add("%s", v.Size)
	add("%s", cmp.Or(v.URL, v.Path))
	add("slug %s", v.Slug)
	add("%s", v.Published)
	add("%s", v.Locale)
	return strings.Join(parts, " ")
}

// lines returns the fields, each on a line of its own.
func (v view) lines(indent string) string {
	var b strings.Builder
	add := func(name, value string) {
		if value != "" {
			b.WriteString("\n" + indent + name + ": " + value)
		}
	}
	if v.Parent != nil {
		add("parent", v.Parent.line())
	}
	if v.AliasOf != nil {
		add("alias of", v.AliasOf.line())
	}
	for _, name := range v.names {
		add(name, v.texts[name])
	}
	add("empty", strings.Join(v.Empty, ", "))
	return b.String()
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
