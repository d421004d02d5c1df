package wagtail

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/wagtail/content"
)

func pageDetails(s *Site) tools.Tool {
	return onePage(tools.Tool{
		Name: pageDetailsName,
		Description: "Read one page of the Wagtail site: its fields, with rich text and StreamField as Markdown and " +
			"links resolved. Read-only. " +
			"id may be a number, URL, path or slug; ids reads up to 10. fields: only these, and author(*) all of a " +
			"related object; " +
			"section: a heading or the name of a long field.",
		Input: schemaOf("id text, ids texts, locale text, fields texts, section text, startLine number, " +
			"endLine number, cursor text, maxTokens number"),
		Output: schemaOf("page row, pages rows", answer.ShownProperties),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			if args.Has("ids") {
				return s.several(ctx, args)
			}
			query := url.Values{}
			set(query, "fields", readFields(args, pageIdentity+",first_published_at", true))
			query, again := pageArguments(args, pageDetailsName, query)
			who := s.identified(args, "id", query.Get("id"), query.Get("locale"))
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			fields := query.Get("fields")
			i, at, err := s.page(ctx, who, fields)
			if err != nil {
				return tools.Result{}, err
			}
			say := args.Note
			if again { // notes are not repeated with every chunk
				say = func(string) {}
			}
			if note := s.viewNote(at, i); note != "" {
				say(note)
			}
			texts, rest := s.texts(ctx, i, at.site, fields, maxTargets, say)
			v := s.viewOf(kindPages, i, rest, selectionOf(fields))
			return s.document(args, pageDetailsName, kindPages, query, v, joinFields(texts))
		},
	})
}

// onePage makes a tool that reads one page read-only, and gives other arguments for its id.
func onePage(t tools.Tool) tools.Tool {
	t.Also = map[string][]string{"id": {"html_path", "slug", "path", "url"}}
	t.Instead = map[string]string{"site": "Pass the URL of the page as id."}
	return readOnly(t)
}

// placedMembers have their own places in the document of a page.
var placedMembers = append(slices.Clone(ownPlaces[kindPages]), "parent", "alias_of")

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
func (s *Site) texts(ctx context.Context, i apiObject, site, fields string, mostLinks int,
	say func(string)) (texts []pageText, rest []objectField) {
	var rich []objectField
	var refs []content.Ref
	read := map[string]content.RichText{}
	for _, m := range i.members {
		field, isRich := content.ReadField(m.value)
		of, rendered := strings.CutSuffix(m.name, "_html")
		switch {
		case slices.Contains(placedMembers, m.name):
		case !isRich && utf8.RuneCountInString(textOf(m.value)) <= longText:
			rest = append(rest, m)
		case rendered && fields == "" && i.isText(of):
			say(fmt.Sprintf("left out %s, the same words once more: fields gives it", tools.Line(m.name)))
		default:
			rich = append(rich, m)
			if isRich {
				read[m.name] = field
				refs = append(refs, field.Refs()...)
			}
		}
	}
	links := s.resolve(ctx, site, refs, mostLinks)
	for _, m := range rich {
		markdown := content.Text(textOf(m.value))
		if field, isRich := read[m.name]; isRich {
			markdown = field.Markdown(links.target)
		}
		if strings.TrimSpace(markdown) != "" {
			texts = append(texts, pageText{tools.Line(m.name), markdown})
		} else { // such as <p></p>
			rest = append(rest, objectField{name: m.name, value: json.RawMessage("null")})
		}
	}
	links.note(say)
	return texts, rest
}

// isText reports whether a member is a text to read.
func (i apiObject) isText(name string) bool {
	value := i.get(name)
	_, isRich := content.ReadField(value)
	return isRich || utf8.RuneCountInString(textOf(value)) > longText
}
