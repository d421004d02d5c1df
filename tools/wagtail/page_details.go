package wagtail

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store/markdown"
	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/wagtail/content"
)

// A pageResult is one page. Its Text is the Markdown of its rich text and
// StreamFields, each under a heading with its field's name; Fields are the others.
type pageResult struct {
	ID        int                        `json:"id,omitempty"` // absent for what is shown where the API has no page
	Title     string                     `json:"title"`
	Type      string                     `json:"type,omitempty"`
	URL       string                     `json:"url,omitempty"`
	Path      string                     `json:"path,omitempty"`
	Slug      string                     `json:"slug,omitempty"`
	Published string                     `json:"published,omitempty"`
	Locale    string                     `json:"locale,omitempty"`
	Parent    *listRow                   `json:"parent,omitempty"`
	AliasOf   *listRow                   `json:"aliasOf,omitempty"`
	Fields    map[string]json.RawMessage `json:"fields,omitempty"`
	Empty     []string                   `json:"empty,omitempty"` // fields that were asked for and hold nothing
	Text      string                     `json:"text,omitempty"`

	names []string // of Fields, in their order
}

// A pageAnswer is the answer of wagtail_get_page_details and wagtail_get_page_html.
type pageAnswer struct {
	Page pageResult `json:"page"`
	answer.Shown
}

func pageDetails(s *Site) tools.Tool {
	return readOnly(tools.Tool{
		Name: pageDetailsName,
		Description: "Read one page of the Wagtail site: its fields, with rich text and StreamField as Markdown and links resolved. Read-only. " +
			"id may be a number, URL, path or slug; ids reads up to 10. fields: only these, and author(*) all of a related object; section: a heading or field name.",
		Input: tools.ObjectSchema(`"id":` + anyText + `,"ids":` + anyTexts + `,"html_path":` + anyText + `,"slug":` + anyText + `,"locale":` + anyText + `,"site":` + anyText +
			`,"fields":` + anyTexts + `,"section":` + anyText + `,"startLine":` + number + `,"endLine":` + number +
			`,"cursor":` + anyText + `,"maxTokens":` + number),
		Output: tools.ObjectSchema(`"page":` + someRow + `,"pages":` + someRows + `,` + answer.ShownProperties),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			if args.Has("ids") {
				return s.several(ctx, args)
			}
			from := readPageCursor(args)
			who := s.readIdentity(args, from)
			fields := from.orFrom(readFields(args, pageIdentity+",first_published_at", true), "fields")
			passage := args.Passage()
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			i, at, err := s.page(ctx, who, fields)
			if err != nil {
				return tools.Result{}, err
			}
			if note := s.viewNote(at, i); note != "" && !args.Has("cursor") {
				args.Note(note)
			}
			return s.pageAnswer(ctx, args, passage, from, i, fields, at.site)
		},
	})
}

// pageAnswer answers with a page, its text whole or a part of it.
func (s *Site) pageAnswer(ctx context.Context, args *tools.Args, passage answer.Passage, from pageCursor, i apiObject, fields, site string) (tools.Result, error) {
	texts, rest := s.texts(ctx, args, i, fields, site)
	if short, ok := shortSection(passage.Section, texts, rest, i.reference()); ok {
		texts = append(texts, short)
	}
	dated := namesField(args, "first_published_at")
	return textAnswer{
		LongText: answer.LongText{Tool: pageDetailsName, Name: fmt.Sprintf("page %d", i.ID), Seal: s.base.String() + " " + pageDetailsName, Body: joinFields(texts)},
		args:     args, passage: passage, from: from, to: pageCursor{id: i.ID, asked: siteQuery(site, "fields", fields)},
		less: "Other fields are cut or left out: pass fields with their names, or a larger maxTokens.",
		show: func(p textPart, detail int) tools.Result {
			shown := s.pageOf(i, rest, detail, selectionOf(fields))
			if dated && detail < 2 {
				shown.Published = i.text("first_published_at")
			}
			return shown.result(p)
		},
	}.answer()
}

// result is an answer with the page and a part of its text.
func (p pageResult) result(shown textPart) tools.Result {
	p.Text = shown.Text
	return tools.Result{
		Text: sentences(p.heading(), shown.head) + p.lines() + separated(p.Text), Items: 1,
		Structured: pageAnswer{Page: p, Shown: shown.Shown},
	}
}

// separated returns a text to be put below other lines.
func separated(text string) string {
	if text == "" {
		return ""
	}
	return "\n\n" + text
}

// pageOf returns a page without its text. rest are the members that are not text. The
// larger detail is, the less of the fields is shown.
func (s *Site) pageOf(i apiObject, rest []objectField, detail int, asked selection) pageResult {
	room := []int{1 << 30, 200, 0}[min(detail, 2)]
	p := pageResult{ID: i.ID, Title: cmp.Or(i.whole("title"), untitled), Type: i.typeName()}
	if detail > 1 {
		p.Title = words.Cut(p.Title, 60)
		return p
	}
	p.Slug, p.Published, p.Locale = i.text("slug"), i.published(), i.text("locale")
	if u := i.url("html_url", s.base); u != nil {
		p.URL, p.Path = u.String(), pathOf(u)
	}
	p.Parent, p.AliasOf = s.rowOf(i.get("parent")), s.rowOf(i.get("alias_of"))
	for _, m := range rest {
		short := compact(m.value)
		switch short {
		case "", "null", `""`, "[]", "{}":
			if asked.has(m.name) {
				p.Empty = append(p.Empty, tools.Line(m.name))
			}
			continue
		case "false": // most are, and say little
			if !asked.has(m.name) {
				continue
			}
		}
		if len(short) > room {
			short = string(orderedjson.Text(words.Cut(brief(m.value, i.reference()), max(room-20, 1))))
		}
		if p.Fields == nil {
			p.Fields = map[string]json.RawMessage{}
		}
		p.names = append(p.names, m.name)
		p.Fields[m.name] = json.RawMessage(short)
	}
	return p
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

// heading names a page.
func (p pageResult) heading() string {
	heading := "Page: " + p.Title
	if p.ID > 0 {
		heading = fmt.Sprintf("Page %d: %s", p.ID, p.Title)
	}
	if p.Type != "" {
		heading += " (" + p.Type + ")"
	}
	return heading + "."
}

// lines returns the fields of a page, one on a line.
func (p pageResult) lines() string {
	var out strings.Builder
	add := func(name, value string) {
		if value != "" {
			out.WriteString("\n" + name + ": " + value)
		}
	}
	add("url", p.URL)
	if p.URL == "" {
		add("slug", p.Slug)
	}
	add("published", p.Published)
	add("locale", p.Locale)
	if p.Parent != nil {
		add("parent", p.Parent.text())
	}
	if p.AliasOf != nil {
		add("alias of", p.AliasOf.text())
	}
	for _, name := range p.names {
		add(tools.Line(name), brief(p.Fields[name], objectRef{p.ID, p.Type, true}))
	}
	add("empty", strings.Join(p.Empty, ", "))
	return out.String()
}

// identityMembers have their own places in an answer.
var identityMembers = append(usual(kindPages), "parent", "alias_of")

// longText is the most characters of plain text among a page's fields; longer texts
// are shown with its rich text.
const longText = 300

// A pageText is a field of a page that is text to read.
type pageText struct {
	Name     string
	Markdown string
}

// joinFields makes one text of the fields of a page. The name of each is a heading, so that
// it can be asked for as a section.
func joinFields(fields []pageText) string {
	texts := make([]string, len(fields))
	for n, f := range fields {
		texts[n] = "# " + f.Name + "\n\n" + f.Markdown
	}
	return strings.Join(texts, "\n\n")
}

// texts separates the fields of a page that are text to read from the others, and
// looks up their links and images. A field x_html, which a project exports in addition
// to x, repeats the same words: it is left out unless it was asked for.
func (s *Site) texts(ctx context.Context, args *tools.Args, i apiObject, fields, site string) (texts []pageText, rest []objectField) {
	type reading struct {
		objectField
		content.RichText
		plain bool // a long plain text
	}
	var rich []reading
	var refs []content.Ref
	for _, m := range i.members {
		if slices.Contains(identityMembers, m.name) {
			continue
		}
		read, ok := content.ReadField(m.value)
		if !ok && utf8.RuneCountInString(textOf(m.value)) <= longText {
			rest = append(rest, m)
			continue
		}
		rich = append(rich, reading{m, read, !ok})
	}
	var left []string
	rich = slices.DeleteFunc(rich, func(m reading) bool {
		of, rendered := strings.CutSuffix(m.name, "_html")
		again := rendered && fields == "" && slices.ContainsFunc(rich, func(m reading) bool { return m.name == of })
		if again {
			left = append(left, tools.Line(m.name))
		}
		return again
	})
	first := !args.Has("cursor") // notes are not repeated with every chunk
	if first && len(left) > 0 {
		args.Note(fmt.Sprintf("left out %s, the same words once more: fields gives it", strings.Join(left, ", ")))
	}
	for _, m := range rich {
		if !m.plain {
			refs = append(refs, m.Refs()...)
		}
	}
	most := maxTargets / max(1, len(args.IDs("ids"))) // several pages share the look-ups of one
	links := s.resolve(ctx, site, refs, most, first)
	for _, m := range rich {
		var markdown string
		if m.plain {
			markdown = content.Text(textOf(m.value))
		} else {
			markdown = m.Markdown(links.resolver())
		}
		if strings.TrimSpace(markdown) != "" {
			texts = append(texts, pageText{tools.Line(m.name), markdown})
		} else { // such as <p></p>
			rest = append(rest, objectField{name: m.name, value: json.RawMessage("null")})
		}
	}
	if first {
		links.note(args)
	}
	return texts, rest
}

// shortSection returns one of a page's other fields as a text, when it is the section
// that was asked for and no heading has its name.
func shortSection(section string, texts []pageText, rest []objectField, owner objectRef) (pageText, bool) {
	if section == "" {
		return pageText{}, false
	}
	want := strings.TrimSpace(section)
	headings := markdown.Outline(joinFields(texts))
	if slices.ContainsFunc(headings, func(h markdown.Heading) bool { return strings.EqualFold(h.Text, want) }) {
		return pageText{}, false
	}
	for _, m := range rest {
		if strings.EqualFold(tools.Line(m.name), want) {
			return pageText{tools.Line(m.name), content.Text(cmp.Or(textOf(m.value), brief(m.value, owner), "(empty)"))}, true
		}
	}
	return pageText{}, false
}
