package wagtail

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/wagtail/content"
)

const pageHTMLName = "wagtail_get_page_html"

// The forms in which a page of the site is shown.
const (
	formatMarkdown = "markdown" // the main part
	formatHTML     = "html"     // all of it, as the site sent it
)

func pageHTML(s *Site) tools.Tool {
	return readOnly(tools.Tool{
		Name: pageHTMLName,
		Description: "Read one page as the Wagtail site shows it to visitors: what no field holds, such as lists made by a template. Read-only. " +
			"id may be a number, slug, or any path or URL of the site, with its query. format: markdown (the main part, default) or html (the whole source).",
		Input: tools.ObjectSchema(`"id":` + anyText + `,"html_path":` + anyText + `,"slug":` + anyText + `,"locale":` + anyText +
			`,"format":{"type":"string","enum":["` + formatMarkdown + `","` + formatHTML + `"]},"section":` + anyText +
			`,"startLine":` + number + `,"endLine":` + number + `,"cursor":` + anyText + `,"maxTokens":` + number),
		Output: tools.ObjectSchema(`"page":{"type":"object","properties":{"id":`+number+`,"title":`+anyText+`}},`+answer.ShownProperties, "page"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			from := readPageCursor(args)
			who := s.readIdentity(args, from)
			format := cmp.Or(from.orFrom(args.Enum("format", formatMarkdown, formatHTML), "format"), formatMarkdown)
			passage := args.Passage()
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			v, err := s.view(ctx, who, format)
			if err != nil {
				return tools.Result{}, err
			}
			if !args.Has("cursor") { // notes are not repeated with every chunk
				for _, note := range v.notes {
					args.Note(note)
				}
			}
			return v.answer(args, passage, from)
		},
	})
}

// A visitorPage is what the site shows to a visitor at an address.
type visitorPage struct {
	site    *Site
	asked   viewAddress
	format  string
	page    apiObject // that is shown there, without an id when the API has none
	at      *url.URL  // that was read, after redirects
	article content.Article
	text    string
	notes   []string
}

// A viewAddress is an address to read, and the page that the API has there.
type viewAddress struct {
	page apiObject // without an id when the API has none
	at   *url.URL  // on the configured host, or on the one that the page's site takes for its own
	own  bool      // it is the page's own address, not a view of it
}

// viewAddress returns what to read for a wanted page: the address itself when one was
// given, else the page's own.
func (s *Site) viewAddress(ctx context.Context, who identity) (viewAddress, error) {
	i, at, err := s.page(ctx, who, "_,"+pageIdentity)
	given, badAddress := url.Parse(origin(s.front) + strings.TrimRight(s.front.EscapedPath(), "/") + who.view)
	anyPath := who.view != "" && badAddress == nil
	switch {
	case err != nil && anyPath && notFound(err) && who.locale == "" && !s.foreign(who):
		return viewAddress{at: given}, nil
	case err != nil:
		return viewAddress{}, err
	}
	home := i.url("html_url", s.base)
	switch {
	case at.site != "":
		return viewAddress{}, tools.Errorf(tools.CodeNotFound, "Page %d is of another site, %s, and this service reads %s as visitors see it.",
			i.ID, tools.Quote(at.site), s.front.Host).On("id").
			Try("Read its fields with %s {id: %d, site: %s}.", pageDetailsName, i.ID, tools.Quote(at.site))
	case anyPath && !s.isAt(who, i) && who.locale == "":
		return viewAddress{page: i, at: given}, nil
	case home == nil:
		return viewAddress{}, tools.Errorf(tools.CodeNotFound, "Page %d has no address: it is a draft, or no site shows it.", i.ID).On("id").
			Try("Read its fields with %s.", pageDetailsName)
	}
	own := *home
	if anyPath && given.RawQuery != "" && s.isAt(who, i) {
		own.RawQuery = given.RawQuery
	}
	return viewAddress{page: i, at: &own, own: own.RawQuery == home.RawQuery}, nil
}

// view reads what a visitor is shown.
func (s *Site) view(ctx context.Context, who identity, format string) (visitorPage, error) {
	asked, err := s.viewAddress(ctx, who)
	if err != nil {
		return visitorPage{}, err
	}
	response, err := s.visit(ctx, asked.at)
	if err != nil && asked.page.ID == 0 && notFound(err) {
		return visitorPage{}, s.noPage(who)
	}
	if err != nil {
		return visitorPage{}, err
	}
	v := visitorPage{site: s, asked: asked, format: format, page: asked.page, at: response.URL}
	source := content.Decode(response.Body, response.Header.Get("Content-Type"))
	v.article = content.Page([]byte(source), v.at)
	if v.article.PasswordRequired {
		return visitorPage{}, tools.Errorf(tools.CodePermissionDenied, "The site asks visitors for a password at %s.", address(v.at)).On("id").
			Try("The API's key does not open it. Ask the user for the page's content, or read another page.")
	}
	if v.text = v.article.Markdown; format == formatHTML {
		v.text = source
	}
	if !s.same(v.at, asked.at) {
		v.page = s.pageAt(ctx, v.at, asked.page)
		v.notes = append(v.notes, fmt.Sprintf("the site redirects %s to %s, which was read", tools.Line(s.viewOf(asked.at)), tools.Line(s.viewOf(v.at))))
	}
	if v.article.Scripted {
		v.notes = append(v.notes, fmt.Sprintf("this page is drawn by JavaScript in the browser, so there is little text in its source: %s reads its fields", pageDetailsName))
	}
	return v, nil
}

// pageAt returns the page of the API at an address after a redirect, one without an id
// when there is none. The wanted page may have several addresses.
func (s *Site) pageAt(ctx context.Context, at *url.URL, asked apiObject) apiObject {
	who := identity{paths: []string{clean(s.pathBelow(at))}, field: "id", given: at.Path}
	if asked.ID > 0 && s.isAt(who, asked) {
		return asked
	}
	i, err := s.detail(ctx, who, "_,"+pageIdentity)
	if err != nil || !s.isAt(who, i) {
		return apiObject{}
	}
	return i
}

// answer shows the page, whole or a part of it.
func (v visitorPage) answer(args *tools.Args, passage answer.Passage, from pageCursor) (tools.Result, error) {
	to := pageCursor{id: v.asked.page.ID, asked: url.Values{}}
	if v.format != formatMarkdown {
		to.asked.Set("format", v.format)
	}
	if !v.asked.own {
		to.asked.Set("view", v.site.viewOf(v.asked.at))
	}
	name := address(v.at)
	if v.page.ID > 0 {
		name = "page " + strconv.Itoa(v.page.ID)
	}
	return textAnswer{
		LongText: answer.LongText{Tool: pageHTMLName, Name: name, Seal: v.site.base.String() + " " + pageHTMLName, Body: v.text},
		args:     args, passage: passage, from: from, to: to,
		show: func(p textPart, detail int) tools.Result {
			shown := pageResult{ID: v.page.ID, Title: cmp.Or(v.page.whole("title"), v.article.Title, untitled), Type: v.page.typeName()}
			if detail < 2 {
				shown.URL = v.at.String()
			} else {
				shown.Title = words.Cut(shown.Title, 60)
			}
			return shown.result(p)
		},
	}.answer()
}
