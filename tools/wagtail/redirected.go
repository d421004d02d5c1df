package wagtail

import (
	"net/url"
	"strings"

	"issues-index/tools"
	"issues-index/tools/upstream"
)

// redirected words an answer that sends its reader elsewhere. It is not followed:
// the key would go along, or a page for people come back. path is what was asked
// for below the base: an address that ends with it tells where the site is.
func (s *Site) redirected(path string, response *upstream.Response) *tools.Error {
	to, own := response.Redirect()
	switch {
	case to == nil:
		return provider("The site answered %d and does not say where to go on.", response.Status).
			Try("Ask the user to check WAGTAIL_BASE_URL.")
	case isLogin(to):
		return provider("The site sends its readers to a login page, %s.", address(to)).
			Try("Ask the user to open its API to programs; a key does not pass a login page.")
	case s.base.Scheme == "http" && to.Scheme == "https" && to.Hostname() == s.base.Hostname():
		return provider("The site wants https: it redirects %s there. Nothing was sent on.", s.base.Host).
			Try("Ask the user to set WAGTAIL_BASE_URL to %s.", baseOf(to, path))
	case own && to.Path == response.URL.Path:
		return provider("The site redirects %s to itself: something before it wants a browser.", address(to)).
			Try("Ask the user to let this machine reach %s.", s.apiPath())
	case own:
		return provider("The site redirects its API to %s, on the same host.", address(to)).
			Try("Ask the user to set WAGTAIL_API_PATH to where the API is.")
	}
	return provider("The site redirects its API to another host, %s. Nothing was sent there.", tools.Line(to.Host)).
		Try("If that is the site, ask the user to set WAGTAIL_BASE_URL to %s.", baseOf(to, path))
}

// baseOf is where a site is whose address of a path is known.
func baseOf(at *url.URL, path string) string {
	below, found := strings.CutSuffix(at.EscapedPath(), path)
	if !found {
		below = ""
	}
	return cut(tools.Line(origin(at)+below), 120)
}
