package wagtail

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"issues-index/tools"
	parts "issues-index/tools/passage"
	"issues-index/tools/upstream"
	"issues-index/tools/wagtail/content"
)

const pageHTMLName = "wagtail_get_page_html"

// The forms in which a page of the site is shown.
const (
	formatMarkdown = "markdown" // the main part
	formatHTML     = "html"     // all of it, as the site sent it
)

func pageHTML(s *Site) tools.Tool {
	return reading(tools.Tool{
		Name: pageHTMLName,
		Description: "Read one page as the Wagtail site shows it to visitors: what no field holds, such as lists made by a template. Read-only. " +
			"id may be a number, URL, path or slug. format: markdown (the main part, default) or html (the whole source).",
		Input: tools.ObjectSchema(`"id":` + anyText + `,"html_path":` + anyText + `,"slug":` + anyText + `,"locale":` + anyText +
			`,"format":{"type":"string","enum":["` + formatMarkdown + `","` + formatHTML + `"]},"section":` + anyText +
			`,"startLine":` + number + `,"endLine":` + number + `,"cursor":` + anyText + `,"maxTokens":` + number),
		Output: tools.ObjectSchema(`"page":`+someRow+`,`+parts.ShownProperties, "page"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			who := s.readIdentity(args)
			format := cmp.Or(args.Enum("format", formatMarkdown, formatHTML), formatMarkdown)
			where := readPassage(args)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			i, err := s.page(ctx, who, "_,"+pageIdentity)
			if err != nil {
				return tools.Result{}, err
			}
			text, at, err := s.shown(ctx, i, format)
			if err != nil {
				return tools.Result{}, err
			}
			return s.shownAnswer(args, where, i, format, text, at)
		},
	})
}

// shownAnswer answers with a page as it is shown, whole or a part of it. at is
// where it was read.
func (s *Site) shownAnswer(args *tools.Args, where passage, i item, format, text string, at *url.URL) (tools.Result, error) {
	b := body{
		tool: pageHTMLName, name: fmt.Sprintf("page %d", i.ID), text: text,
		seal: fmt.Sprintf("%s %s %d %s", s.base, pageHTMLName, i.ID, format),
	}
	if format != formatMarkdown {
		b.again = "the id and format " + format
	}
	return b.answer(args, where, func(p part, detail int) tools.Result {
		shown := page{ID: i.ID, Title: i.title(), Type: i.typeName(), Text: p.Text}
		if detail < 2 {
			shown.URL = at.String()
		} else {
			shown.Title = cut(shown.Title, 60)
		}
		return tools.Result{
			Text: sentences(shown.heading(), p.head) + shown.lines() + separated(p.Text), Items: 1,
			Structured: paged{Page: shown, Shown: p.Shown},
		}
	})
}

// shown reads a page where the site shows it, and where that is.
func (s *Site) shown(ctx context.Context, i item, format string) (text string, at *url.URL, err error) {
	home := i.url("html_url", s.base)
	if home == nil {
		return "", nil, tools.Errorf(tools.CodeNotFound, "Page %d has no address: it is a draft, or no site shows it.", i.ID).On("id").
			Try("Read its fields with %s.", pageDetailsName)
	}
	response, err := s.visit(ctx, home)
	if err != nil {
		return "", nil, err
	}
	at = response.URL
	source := content.Decode(response.Body, response.Header.Get("Content-Type"))
	article, err := content.Page([]byte(source), at)
	if err != nil {
		return "", nil, provider("The page at %s cannot be read as HTML.", address(at)).Try("Read its fields with %s.", pageDetailsName)
	}
	if article.PasswordRequired {
		return "", nil, tools.Errorf(tools.CodePermissionDenied, "The site asks visitors for a password at %s.", address(at)).On("id").
			Try("The API's key does not open it. Ask the user for the page's content, or read another page.")
	}
	if format == formatHTML {
		return source, at, nil
	}
	return article.Markdown, at, nil
}

// visit asks for a page of the site as any visitor does: without the key, and at
// the configured host alone, whatever host the site takes for its own. Redirects
// are followed by hand while they stay there.
func (s *Site) visit(ctx context.Context, home *url.URL) (*upstream.Response, error) {
	const mostRedirects = 4
	at := home
	for range mostRedirects {
		path := s.below(at.EscapedPath())
		response, err := s.do(ctx, upstream.Request{Path: path, Query: at.RawQuery, Header: http.Header{"Accept": {"text/html"}}})
		if err != nil {
			return nil, err
		}
		to, own := response.Redirect()
		ours := own || to != nil && to.Host == home.Host && to.Scheme == home.Scheme
		switch {
		case to != nil && ours && !isLogin(to):
			at = to
		case response.Status != http.StatusOK:
			return nil, s.pageRefused(path, response)
		case !isHTML(response.MediaType()):
			return nil, s.notHTML(path, response.MediaType())
		default:
			return response, nil
		}
	}
	return nil, provider("The site redirects its page %s again and again, at last to %s.", address(home), address(at)).
		Try("Read its fields with %s.", pageDetailsName)
}

func isLogin(u *url.URL) bool { return strings.Contains(strings.ToLower(u.Path), "login") }

func isHTML(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }
