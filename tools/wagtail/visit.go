package wagtail

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"issues-index/store/pattern"
	"issues-index/tools"
	"issues-index/tools/upstream"
)

// visit reads a web page as any visitor does: without the key, and only from the
// configured host, whatever host the site itself uses. It follows redirects on that
// host.
func (s *Site) visit(ctx context.Context, home *url.URL) (*upstream.Response, error) {
	const mostRedirects = 4
	at := home
	for range mostRedirects {
		path := s.pathBelow(at)
		response, err := s.do(ctx, s.visitors, upstream.Request{Path: path, Query: at.RawQuery,
			Header: http.Header{"Accept": {"text/html"}}})
		if err != nil {
			return nil, err
		}
		to, own := response.Redirect()
		own = own || to != nil && !s.same(to, at) && (hostOf(to) == hostOf(home) || s.owns(ctx, to))
		switch {
		case own && (!isLogin(to) || isLogin(at)):
			at = to
		case response.Status != http.StatusOK:
			return nil, s.pageRefused(path, response)
		case !isHTML(response.MediaType()):
			return nil, provider("The site has no web page at %s but %s.", tools.Line(path), tools.Line(response.MediaType())).
				Try("%s reads the page's fields from the API.", pageDetailsName)
		default:
			return response, nil
		}
	}
	return nil, provider("The site redirects its page %s again and again, at last to %s.", address(home), address(at)).
		Try("Read its fields with %s.", pageDetailsName)
}

// same reports whether two URLs are one at the configured host: a redirect between
// them would never end.
func (s *Site) same(a, b *url.URL) bool {
	return clean(s.pathBelow(a)) == clean(s.pathBelow(b)) && strings.HasSuffix(a.Path, "/") == strings.HasSuffix(b.Path,
		"/") && a.RawQuery == b.RawQuery
}

// requested returns what a visitor requests, fit to be shown: path below the base, and query.
func (s *Site) requested(u *url.URL) string {
	view := s.pathBelow(u)
	if u.RawQuery != "" {
		view += "?" + u.RawQuery
	}
	return tools.Line(view)
}

var loginPath = pattern.Lazy(`(?i)/(log-?in|sign-?in|sso)(/|\.\w+|$)`)

// isLogin reports whether a URL is that of a login page, by its last parts or by a
// parameter for the way back. A page may have the word in its title.
func isLogin(u *url.URL) bool {
	back := u.Query().Has("next") || u.Query().Has("return_url")
	return loginPath().MatchString(u.Path) || back && strings.Contains(strings.ToLower(u.Path), "login")
}

func isHTML(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }

// pageRefused words a failed request for a web page.
func (s *Site) pageRefused(path string, response *upstream.Response) error {
	shown := tools.Line(path)
	switch to, _ := response.Redirect(); {
	case to != nil && isLogin(to):
		return tools.Errorf(tools.CodePermissionDenied, "The site sends visitors of %s to a login page, %s.", shown,
			address(to)).On("id").
			Try("The API's key does not log a visitor in. Ask the user for the page's content, or read another page.")
	case to != nil:
		return provider("The site redirects the page %s to %s. Nothing was asked there.", shown, address(to)).
			Try("If the site is there, ask the user to set WAGTAIL_BASE_URL to it; else read the page's fields with %s.",
				pageDetailsName)
	case response.Status == http.StatusNotFound:
		return tools.Errorf(tools.CodeNotFound, "The site shows no page at %s.", shown).
			Try("%s reads its fields from the API.", pageDetailsName)
	}
	return provider("The site answered %s for the page %s.", named(response.Status), shown).
		Try("%s %s reads the page's fields from the API.", later(response.Header), pageDetailsName)
}
