package wagtail

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/tools"
	"issues-index/tools/wagtail/content"
)

// longText is the most characters of plain text that stands among a page's fields;
// what is longer stands with its texts.
const longText = 300

// texts tells the fields of a page that are text to read from the rest. The links
// and images of them are looked up. A field x_html that a project exports beside x
// has the same words once more: it is left out unless it was asked for.
func (s *Site) texts(ctx context.Context, args *tools.Args, i item, fields string) (texts []field, rest []member) {
	var rich []member
	var refs []content.Ref
	for _, m := range i.members {
		if identityMembers[m.name] {
			continue
		}
		if content.IsField(m.value) || utf8.RuneCountInString(textOf(m.value)) > longText {
			rich = append(rich, m)
			continue
		}
		rest = append(rest, m)
	}
	var left []string
	rich = slices.DeleteFunc(rich, func(m member) bool {
		of, rendered := strings.CutSuffix(m.name, "_html")
		again := rendered && fields == "" && slices.ContainsFunc(rich, func(m member) bool { return m.name == of })
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
		refs = append(refs, content.Refs(m.value)...)
	}
	resolve, unread := s.resolver(ctx, refs)
	if first && unread > 0 {
		args.Note(fmt.Sprintf("%d links more than %d stand as wagtail:page/ID and the like", unread, maxTargets))
	}
	for _, m := range rich {
		markdown, isText := content.Field(m.value, resolve)
		if !isText {
			markdown = content.Text(textOf(m.value))
		}
		if strings.TrimSpace(markdown) != "" {
			texts = append(texts, field{tools.Line(m.name), markdown})
		}
	}
	return texts, rest
}
