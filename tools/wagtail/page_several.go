package wagtail

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// mostPages is the most pages that one call reads.
const mostPages = 10

// A severalPages is the answer of wagtail_get_page_details with several pages.
type severalPages struct {
	Pages    []partialPage `json:"pages"`
	NotFound []missingPage `json:"notFound"`
	Note     string        `json:"note,omitempty"`
}

// A partialPage is a page with as much of its text as fits beside the others.
type partialPage struct {
	pageResult
	TextLeft int `json:"textLeft,omitempty"` // characters that are left out
}

// A missingPage is a page that could not be read, and the reason.
type missingPage struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// A readPage is a page that was read.
type readPage struct {
	apiObject
	text string
	rest []objectField
}

// several answers with the pages of the argument ids. A page that cannot be read does
// not keep the others from being shown.
func (s *Site) several(ctx context.Context, args *tools.Args) (tools.Result, error) {
	given := args.RequiredIDs("ids", mostPages)
	for _, name := range []string{"id", "html_path", "slug", "section", "startLine", "endLine", "cursor"} {
		if args.Has(name) {
			args.Fail(tools.Errorf(tools.CodeValidation, "%s does not go with ids.", name).On(name).Try("Pass ids, fields, locale, site and maxTokens, or read one page with id."))
		}
	}
	fields := readFields(args, pageIdentity+",first_published_at", true)
	who := make([]identity, len(given))
	site, language := s.otherSite(args), locale(args)
	for n, id := range given {
		who[n] = s.identify(args, identity{site: site, locale: language, field: "ids", given: sendable(args, "ids", id)}, "Pass ids, paths, URLs or slugs.")
	}
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	items, sites, failures := make([]apiObject, len(who)), make([]string, len(who)), make([]error, len(who))
	_ = each(len(who), func(n int) error {
		i, found, err := s.page(ctx, who[n], fields)
		items[n], sites[n], failures[n] = i, found.site, err
		return nil
	})
	if ctx.Err() != nil {
		return tools.Result{}, ctx.Err()
	}
	a := severalAnswer{site: s, asked: selectionOf(fields), missing: []missingPage{}}
	var last error
	for n := range items {
		if failures[n] != nil {
			last = failures[n]
			a.missing = append(a.missing, missingPage{tools.Plain(given[n]), words.Cut(tools.ErrorOf(last).Message, 200)})
			continue
		}
		texts, rest := s.texts(ctx, args, items[n], fields, sites[n])
		a.pages = append(a.pages, readPage{items[n], joinFields(texts), rest})
	}
	if len(a.pages) == 0 {
		e := tools.ErrorOf(last)
		if e.Field != "" {
			e = e.On("ids")
		}
		return tools.Result{}, e
	}
	return a.fit(args), nil
}

// A severalAnswer is the answer, to be shown.
type severalAnswer struct {
	site    *Site
	asked   selection
	pages   []readPage
	missing []missingPage
}

// fit gives each text the same room, as much as there is.
func (a severalAnswer) fit(args *tools.Args) tools.Result {
	longest := 0
	for _, p := range a.pages {
		longest = max(longest, len([]rune(p.text)))
	}
	r := a.show(longest, 0)
	if args.Fits(r) || !args.Budget().Summarization {
		return r
	}
	original, detail := r.Size(), 0
	for ; detail < 2 && !args.Fits(a.show(0, detail)); detail++ {
	}
	room := sort.Search(longest, func(n int) bool { return !args.Fits(a.show(n+1, detail)) })
	r = a.show(room, detail)
	r.Original, r.Outcome = original, tools.OutcomeSummarized
	return r
}

// show answers with room characters of each text.
func (a severalAnswer) show(room, detail int) tools.Result {
	several := severalPages{Pages: []partialPage{}, NotFound: a.missing}
	texts, cutPages := []string{}, []string{}
	for _, read := range a.pages {
		p := partialPage{pageResult: a.site.pageOf(read.apiObject, read.rest, detail, a.asked)}
		p.Text, p.TextLeft = beginning(read.text, room)
		if p.TextLeft > 0 {
			cutPages = append(cutPages, fmt.Sprintf("%d (+%d)", p.ID, p.TextLeft))
		}
		several.Pages = append(several.Pages, p)
		texts = append(texts, p.lines()+separated(p.Text))
	}
	notes := []string{fmt.Sprintf("%d of %d pages.", len(a.pages), len(a.pages)+len(a.missing))}
	for _, m := range a.missing {
		notes = append(notes, tools.Quote(m.ID)+": "+m.Error)
	}
	if len(cutPages) > 0 {
		notes = append(notes, fmt.Sprintf("The texts of these pages are cut, with so many characters left out: %s. Read each with id, or pass maxTokens or fields.", strings.Join(cutPages, ", ")))
	}
	if detail > 0 {
		notes = append(notes, "Fields are cut or left out: read each page with id for them.")
	}
	if len(a.missing)+len(cutPages)+detail > 0 {
		several.Note = sentences(notes...)
	}
	mark := answer.MarkFor(texts...)
	lines := []string{sentences(notes...)}
	for n, p := range several.Pages {
		lines = append(lines, mark.Begin(p.heading())+texts[n])
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: several, Mark: mark, Items: len(a.pages)}
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
