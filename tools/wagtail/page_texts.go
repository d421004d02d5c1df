package wagtail

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/wagtail/content"
)

// longText is the most characters of plain text that stands among a page's fields;
// what is longer stands with its texts.
const longText = 300

// texts tells the fields of a page that are text to read from the rest. The links
// and images of them are looked up. A field x_html that a project exports beside x
// has the same words once more: it is left out unless it was asked for.
func (s *Site) texts(ctx context.Context, args *tools.Args, i item, fields, site string) (texts []field, rest []member) {
	type reading struct {
		member
		content.Field
		plain bool // no field to read, but a long text
	}
	var rich []reading
	var refs []content.Ref
	for _, m := range i.members {
		if identityMembers[m.name] {
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
	first := !args.Has("cursor") // what is said once is not said with every chunk
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
			texts = append(texts, field{tools.Line(m.name), markdown})
		} else { // such as <p></p>
			rest = append(rest, member{name: m.name, value: json.RawMessage("null")})
		}
	}
	if first {
		links.note(args)
	}
	return texts, rest
}

// shortSection returns a field that stands among a page's other fields as a text,
// when it is the section that is asked for and no heading has that name.
func shortSection(section string, texts []field, rest []member, owner reference) (field, bool) {
	if section == "" {
		return field{}, false
	}
	want := strings.TrimSpace(section)
	headings := store.Outline(joinFields(texts))
	if slices.ContainsFunc(headings, func(h store.Heading) bool { return strings.EqualFold(h.Text, want) }) {
		return field{}, false
	}
	for _, m := range rest {
		if strings.EqualFold(tools.Line(m.name), want) {
			return field{tools.Line(m.name), content.Text(cmp.Or(textOf(m.value), brief(m.value, owner), "(empty)"))}, true
		}
	}
	return field{}, false
}
