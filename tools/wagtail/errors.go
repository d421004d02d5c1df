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

// missing reports whether an error says that the site has no such endpoint or object.
func missing(err error) bool {
	r, ok := errors.AsType[*siteError](err)
	return ok && r.status == http.StatusNotFound
}

// refused words an answer with a status other than 200: what the API says, and what to do.
func (s *Site) refused(path string, response *upstream.Response) error {
	r := &siteError{status: response.Status, json: isJSON(response.MediaType())}
	if to, _ := response.Redirect(); r.status >= 300 && r.status < 400 {
		r.worded = s.redirected(response.URL, to)
		return r
	}
	said := named(r.status)
	if !r.json {
		said += fmt.Sprintf(" with a web page at %s%s/", s.apiPath(), firstStep(path))
	} else if r.message = words.Cut(tools.Line(apiMessage(response.Body)), 200); r.message != "" {
		said += ": " + strings.TrimRight(r.message, ".")
	}
	r.worded = provider("The site answered %s.", said)
	switch {
	case r.status == http.StatusUnauthorized, r.status == http.StatusForbidden:
		r.worded.Try("Ask the user to set or check WAGTAIL_API_KEY and WAGTAIL_AUTH_SCHEME, or to let this machine reach "+
			"%s. Keys are sent as %s%s; their user may have to be allowed to read this.", s.apiPath(), s.scheme,
			wanted(response))
	case r.status == http.StatusNotFound && r.json:
		r.worded.Code = tools.CodeNotFound
		r.worded.Try("Use %s or %s without filters to see what exists.", listPagesName, searchName)
	case r.status == http.StatusBadRequest && r.message != "":
		r.worded.Code = tools.CodeValidation
		adviseArgument(r, path)
	case r.status == http.StatusRequestURITooLong, r.status == http.StatusRequestHeaderFieldsTooLarge,
		r.status == http.StatusBadRequest:
		r.worded.Code = tools.CodeValidation
		r.worded.Try("Pass fewer fields, or shorter arguments.")
	case r.status == http.StatusTooManyRequests, r.status >= 500:
		r.worded.Try("%s If it stays so, ask the user to look into the site's log.", later(response.Header))
	default:
		r.worded.Try("Ask the user to check WAGTAIL_BASE_URL and WAGTAIL_API_PATH, and that the site registers the "+
			"endpoint %s.", firstStep(path))
	}
	if r.json {
		r.worded = r.worded.Said(response.Body)
	}
	return r
}

// wanted says which scheme of login the API expects, "" where it does not say.
func wanted(response *upstream.Response) string {
	scheme, _, _ := strings.Cut(response.Header.Get("WWW-Authenticate"), " ")
	if scheme == "" {
		return ""
	}
	return ", and the API wants " + words.Cut(tools.Line(scheme), 20)
}

// named returns a status with its name.
func named(status int) string {
	return strings.TrimSpace(fmt.Sprint(status, " ", http.StatusText(status)))
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

// unread words an answer with status 200 that is not what the API answers.
func (s *Site) unread(path string, isJSON bool) error {
	what := "no JSON: a login or maintenance page, or no Wagtail API"
	if isJSON {
		what = "JSON that breaks off, or that Wagtail's API v2 does not answer with"
	}
	return provider("The site answered at %s%s/ with %s.", s.apiPath(), firstStep(path), what).
		Try("Try again in a moment. If it stays so, ask the user to open that address, and to check WAGTAIL_BASE_URL " +
			"and WAGTAIL_API_PATH; the API v3 is another one.")
}

// apiPath is the path of the API on its host.
func (s *Site) apiPath() string { return strings.TrimRight(s.base.EscapedPath(), "/") + s.api }

func firstStep(path string) string {
	step, _, _ := strings.Cut(path, "/")
	return step
}

// unanswered words the reason why there is no answer.
func (s *Site) unanswered(err error) error {
	e, ok := errors.AsType[*upstream.Error](err)
	if !ok {
		return err
	}
	wrong := provider("The site cannot be asked: %s.", e.Error())
	switch e.Reason {
	case upstream.TooLarge:
		return &siteError{large: true, worded: provider("The site cannot be asked: its answer is over %d MB.",
			e.Policy.MaxBody>>20).
			Try("Ask for fewer fields or a smaller limit.")}
	case upstream.TimedOut, upstream.CutOff:
		return wrong.Try("Ask for less at a time, or try again in a moment.")
	}
	return wrong.Try("Ask the user to check WAGTAIL_BASE_URL, its scheme and certificate, and that the site is up.")
}

// later says when to try again.
func later(header http.Header) string {
	return "Try again in " + cmp.Or(upstream.PauseText(header, time.Now()), "a moment") + "."
}

// address returns a URL of the site, fit to be shown.
func address(u *url.URL) string {
	shown := *u
	shown.RawQuery, shown.Fragment, shown.User = "", "", nil
	return words.Cut(tools.Line(shown.String()), 120)
}

// redirected words a redirect of the site. It is not followed: the key would be sent along, or a
// web page come back.
func (s *Site) redirected(from, to *url.URL) *tools.Error {
	if to == nil {
		return provider("The site answered with a redirect and does not say where to go on.").
			Try("Ask the user to check WAGTAIL_BASE_URL.")
	}
	return provider("The site redirects %s to %s. Nothing was sent there.", address(from), address(to)).
		Try("If the site is there, ask the user to set WAGTAIL_BASE_URL and WAGTAIL_API_PATH to it. A key does not pass " +
			"a login page.")
}
