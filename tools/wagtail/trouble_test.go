package wagtail

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"issues-index/tools"
	"issues-index/tools/toolstest"
	"issues-index/tools/upstream"
	"issues-index/tools/wagtail/wagtailtest"
)

const secret = "hunter2-api-key"

// everyTool is a call of each tool.
var everyTool = []struct {
	tool string
	args with
}{
	{listPagesName, with{}},
	{pageDetailsName, with{"id": 5}},
	{pageDetailsName, with{"html_path": "/visit/"}},
	{pageDetailsName, with{"slug": "visit"}},
	{pageHTMLName, with{"id": 5}},
	{listImagesName, with{}},
	{"wagtail_get_image_details", with{"id": 1}},
	{listDocumentsName, with{}},
	{"wagtail_get_document_details", with{"id": 1}},
	{searchName, with{"query": "harbour"}},
	{findName, with{"text": "harbour"}},
	{overviewName, with{}},
}

// A witness keeps what a server leaves behind besides its answers.
type witness struct{ log, records bytes.Buffer }

// watched serves the tools over a site with a key, at every level of its log.
func watched(t *testing.T, o Options) (*toolstest.Client, *witness) {
	t.Helper()
	w := &witness{}
	o.Key = secret
	o.Sleep = func(context.Context, time.Duration) error { return nil }
	site, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return toolstest.NewClient(t, tools.Config{
		Output: tools.OutputBoth, Toolsets: []tools.Toolset{Toolset(site)},
		Log:    slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Record: func(c tools.Call) { fmt.Fprintf(&w.records, "%+v %s\n", c, c.Text()) },
	}), w
}

// answers is a handler that always answers so.
func answers(status int, contentType, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for n := 0; n < len(headers); n += 2 {
			w.Header().Set(headers[n], headers[n+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// repeats is a site that says whatever it was told, the key among it.
func repeats(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"detail": "I was sent %s", "id": 1, "title": %q}`, r.Header.Get("Authorization"), r.Header.Get("Authorization"))
	}
}

const json400 = `{"message": "limit must be a positive integer"}`

func TestErrorsOfTheSite(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host was asked: %s %v", r.URL, r.Header)
	}))
	defer elsewhere.Close()
	recorded := func(name string) http.HandlerFunc {
		r := wagtailtest.Recorded(t, name)
		return func(w http.ResponseWriter, _ *http.Request) {
			for header, value := range r.Headers {
				w.Header().Set(header, value)
			}
			w.WriteHeader(r.Status)
			w.Write(r.Bytes())
		}
	}
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		code    string
		says    []string // every answer
	}{
		{"a 400 of the API", answers(400, "application/json", json400), "VALIDATION_ERROR", []string{"400 Bad Request: limit must be a positive integer."}},
		{"no key, and Token is wanted", recorded("auth-token-none"), "PROVIDER_ERROR", []string{"401", "Authentication credentials were not provided.", "and the API wants Token"}},
		{"a key in the wrong scheme", recorded("auth-token-other-scheme"), "PROVIDER_ERROR", []string{"Keys are sent as Bearer, and the API wants Token"}},
		{"a wrong key", recorded("auth-bearer-wrong-key"), "PROVIDER_ERROR", []string{"401 Unauthorized: Invalid token.", "check WAGTAIL_API_KEY"}},
		{"an API for names and passwords", answers(401, "application/json", `{"detail": "Invalid username/password."}`, "WWW-Authenticate", `Basic realm="api"`), "PROVIDER_ERROR", []string{"401 Unauthorized: Invalid username/password.", "the API wants Basic"}},
		{"no key, and a name and password are wanted", answers(401, "application/json", `{"detail": "Who is there?"}`, "WWW-Authenticate", `Basic realm="api"`), "PROVIDER_ERROR", []string{"401 Unauthorized: Who is there?", "the API wants Basic", "WAGTAIL_API_KEY"}},
		{"a user who is gone", recorded("auth-bearer-inactive-user"), "PROVIDER_ERROR", []string{"User inactive or deleted."}},
		{"a key that may not", recorded("auth-staff-forbidden"), "PROVIDER_ERROR", []string{"403 Forbidden: You do not have permission to perform this action.", "may have to be allowed to read this"}},
		{"an API for sessions alone", recorded("auth-session-none"), "PROVIDER_ERROR", []string{"403 Forbidden: Authentication credentials were not provided."}},
		{"a 403 of something before the site", answers(403, "text/html", "<h1>Forbidden"), "PROVIDER_ERROR", []string{"403 Forbidden with a web page"}},
		{"a 401 of something before the site", answers(401, "text/html", "<h1>Unauthorized", "WWW-Authenticate", `Basic realm="staging"`), "PROVIDER_ERROR", []string{"401 Unauthorized with a web page", "the API wants Basic", "let this machine reach /api/v2/"}},
		{"a wrong path", recorded("trouble-api-path-wrong"), "PROVIDER_ERROR", []string{"404 Not Found with a web page at /api/v2/", "check WAGTAIL_BASE_URL and WAGTAIL_API_PATH"}},
		{"no JSON wanted", recorded("pages-list-jsononly-accept-html"), "PROVIDER_ERROR", []string{"406 Not Acceptable: Could not satisfy the request Accept header"}},
		{"arguments that are too long", answers(414, "text/html", "<h1>Request-URI Too Long"), "VALIDATION_ERROR", []string{"414 Request URI Too Long", "Pass fewer fields"}},
		{"too many requests", recorded("trouble-throttled-4"), "PROVIDER_ERROR", []string{"429", "Request was throttled. Expected available in 60 seconds.", "Try again in 60 seconds."}},
		{"a bare 500", recorded("trouble-500-html"), "PROVIDER_ERROR", []string{"500 Internal Server Error", "site's log"}},
		{"maintenance", recorded("trouble-maintenance-503"), "PROVIDER_ERROR", []string{"503 Service Unavailable", "Try again"}},
		{"too many requests for today", answers(429, "application/json", `{"detail": "slow"}`, "Retry-After", "72000"), "PROVIDER_ERROR", []string{"slow. Try again in 20 hours."}},
		{"too many requests for ever", answers(429, "application/json", `{"detail": "slow"}`, "Retry-After", "99999999999999999999999"), "PROVIDER_ERROR", []string{"slow. Try again in more than a month."}},
		{"a status that nobody knows", answers(599, "text/html", "<p>"), "PROVIDER_ERROR", []string{"The site answered 599 with a web page", "Try again"}},
		{"a 502 that says when", answers(502, "text/html", "<p>", "Retry-After", "30"), "PROVIDER_ERROR", []string{"502 Bad Gateway", "Try again in 30 seconds."}},
		{"a login page in its place", recorded("trouble-login-page-200-html"), "PROVIDER_ERROR", []string{"with no JSON", "login or maintenance page"}},
		{"a way to a login page", answers(302, "text/html", "", "Location", "/_util/login/?next=/"), "PROVIDER_ERROR", []string{"login page", "/_util/login/"}},
		{"a redirect to another host", answers(302, "text/html", "", "Location", elsewhere.URL+"/api/v2/pages/"), "PROVIDER_ERROR", []string{"to " + elsewhere.URL, "Nothing was sent there", "set WAGTAIL_BASE_URL"}},
		{"a redirect to https", answers(301, "text/html", "", "Location", "https://127.0.0.1/api/v2/"), "PROVIDER_ERROR", []string{"to https://127.0.0.1/api/v2/", "set WAGTAIL_BASE_URL and WAGTAIL_API_PATH"}},
		{"a redirect on the same host", answers(301, "text/html", "", "Location", "/cms/api/v2/"), "PROVIDER_ERROR", []string{"redirects", "/cms/api/v2/", "WAGTAIL_API_PATH"}},
		{"a redirect to itself", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", r.URL.String())
			w.WriteHeader(http.StatusFound)
		}, "PROVIDER_ERROR", []string{"redirects", "Nothing was sent there"}},
		{"a redirect to where the site is", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://www.example.org/museum"+r.URL.String())
			w.WriteHeader(http.StatusMovedPermanently)
		}, "PROVIDER_ERROR", []string{"to https://www.example.org/museum/api/v2/", "WAGTAIL_BASE_URL"}},
		{"a redirect to what is no web address", answers(301, "text/html", "", "Location", "javascript:alert(1)"), "PROVIDER_ERROR", []string{"does not say where to go on"}},
		{"a redirect to nowhere", answers(301, "text/html", ""), "PROVIDER_ERROR", []string{"does not say where to go on"}},
		{"a redirect whose header is broken", func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				io.WriteString(conn, "HTTP/1.1 301 Moved Permanently\r\nLocation\r\n\r\n")
				conn.Close()
			}
		}, "PROVIDER_ERROR", []string{"sent an answer that is not valid HTTP", "check WAGTAIL_BASE_URL"}},
		{"JSON that breaks off", answers(200, "application/json", `{"items": [`), "PROVIDER_ERROR", []string{"JSON that breaks off", "Try again in a moment"}},
		{"JSON that is packed as nobody asked", answers(200, "application/json", "\x1b\x00\x00", "Content-Encoding", "br"), "PROVIDER_ERROR", []string{"JSON that breaks off"}},
		{"what is no gzip, though it says so", answers(200, "application/json", "no gzip at all", "Content-Encoding", "gzip"), "PROVIDER_ERROR", []string{"sent an answer that cannot be unpacked"}},
		{"a 400 by field", answers(400, "application/json", `{"limit": ["A valid integer is required."]}`), "VALIDATION_ERROR", []string{`{"limit":["A valid integer is required."]}`}},
		{"a 400 with several messages", answers(400, "application/json", `{"message": ["one thing", "another"]}`), "VALIDATION_ERROR", []string{"400 Bad Request: one thing, another."}},
		{"too many requests a while ago", answers(429, "application/json", `{"detail": "slow"}`, "Retry-After", "Fri, 01 Jan 2021 00:00:00 GMT"), "PROVIDER_ERROR", []string{"slow. Try again in a moment."}},
		{"JSON of something else", answers(200, "application/json", `[1, 2]`), "PROVIDER_ERROR", []string{"The site answered at /api/v2/", "with JSON", "Wagtail's API v2 does not answer with"}},
		{"a site that repeats the key and refuses it", repeats(401), "PROVIDER_ERROR", []string{"401 Unauthorized: I was sent Bearer (secret)."}},
		{"one that repeats it and breaks", repeats(500), "PROVIDER_ERROR", []string{"500 Internal Server Error: I was sent Bearer (secret)."}},
		{"one that sends its reader on with it", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/"+strings.ReplaceAll(r.Header.Get("Authorization"), " ", "/")+"/")
			w.WriteHeader(http.StatusFound)
		}, "PROVIDER_ERROR", []string{"/Bearer/(secret)/"}},
		{"one that wants a scheme of that name", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("WWW-Authenticate", strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			w.WriteHeader(http.StatusUnauthorized)
		}, "PROVIDER_ERROR", []string{"401", "the API wants (secret)"}},
		{"a site that is slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "PROVIDER_ERROR", []string{"did not answer within 200ms", "Ask for less"}},
		{"a connection that is cut", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"half": `)
			panic(http.ErrAbortHandler)
		}, "PROVIDER_ERROR", []string{"cut the connection", "try again in a moment"}},
		{"200 MB", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for piece := bytes.Repeat([]byte(" "), 1<<20); ; {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}, "PROVIDER_ERROR", []string{"its answer is over 1 MB", "fewer fields"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			o := Options{BaseURL: server.URL, Policy: upstream.Policy{MaxBody: 1 << 20, Retries: 1}}
			if strings.Contains(c.name, "slow") {
				o.Policy.Timeout = 200 * time.Millisecond
			}
			client, w := watched(t, o)
			if strings.HasPrefix(c.name, "no key") {
				o.Sleep = nil
				client = clientOf(t, o, tools.OutputBoth)
			}
			for _, call := range everyTool {
				answer := client.Call(t, call.tool, call.args)
				if !answer.IsError || answer.Meta.Error.Code != c.code {
					t.Fatalf("%s: %s", call.tool, answer.Text())
				}
				for _, words := range c.says {
					if !strings.Contains(answer.Text(), words) {
						t.Errorf("%s does not say %q: %s", call.tool, words, answer.Text())
					}
				}
				if answer.Meta.Error.Remediation == "" || len(answer.Text()) > 500 {
					t.Errorf("%s says nothing to do next, or too much: %s", call.tool, answer.Text())
				}
				w.hides(t, answer)
			}
		})
	}
}

// hides fails the test when the key is anywhere.
func (w *witness) hides(t *testing.T, a toolstest.Answer) {
	t.Helper()
	whole, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"answer": string(whole), "log": w.log.String(), "telemetry": w.records.String()} {
		if strings.Contains(text, secret) {
			t.Errorf("the key is in the %s: %s", where, text)
		}
	}
}

func TestUnreachableSite(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	private := httptest.NewTLSServer(http.NotFoundHandler())
	private.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	defer private.Close()
	for _, c := range []struct{ name, base, says, try string }{
		{"nothing listens", gone.URL, "refused the connection", "check WAGTAIL_BASE_URL, its scheme and certificate, and that the site is up"},
		{"a certificate that nobody signed", private.URL, "certificate of 127.0.0.1", "its scheme and certificate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, w := watched(t, Options{BaseURL: c.base})
			for _, call := range everyTool {
				answer := client.Call(t, call.tool, call.args)
				if !answer.IsError || answer.Meta.Error.Code != "PROVIDER_ERROR" || !strings.Contains(answer.Text(), c.says) || !strings.Contains(answer.Text(), c.try) {
					t.Errorf("%s: %s", call.tool, answer.Text())
				}
				w.hides(t, answer)
			}
		})
	}
}

// The key is in nothing that a working site has us say either, and is sent to its
// API alone.
func TestErrorShowsWrongPathFromTheHostOn(t *testing.T) {
	server := httptest.NewServer(answers(404, "text/html", "<h1>Not found"))
	defer server.Close()
	refused(t, clientOf(t, Options{BaseURL: server.URL + "/museum/"}, tools.OutputBoth), listPagesName, with{}, "PROVIDER_ERROR", "",
		"with a web page at /museum/api/v2/pages/")
}

func TestKeyIsOnlySentToTheAPI(t *testing.T) {
	server := wagtailtest.NewServer(t)
	client, w := watched(t, Options{BaseURL: server.URL})
	for _, call := range everyTool {
		answer := client.Call(t, call.tool, call.args)
		if answer.IsError {
			t.Errorf("%s: %s", call.tool, answer.Text())
		}
		w.hides(t, answer)
	}
	for _, r := range server.Requests() {
		api := strings.HasPrefix(r.Path, "/api/v2/")
		if want := map[bool]string{true: "Bearer " + secret}[api]; r.Authorization != want {
			t.Errorf("%s was sent %q", r, r.Authorization)
		}
		if want := map[bool]string{true: "application/json", false: "text/html"}[api]; r.Accept != want {
			t.Errorf("%s accepts %q", r, r.Accept)
		}
	}

	t.Run("a site that repeats it in its content", func(t *testing.T) {
		server := httptest.NewServer(repeats(200))
		defer server.Close()
		client, w := watched(t, Options{BaseURL: server.URL})
		answer := client.Call(t, "wagtail_get_image_details", with{"id": 1})
		if answer.IsError || !strings.Contains(answer.Text(), "Bearer (secret)") {
			t.Error(answer.Text())
		}
		w.hides(t, answer)
	})
}

func TestEveryFormOfTheKeyIsRedacted(t *testing.T) {
	const key = `a"b\\c/d+e%f<g`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		quoted, err := json.Marshal(sent)
		if err != nil || sent != key {
			t.Errorf("%q was sent: %v", sent, err)
		}
		plainJSON := strings.ReplaceAll(string(quoted), "\\u003c", "<")
		answers(http.StatusUnauthorized, "application/json", `{"detail": `+strings.TrimSuffix(plainJSON, `"`)+" or "+url.QueryEscape(sent)+" or "+url.PathEscape(sent)+`"}`)(w, r)
	}))
	defer server.Close()
	a := clientOf(t, Options{BaseURL: server.URL, Key: key}, tools.OutputBoth).Call(t, listPagesName, with{})
	if !strings.Contains(a.Text(), "401 Unauthorized: (secret) or (secret) or (secret).") {
		t.Error(a.Text())
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		path, key, scheme string
		says              string
	}{
		{"/bearer/api/v2/", wagtailtest.ReaderKey, "", "Showing 20 of 63 pages"},
		{"/token/api/v2", wagtailtest.ReaderKey, "Token", "Showing 20 of 63 pages"},
		{"token/api/v2", wagtailtest.ReaderKey, "Bearer", "the API wants Token"},
		{"/token/api/v2/", "", "", "and the API wants Token"},
		{"/bearer/api/v2/", "", "", "set or check WAGTAIL_API_KEY"},
		{"/session/api/v2/", "", "", "set or check WAGTAIL_API_KEY"},
		{"/staff/api/v2/", wagtailtest.ReaderKey, "", "may have to be allowed to read this"},
		{"/staff/api/v2/", wagtailtest.StaffKey, "", "Showing 20 of 63 pages"},
	} {
		t.Run(c.path+" "+c.scheme, func(t *testing.T) {
			client, _ := newClient(t, Options{APIPath: c.path, Key: c.key, Scheme: c.scheme})
			if answer := client.Call(t, listPagesName, with{}); !strings.Contains(answer.Text(), c.says) {
				t.Error(answer.Text())
			}
		})
	}
}

// What passes in a moment is asked again, a few times; what asks for more patience
// than a call has is not.
func TestTemporaryFailureIsRetried(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		fails  int // times before it works
		after  string
		asked  int
		works  bool
	}{
		{"a 503 that passes", 503, 2, "", 3, true},
		{"a 429 with a short wait", 429, 1, "1", 2, true},
		{"a 502 that stays", 502, 100, "", 3, false},
		{"a 504 that stays", 504, 100, "", 3, false},
		{"a 429 with a long wait", 429, 1, "60", 1, false},
		{"a 500", 500, 1, "", 1, false},
		{"a 400", 400, 1, "", 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			site := wagtailtest.NewServer(t)
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked++; asked > c.fails {
					site.ServeHTTP(w, r)
					return
				}
				answers(c.status, "application/json", `{"detail": "not now"}`, "Retry-After", c.after)(w, r)
			}))
			defer server.Close()
			client, _ := watched(t, Options{BaseURL: server.URL})
			if a := client.Call(t, listPagesName, with{}); a.IsError == c.works || asked != c.asked || a.IsError && !strings.Contains(a.Text(), "not now") {
				t.Errorf("asked %d times: %s", asked, a.Text())
			}
		})
	}
}
