package wagtail

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"issues-index/tools"
	"issues-index/tools/upstream"
)

// A refusal is an answer of the API that is not what was asked for. For a client
// it is the tools.Error in it.
type refusal struct {
	worded *tools.Error

	status  int
	message string // the API's own, "" for none
	json    bool   // it was the API that answered, not what is before it
}

func (r *refusal) Error() string { return r.worded.Error() }

func (r *refusal) Unwrap() error { return r.worded }

// absent reports whether an error says that there is no such object.
func absent(err error) bool {
	var r *refusal
	return errors.As(err, &r) && r.status == http.StatusNotFound && r.json
}

// refused words an answer with another status than 200.
func (s *Site) refused(path string, response *upstream.Response) error {
	r := &refusal{status: response.Status}
	if r.json = isJSON(response.MediaType()); r.json {
		r.message = message(complained(response.Body))
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
		r.worded = tools.Errorf(tools.CodeNotFound, "The site has nothing there: %s", said(r.message)).
			Try("Use %s or %s without filters to see what there is.", listPagesName, searchName)
	case response.Status == http.StatusNotFound:
		endpoint, _, _ := strings.Cut(path, "/")
		r.worded = provider("%s has no API for %s at %s%s/: it answered 404 with a web page.", s.base.Host, endpoint, s.apiPath(), endpoint).
			Try("Ask the user to check WAGTAIL_API_PATH, and that the site registers the endpoint %s.", endpoint)
	case response.Status == http.StatusBadRequest && r.message != "":
		r.worded = invalid(path, r.message)
	case response.Status == http.StatusRequestURITooLong, response.Status == http.StatusRequestHeaderFieldsTooLarge,
		response.Status == http.StatusBadRequest && len(response.URL.RawQuery) > maxList:
		r.worded = tools.Errorf(tools.CodeValidation, "The site answered %s: the arguments are too long for it.", named(response.Status)).
			Try("Pass fewer fields, or shorter arguments.")
	case response.Status == http.StatusTooManyRequests:
		r.worded = provider("The site answered 429, too many requests: %s", said(r.message)).Try("%s", later(response.Header))
	case response.Status >= 500:
		r.worded = provider("The site answered %s%s.", named(response.Status), also(r.message)).
			Try("%s If it stays so, ask the user to look into the site's log.", later(response.Header))
	default:
		r.worded = provider("The site answered %s%s.", named(response.Status), also(r.message)).
			Try("Ask the user to check WAGTAIL_BASE_URL and WAGTAIL_API_PATH.")
	}
	if r.json {
		r.worded = r.worded.Said(response.Body)
	}
	return r
}

// named is a status with its name, if it has one.
func named(status int) string {
	return strings.TrimSpace(fmt.Sprint(status, " ", http.StatusText(status)))
}

// loginScheme is the scheme of a login that an answer asks for, in brackets.
func loginScheme(header http.Header) string {
	scheme, _, _ := strings.Cut(header.Get("WWW-Authenticate"), " ")
	if scheme = cut(tools.Line(scheme), 20); scheme == "" {
		return ""
	}
	return " (" + scheme + ")"
}

// complained is what the API says in an error: Wagtail under message, the REST
// framework under detail, or by field.
func complained(body []byte) string {
	var said struct{ Message, Detail json.RawMessage }
	_ = json.Unmarshal(body, &said) // what is no object says it by itself
	for _, value := range []json.RawMessage{said.Message, said.Detail, body} {
		if text := cmp.Or(textOf(value), brief(value, reference{})); text != "" {
			return text
		}
	}
	return ""
}

func provider(format string, args ...any) *tools.Error {
	return tools.Errorf(tools.CodeProvider, format, args...)
}

// keyRefused words a 401 or 403 of the API. WWW-Authenticate names the scheme that
// it wants, and a key in another one is to it as none.
func (s *Site) keyRefused(r *refusal, wanted string) *tools.Error {
	e := provider("The site answered %d: %s", r.status, said(r.message))
	scheme, _, _ := strings.Cut(wanted, " ")
	switch {
	case s.key == "" && scheme != "" && !takesKeys(scheme):
		return e.Try("Its API wants a login (%s): ask the user to let it take keys as Bearer or Token, and to set WAGTAIL_API_KEY.", cut(tools.Line(scheme), 40))
	case s.key == "" && r.status == http.StatusUnauthorized:
		return e.Try("Its API wants a key: ask the user to set WAGTAIL_API_KEY%s.", schemeHint(scheme))
	case s.key == "":
		return e.Try("Its API is not open to everyone: ask the user to set WAGTAIL_API_KEY, or to allow keys in the site's API.")
	case scheme != "" && !takesKeys(scheme):
		return e.Try("The key was sent as %s, and the site wants %s: ask the user to let the site's API take keys as Bearer or Token.", s.scheme, cut(tools.Line(scheme), 40))
	case scheme != "" && !strings.EqualFold(scheme, s.scheme):
		return e.Try("The key was sent as %s, and the site wants %s: ask the user to set WAGTAIL_AUTH_SCHEME=%s.", s.scheme, tools.Line(scheme), tools.Line(scheme))
	case r.status == http.StatusForbidden:
		return e.Try("Ask the user for a key that may read this, in WAGTAIL_API_KEY.")
	}
	return e.Try("Ask the user to check WAGTAIL_API_KEY.")
}

// takesKeys reports whether a scheme is one in which a key can be sent.
func takesKeys(scheme string) bool {
	return strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Token")
}

func schemeHint(scheme string) string {
	if scheme == "" || strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return " and WAGTAIL_AUTH_SCHEME=" + tools.Line(scheme)
}

// unread words an answer that is not what the API answers although its status is 200.
func (s *Site) unread(path string, response *upstream.Response) error {
	switch packed := response.Header.Get("Content-Encoding"); {
	case packed != "" && packed != "identity": // one that was not asked for, or it would be unpacked
		return provider("%s packed its answer with %s, which was not asked for.", s.base.Host, cut(tools.Line(packed), 20)).
			Try("Ask the user to look into what stands before the site: a cache, perhaps.")
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

// apiPath is where the API is, from the host on.
func (s *Site) apiPath() string { return strings.TrimRight(s.base.EscapedPath(), "/") + s.api }

func firstStep(path string) string {
	step, _, _ := strings.Cut(path, "/")
	return step + "/"
}

// unanswered words what kept an answer from coming.
func (s *Site) unanswered(err error) error {
	var e *upstream.Error
	if !errors.As(err, &e) {
		return err
	}
	wrong := provider("The site cannot be asked: %s.", e.Error())
	switch e.Reason {
	case upstream.TimedOut:
		return wrong.Try("Ask for less at a time, or try again later.")
	case upstream.TooLarge:
		return &oversized{provider("The site cannot be asked: its answer is over %d MB.", e.Policy.MaxBody>>20).
			Try("Ask for fewer fields or a smaller limit.")}
	case upstream.Garbled:
		return wrong.Try("Ask the user to look into what stands before the site: a cache, perhaps.")
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

// message is what the API said, fit for a sentence.
func message(text string) string { return cut(tools.Line(text), 200) }

// said is a message as the end of a sentence.
func said(text string) string {
	if text == "" {
		return "it does not say why."
	}
	return strings.TrimRight(text, ".") + "."
}

// also is a message behind a status.
func also(text string) string {
	if text == "" {
		return ""
	}
	return ": " + strings.TrimRight(text, ".")
}

// address is a URL of the site's as it may be shown.
func address(u *url.URL) string {
	shown := *u
	shown.RawQuery, shown.Fragment, shown.User = "", "", nil
	return cut(tools.Line(shown.String()), 120)
}
