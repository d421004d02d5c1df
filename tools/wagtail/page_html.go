package wagtail

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

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
	return onePage(tools.Tool{
		Name: pageHTMLName,
		Description: "Read one page as the Wagtail site shows it to visitors: what no field holds, such as lists made " +
			"by a template. " +
			"Read-only. id may be a number, slug, or any path or URL of the site, with its query. " +
			"format: markdown (the main part, default) or html (the whole source).",
		Input: schemaOf("id text, locale text, format format, section text, startLine number, endLine number, " +
			"cursor text, maxTokens number"),
		Output: schemaOf("page page*", answer.ShownProperties),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			query := url.Values{}
			set(query, "format", args.Enum("format", formatMarkdown, formatHTML))
			query, again := pageArguments(args, pageHTMLName, query)
			who := s.identified(args, "id", query.Get("id"), query.Get("locale"))
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			v, err := s.visited(ctx, who)
			if err != nil {
				return tools.Result{}, err
			}
			for _, note := range v.notes {
				if !again { // notes are not repeated with every chunk
					args.Note(note)
				}
			}
			text := v.article.Markdown
			if query.Get("format") == formatHTML {
				text = v.source
			}
			return s.document(args, pageHTMLName, kindPages, query, view{
				ID: v.page.ID, Type: v.page.typeName(), URL: v.at.String(),
				Title: cmp.Or(v.page.whole("title"), v.article.Title, untitled),
			}, text)
		},
	})
}

// A visitorPage is what the site shows to a visitor at an address.
type visitorPage struct {
	page    apiObject // that is shown there, without an id when the API has none
	at      *url.URL  // that was read, after redirects
	source  string
	article content.Article
	notes   []string
}

// viewAddress returns what to read for a wanted page, and the page that the API has there, without
// an id when it has none: the address itself when one was given, else the page's own.
func (s *Site) viewAddress(ctx context.Context, who identity) (page apiObject, at *url.URL, err error) {
	i, found, err := s.page(ctx, who, "_,"+pageIdentity)
	given, badAddress := url.Parse(origin(s.front) + strings.TrimRight(s.front.EscapedPath(), "/") + who.view)
	anyPath := who.view != "" && badAddress == nil && who.locale == ""
	home := i.url("html_url", s.base)
	switch {
	case err != nil && anyPath && notFound(err) && !s.foreign(who):
		return apiObject{}, given, nil
	case err != nil:
		return apiObject{}, nil, err
	case found.site != "":
		return apiObject{}, nil, tools.Errorf(tools.CodeNotFound, "Page %d is of another site, %s, and this service "+
			"reads %s as visitors see it.",
			i.ID, tools.Quote(found.site), s.front.Host).On("id").
			Try("Read its fields with %s {id: %s}.", pageDetailsName, tools.Quote(who.given))
	case anyPath && !s.isAt(who, i):
		return i, given, nil
	case home == nil:
		return apiObject{}, nil, tools.Errorf(tools.CodeNotFound, "Page %d has no address: it is a draft, or no site "+
			"shows it.", i.ID).On("id").
			Try("Read its fields with %s.", pageDetailsName)
	case anyPath && given.RawQuery != "":
		home.RawQuery = given.RawQuery
	}
	return i, home, nil
}

// visited reads what a visitor is shown.
func (s *Site) visited(ctx context.Context, who identity) (visitorPage, error) {
	page, asked, err := s.viewAddress(ctx, who)
	if err != nil {
		return visitorPage{}, err
	}
	response, err := s.visit(ctx, asked)
	if err != nil && page.ID == 0 && notFound(err) {
		err = s.noPage(who)
	}
	if err != nil {
		return visitorPage{}, err
	}
	v := visitorPage{page: page, at: response.URL, source: content.Decode(response.Body,
		response.Header.Get("Content-Type"))}
	v.article = content.Page([]byte(v.source), v.at)
	if v.article.PasswordRequired {
		return visitorPage{}, tools.Errorf(tools.CodePermissionDenied, "The site asks visitors for a password at %s.",
			address(v.at)).On("id").
			Try("The API's key does not open it. Ask the user for the page's content, or read another page.")
	}
	if !s.same(v.at, asked) {
		v.page = s.pageAt(ctx, v.at, page)
		v.notes = append(v.notes, fmt.Sprintf("the site redirects %s to %s, which was read", s.requested(asked),
			s.requested(v.at)))
	}
	if v.article.Scripted {
		v.notes = append(v.notes, "this page is drawn by JavaScript in the browser, so there is little text in its source: "+
			pageDetailsName+" reads its fields")
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
