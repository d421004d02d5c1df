package wagtail

import (
	"context"
	"fmt"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// mostPages is the most pages that one call reads.
const mostPages = 10

// A severalPages is the answer of wagtail_get_page_details with several pages.
type severalPages struct {
	Pages    []document    `json:"pages"`
	NotFound []missingPage `json:"notFound"`
	Note     string        `json:"note,omitempty"`
}

// A missingPage is a page that could not be read, and the reason.
type missingPage struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// several answers with the pages of the argument ids. A page that cannot be read does
// not keep the others from being shown.
func (s *Site) several(ctx context.Context, args *tools.Args) (tools.Result, error) {
	given := args.RequiredIDs("ids", mostPages)
	for _, name := range []string{"id", "section", "cursor"} {
		if args.Has(name) {
			args.Fail(tools.Errorf(tools.CodeValidation, "%s does not go with ids.", name).On(name).
				Try("Pass ids, fields, locale and maxTokens, or read one page with id."))
		}
	}
	fields := readFields(args, pageIdentity+",first_published_at", true)
	who := make([]identity, len(given))
	language := text(args, "locale")
	for n, id := range given {
		who[n] = s.identified(args, "ids", sendable(args, "ids", id), language)
	}
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	items, failures := make([]apiObject, len(who)), make([]error, len(who))
	_ = each(len(who), func(n int) error {
		items[n], who[n], failures[n] = s.page(ctx, who[n], fields)
		return nil
	})
	if ctx.Err() != nil {
		return tools.Result{}, ctx.Err()
	}
	all, widest := severalPages{NotFound: []missingPage{}}, 1
	for n, err := range failures {
		if err != nil {
			all.NotFound = append(all.NotFound, missingPage{tools.Plain(given[n]), words.Cut(tools.ErrorOf(err).Message, 200)})
			continue
		}
		texts, rest := s.texts(ctx, items[n], fields, lookingUp{site: who[n].site, most: maxTargets / len(who)}, args.Note)
		d := s.documentOf(kindPages, items[n], rest, selectionOf(fields))
		d.Text = joinFields(texts)
		all.Pages, widest = append(all.Pages, d), max(widest, d.widest(), len([]rune(d.Text)))
	}
	if len(all.Pages) == 0 {
		return tools.Result{}, tools.ErrorOf(failures[0])
	}
	return fitted(args, widest, all.show), nil
}

// show answers with at most so many characters of each field and each text.
func (a severalPages) show(width int) tools.Result {
	several := severalPages{Pages: make([]document, len(a.Pages)), NotFound: a.NotFound}
	var texts, notes []string
	for n, whole := range a.Pages {
		d := whole.at(width)
		d.Text, d.TextLeft = beginning(whole.Text, width)
		if d.TextLeft > 0 {
			notes = append(notes, fmt.Sprintf("%d characters of the text of page %d are left out.", d.TextLeft, d.ID))
		}
		if len(d.short) > 0 {
			notes = append(notes, fmt.Sprintf("Fields of page %d are cut.", d.ID))
		}
		several.Pages[n] = d
		texts = append(texts, d.lines()+separated(d.Text))
	}
	if len(notes) > 0 {
		notes = append(notes, "Read each with id, or pass maxTokens or fields.")
	}
	for _, m := range a.NotFound {
		notes = append(notes, tools.Quote(m.ID)+": "+m.Error)
	}
	several.Note = sentences(notes...)
	mark := answer.MarkFor(texts...)
	lines := []string{sentences(fmt.Sprintf("%d of %d pages.", len(a.Pages), len(a.Pages)+len(a.NotFound)), several.Note)}
	for n, d := range several.Pages {
		lines = append(lines, mark.Begin(d.heading())+texts[n])
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: several, Mark: mark, Items: len(a.Pages)}
}

// beginning returns a text in at most room characters, cut at the end of a line when
// one is near, and the number of characters left out.
func beginning(text string, room int) (shown string, left int) {
	runes := []rune(text)
	if len(runes) <= room {
		return text, 0
	}
	shown = string(runes[:room])
	if at := strings.LastIndexByte(shown, '\n'); at > len(shown)/2 {
		shown = shown[:at]
	}
	shown = strings.TrimRight(shown, "\n ")
	return shown, len(runes) - len([]rune(shown))
}
