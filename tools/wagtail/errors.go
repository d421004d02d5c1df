package wagtail

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/upstream"
)

// A siteError is an answer of the site other than the one asked for. For a client it is
// the tools.Error in it.
type siteError struct {
	worded *tools.Error

	status  int
	message string // the API's own, "" for none
	json    bool   // it was the API that answered, not what is before it

	// large is true for an answer with more than is read, for which status is 0. Fewer
	// objects at a time may have less.
	large bool
}

func (r *siteError) Error() string { return r.worded.Error() }

func (r *siteError) Unwrap() error { return r.worded }

// absent reports whether an error says that the API has no such object.
func absent(err error) bool {
	r, ok := errors.AsType[*siteError](err)
	return ok && r.status == http.StatusNotFound && r.json
}

// refused words an answer with a status other than 200.
func (s *Site) refused(path string, response *upstream.Response) error {
	r := &siteError{status: response.Status}
	if r.json = isJSON(response.MediaType()); r.json {
		r.message = words.Cut(tools.Line(apiMessage(response.Body)), 200)
	}
	switch {
	case response.Status >= 300 && response.Status < 400:
		r.worded = s.redirected(s.api+path, response)
	case response.Status == http.StatusUnauthorized && isHTML(response.MediaType()):
		r.worded = provider("%s answered 401 Unauthorized with a web page: something before the site asks for a login%s.", s.base.Host, loginScheme(response.Header)).
			Try("Ask the user to let this machine reach %s without it.", s.apiPath())
	case response.Status == http.StatusUnauthorized, response.Status == http.StatusForbidden && r.json:
		r.worded = s.keyRefused(r, response.Header.Get("WWW-Authenticate"))
	case response.Status == http.StatusForbidden:
		r.worded = provider("%s answered 403 Forbidden with a web page: something before the site keeps programs out.", s.base.Host).
			Try("Ask the user to let this machine reach %s.", s.apiPath())
	case response.Status == http.StatusNotFound && r.json:
		r.worded = tools.Errorf(tools.CodeNotFound, "The site has nothing there: %s", asSentence(r.message)).
			Try("Use %s or %s without filters to see what exists.", listPagesName, searchName)
	case response.Status == http.StatusNotFound:
		endpoint, _, _ := strings.Cut(path, "/")
		r.worded = provider("%s has no API for %s at %s%s/: it answered 404 with a web page.", s.base.Host, endpoint, s.apiPath(), endpoint).
			Try("Ask the user to check WAGTAIL_API_PATH, and that the site registers the endpoint %s.", endpoint)
	case response.Status == http.StatusBadRequest && r.message != "":
		r.worded = badRequest(path, r.message)
	case response.Status == http.StatusRequestURITooLong, response.Status == http.StatusRequestHeaderFieldsTooLarge,
		response.Status == http.StatusBadRequest && len(response.URL.RawQuery) > maxList:
		r.worded = tools.Errorf(tools.CodeValidation, "The site answered %s: the arguments are too long for it.", named(response.Status)).
			Try("Pass fewer fields, or shorter arguments.")
	case response.Status == http.StatusTooManyRequests:
		r.worded = provider("The site answered 429, too many requests: %s", asSentence(r.message)).Try("%s", later(response.Header))
	case response.Status >= 500:
		r.worded = provider("The site answered %s%s.", named(response.Status), afterStatus(r.message)).
			Try("%s If it stays so, ask the user to look into the site's log.", later(response.Header))
	default:
		r.worded = provider("The site answered %s%s.", named(response.Status), afterStatus(r.message)).
			Try("Ask the user to check WAGTAIL_BASE_URL and WAGTAIL_API_PATH.")
	}
	if r.json {
		r.worded = r.worded.Said(response.Body)
	}
	return r
}

// named returns a status with its name.
func named(status int) string {
	return strings.TrimSpace(fmt.Sprint(status, " ", http.StatusText(status)))
}

// loginScheme returns the scheme of the login that an answer asks for, in brackets.
func loginScheme(header http.Header) string {
	scheme, _, _ := strings.Cut(header.Get("WWW-Authenticate"), " ")
	if scheme = words.Cut(tools.Line(scheme), 20); scheme == "" {
		return ""
	}
	return " (" + scheme + ")"
}

// apiMessage returns the message of an error of the API: Wagtail has it under message,
// the REST framework under detail, or by field.
func apiMessage(body []byte) string {
	var said struct{ Message, Detail json.RawMessage }
	_ = json.Unmarshal(body, &said) // what is no object says it by itself
	for _, value := range []json.RawMessage{said.Message, said.Detail, body} {
		if text := cmp.Or(textOf(value), brief(value, objectRef{})); text != "" {
			return text
		}
	}
	return ""
}

func provider(format string, args ...any) *tools.Error {
	return tools.Errorf(tools.CodeProvider, format, args...)
}

// keyRefused words a 401 or 403 of the API. WWW-Authenticate names the scheme that it
// expects; a key in another one is to it no key.
func (s *Site) keyRefused(r *siteError, wanted string) *tools.Error {
	e := provider("The site answered %d: %s", r.status, asSentence(r.message))
	scheme, _, _ := strings.Cut(wanted, " ")
	switch {
	case s.key == "" && scheme != "" && !takesKeys(scheme):
		return e.Try("Its API wants a login (%s): ask the user to let it take keys as Bearer or Token, and to set WAGTAIL_API_KEY.", words.Cut(tools.Line(scheme), 40))
	case s.key == "" && scheme != "" && !strings.EqualFold(scheme, "Bearer"):
		return e.Try("Its API wants a key: ask the user to set WAGTAIL_API_KEY and WAGTAIL_AUTH_SCHEME=%s.", tools.Line(scheme))
	case s.key == "" && r.status == http.StatusUnauthorized:
		return e.Try("Its API wants a key: ask the user to set WAGTAIL_API_KEY.")
	case s.key == "":
		return e.Try("Its API is not open to everyone: ask the user to set WAGTAIL_API_KEY, or to allow keys in the site's API.")
	case scheme != "" && !takesKeys(scheme):
		return e.Try("The key was sent as %s, and the site wants %s: ask the user to let the site's API take keys as Bearer or Token.", s.scheme, words.Cut(tools.Line(scheme), 40))
	case scheme != "" && !strings.EqualFold(scheme, s.scheme):
		return e.Try("The key was sent as %s, and the site wants %s: ask the user to set WAGTAIL_AUTH_SCHEME=%s.", s.scheme, tools.Line(scheme), tools.Line(scheme))
	case r.status == http.StatusForbidden:
		return e.Try("Ask the user for a key that may read this, in WAGTAIL_API_KEY.")
	}
	return e.Try("Ask the user to check WAGTAIL_API_KEY.")
}

// takesKeys reports whether a key can be sent in a scheme.
func takesKeys(scheme string) bool {
	return strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Token")
}

// unread words an answer with status 200 that is not what the API answers.
func (s *Site) unread(path string, response *upstream.Response) error {
	switch packed := response.Header.Get("Content-Encoding"); {
	case packed != "" && packed != "identity": // one that was not asked for, or it would be unpacked
		return provider("%s packed its answer with %s, which was not asked for.", s.base.Host, words.Cut(tools.Line(packed), 20)).
			Try("Ask the user to check the proxy or cache in front of the site.")
	case isJSON(response.MediaType()) && json.Valid(response.Body):
		return s.notWagtail(path)
	case isJSON(response.MediaType()):
		return provider("%s answered at %s%s with JSON that is broken or breaks off.", s.base.Host, s.apiPath(), firstStep(path)).
			Try("Try again in a moment, with fewer fields or a smaller limit. If it stays so, ask the user to open that address.")
	}
	return provider("%s did not answer with JSON at %s%s, though with status 200: a login or maintenance page, or no Wagtail API.", s.base.Host, s.apiPath(), firstStep(path)).
		Try("Ask the user to open that address, and to check WAGTAIL_BASE_URL and WAGTAIL_API_PATH.")
}

// notWagtail words JSON that is not what the API answers.
func (s *Site) notWagtail(path string) error {
	return provider("%s answered with JSON at %s%s that Wagtail's API v2 does not answer with.", s.base.Host, s.apiPath(), firstStep(path)).
		Try("Ask the user to check WAGTAIL_API_PATH; the API v3 is another one.")
}

// apiPath is the path of the API on its host.
func (s *Site) apiPath() string { return strings.TrimRight(s.base.EscapedPath(), "/") + s.api }

func firstStep(path string) string {
	step, _, _ := strings.Cut(path, "/")
	return step + "/"
}

// unanswered words the reason why there is no answer.
func (s *Site) unanswered(err error) error {
	e, ok := errors.AsType[*upstream.Error](err)
	if !ok {
		return err
	}
	wrong := provider("The site cannot be asked: %s.", e.Error())
	switch e.Reason {
	case upstream.TimedOut:
		return wrong.Try("Ask for less at a time, or try again later.")
	case upstream.TooLarge:
		return &siteError{large: true, worded: provider("The site cannot be asked: its answer is over %d MB.", e.Policy.MaxBody>>20).
			Try("Ask for fewer fields or a smaller limit.")}
	case upstream.Garbled:
		return wrong.Try("Ask the user to check the proxy or cache in front of the site.")
	case upstream.CutOff:
		return wrong.Try("Try again in a moment.")
	case upstream.NoTLS, upstream.SlowTLS:
		return wrong.Try("Ask the user whether WAGTAIL_BASE_URL should begin with http:// instead.")
	case upstream.Malformed:
		return wrong.Try("Ask the user to check WAGTAIL_BASE_URL, and what answers there.")
	case upstream.BadTLS:
		return wrong.Try("Ask the user to check the site's certificate, and whether WAGTAIL_BASE_URL has the right name and scheme.")
	default:
		return wrong.Try("Ask the user to check WAGTAIL_BASE_URL and that the site is up.")
	}
}

// later says when to try again.
func later(header http.Header) string {
	wait, asked := upstream.RetryAfter(header, time.Now())
	if !asked || wait < time.Second {
		return "Try again in a moment."
	}
	if wait > 31*24*time.Hour { // a mistake of the site's, or a word for never
		return "It asks for a pause of more than a month: ask the user why the site keeps this machine out."
	}
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"days", 24 * time.Hour}, {"hours", time.Hour}, {"minutes", time.Minute}} {
		if wait >= 2*unit.of {
			return fmt.Sprintf("Try again in %d %s.", int((wait+unit.of-1)/unit.of), unit.name)
		}
	}
	return fmt.Sprintf("Try again in %d seconds.", int((wait+time.Second-1)/time.Second))
}

// asSentence returns a message as the end of a sentence.
func asSentence(text string) string {
	if text == "" {
		return "it does not say why."
	}
	return strings.TrimRight(text, ".") + "."
}

// afterStatus returns a message that follows a status.
func afterStatus(text string) string {
	if text == "" {
		return ""
	}
	return ": " + strings.TrimRight(text, ".")
}

// address returns a URL of the site, fit to be shown.
func address(u *url.URL) string {
	shown := *u
	shown.RawQuery, shown.Fragment, shown.User = "", "", nil
	return words.Cut(tools.Line(shown.String()), 120)
}

// An argumentMessage is a message of the API about an argument: the argument, and what to do.
type argumentMessage struct {
	says  func() *regexp.Regexp
	field string
	try   string
}

var argumentMessages = []argumentMessage{
	{pattern.Lazy(`^fields error: |nested fields$`), "fields",
		"Name fields with commas between them; * is all of them, -x all but x, x(a,b) fields of a related object."},
	{pattern.Lazy(`^type doesn't exist`), "type", "A type is app_label.ModelName with the app in its exact case, such as home.HomePage."},
	{pattern.Lazy(`^cannot order by .*while searching`), "order", "With search, order by title, first_published_at or id, or leave order out."},
	{pattern.Lazy(`^cannot order by |^random ordering`), "order",
		"Order by id, title, slug or first_published_at; by a type's own field only with that type. A minus before it turns it round."},
	{pattern.Lazy(`^cannot filter by '(\w+)' while searching`), "", "Leave search out, or that filter."},
	{pattern.Lazy(`^filtering by tag with a search`), "tags", "Leave search or tags out."},
	{pattern.Lazy(`^parent page doesn't exist`), "child_of", "There is no such page, or it is a draft or private. wagtail_list_pages with child_of: 'root' lists the first level."},
	{pattern.Lazy(`^ancestor page doesn't exist`), "descendant_of", "There is no such page, or it is a draft or private. Use 'root' for the whole tree."},
	{pattern.Lazy(`^descendant page doesn't exist`), "ancestor_of", "There is no such page, or it is a draft or private."},
	{pattern.Lazy(`^search is disabled`), "search", "This site's API has no search: list pages and narrow them by type, child_of or slug."},
	{pattern.Lazy(`^query parameter is not an operation`), "filter", "A field of a page type needs type with that one type; leave the filter out otherwise."},
	{pattern.Lazy(`^field filter error`), "filter", "Pass a value of the field's own kind: an id for a related object, true or false, a number."},
	{pattern.Lazy(`^limit `), "limit", "Leave limit out."},
}

// badRequest words a message of the API about the arguments of a request.
func badRequest(path, message string) *tools.Error {
	e := tools.Errorf(tools.CodeValidation, "The site refused the arguments (400): %s", asSentence(message))
	if strings.HasPrefix(message, unknownFields) {
		return e.On("fields").Try("%s", knownFields(path))
	}
	for _, c := range argumentMessages {
		if c.says().MatchString(message) {
			e.Field = c.field
			if c.field == "order" && !strings.HasPrefix(path, kindPages) {
				return e.Try("Order by id or title, or leave order out. A minus before it turns it round.")
			}
			return e.Try("%s", c.try)
		}
	}
	return e.Try("Change or leave out what it names.")
}

// unknownFields begins the API's message about a field that an object does not have.
const unknownFields = "unknown fields: "

// knownFields says which fields there are at a path of the API.
func knownFields(path string) string {
	switch kind, id, _ := strings.Cut(path, "/"); {
	case id != "":
		return "Without fields the answer has all that this " + singularOf(kind) + " has; take names from there."
	case kind == kindPages:
		return "Fields of a page type need type with that one type, such as type: 'blog.BlogPage'. Without fields every answer has the common ones."
	default:
		return "Without fields every answer has the common ones; the details of one " + singularOf(kind) + " show which others there are."
	}
}

// redirected words a redirect of the API. It is not followed: the key would be sent
// along, or a web page come back. path is what was asked for below the base; a URL
// that ends with it shows where the site is.
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

// baseOf returns the base of a site from the URL of a path on it.
func baseOf(at *url.URL, path string) string {
	below, found := strings.CutSuffix(at.EscapedPath(), path)
	if !found {
		below = ""
	}
	return words.Cut(tools.Line(origin(at)+below), 120)
}
