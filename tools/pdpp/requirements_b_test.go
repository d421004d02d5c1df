package pdpp

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

// What a connector in front of a resource server holds to, by the numbers of the
// study. B1 is about a running server: cmd/issues-index has it.

// stopped returns why a client does not start.
func stopped(t *testing.T, o Options) *StartError {
	t.Helper()
	_, err := New(o)
	var stop *StartError
	if !errors.As(err, &stop) {
		t.Fatalf("it starts: %v", err)
	}
	return stop
}

func TestB2CredentialsAreThoseOfAGrantOrNone(t *testing.T) {
	f := open(t)
	environment := func(name string) func(string) string {
		return func(asked string) string { return map[string]string{name: "owner-value-9b1f"}[asked] }
	}
	root := func(c pdpptest.Credential) string {
		root := t.TempDir()
		f.rs.WriteCredential(t, root, c)
		return root
	}
	file := func(content string) string {
		root := t.TempDir()
		name := f.rs.WriteCredential(t, root, pdpptest.Credential{})
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return root
	}
	for name, c := range map[string]struct {
		change func(*Options)
		exit   int
		says   string
	}{
		"no address":                {func(o *Options) { o.ProviderURL = "" }, 64, "no address"},
		"an address that is none":   {func(o *Options) { o.ProviderURL = "ftp://x" }, 64, "address"},
		"a password in the address": {func(o *Options) { o.ProviderURL = "https://u:secret-9b1f@example.org" }, 64, "address"},
		"no credential":             {func(o *Options) { o.CacheRoot = t.TempDir() }, 78, "No credential"},
		"an expired one":            {func(o *Options) { o.CacheRoot = root(pdpptest.Credential{Token: "token-9b1f", Expires: noon}) }, 78, "expired"},
		"no JSON":                   {func(o *Options) { o.CacheRoot = file("token-9b1f") }, 78, "malformed"},
		"JSON without one":          {func(o *Options) { o.CacheRoot = file(`{"access_token":"token-9b1f"}`) }, 78, "malformed"},
		"no token in it":            {func(o *Options) { o.CacheRoot = file(`{"credential":{"refresh_token":"token-9b1f"}}`) }, 78, "no access token"},
		"a token of two lines":      {func(o *Options) { o.CacheRoot = file(`{"credential":{"access_token":"token-9b1f\nX: y"}}`) }, 78, "no access token"},
		"an expiry that is none": {func(o *Options) {
			o.CacheRoot = file(`{"credential":{"access_token":"token-9b1f","expires_at":"soon"}}`)
		}, 78, "expires"},
		"the owner's":              {func(o *Options) { o.CacheRoot = root(pdpptest.Credential{Token: "token-9b1f", Kind: "owner"}) }, 77, "owner"},
		"the owner's, at the top":  {func(o *Options) { o.CacheRoot = file(`{"kind":"Owner","credential":{"access_token":"token-9b1f"}}`) }, 77, "owner"},
		"an owner's token around":  {func(o *Options) { o.Getenv = environment("PDPP_OWNER_TOKEN") }, 77, "PDPP_OWNER_TOKEN"},
		"an owner's cookie around": {func(o *Options) { o.Getenv = environment("PDPP_OWNER_SESSION_COOKIE") }, 77, "PDPP_OWNER_SESSION_COOKIE"},
	} {
		t.Run(name, func(t *testing.T) {
			options := f.options
			c.change(&options)
			stop := stopped(t, options)
			if stop.Exit != c.exit || !strings.Contains(stop.Message, c.says) || stop.Hint == "" {
				t.Errorf("exit %d: %s (%s)", stop.Exit, stop.Message, stop.Hint)
			}
			if stop.Exit == 78 && !strings.Contains(stop.Hint, "pdpp connect "+f.rs.URL) {
				t.Errorf("the remedy is not named: %s", stop.Hint)
			}
			if strings.Contains(stop.Message+stop.Hint, "9b1f") {
				t.Errorf("a secret is told: %s (%s)", stop.Message, stop.Hint)
			}
		})
	}
	if f.rs.Count() != 0 {
		t.Error("the resource server was asked at the start")
	}
	t.Run("the file is named after the host", func(t *testing.T) {
		address, err := url.Parse(f.rs.URL)
		if err != nil {
			t.Fatal(err)
		}
		want := filepath.Join(f.options.CacheRoot, "clients", "127.0.0.1_"+address.Port()+".json")
		if _, err := os.Stat(want); err != nil {
			t.Error(err)
		}
	})
}

func TestB3ACredentialExpiresBetweenTwoCalls(t *testing.T) {
	now := noon
	f := open(t, func(f *fixture) { f.options.Now = func() time.Time { return now } })
	f.must(t, "list_streams", nil)
	now = noon.Add(599 * time.Second)
	f.untouched(t, func() {
		answer := f.refused(t, codeCredentialExpired, "list_streams", nil, "pdpp connect "+f.rs.URL)
		if !strings.Contains(answer.Meta.Error.Remediation, "pdpp connect") {
			t.Errorf("%+v", answer.Meta.Error)
		}
	})
	t.Run("a renewed one is taken without a restart", func(t *testing.T) {
		f.rs.WriteCredential(t, f.options.CacheRoot, pdpptest.Credential{Token: pdpptest.ClientToken, Expires: now.Add(599 * time.Second)})
		f.must(t, "list_streams", nil)
	})
	t.Run("one that has become the owner's is not", func(t *testing.T) {
		f.rs.WriteCredential(t, f.options.CacheRoot, pdpptest.Credential{Token: pdpptest.OwnerToken, Kind: "owner"})
		f.untouched(t, func() { f.refused(t, codeOwnerRefused, "list_streams", nil) })
	})
}

func TestB4TheClientAsksAsItShould(t *testing.T) {
	f := open(t)
	f.must(t, "query_records", arguments{"stream": "issues", "limit": 1})
	header := f.rs.Last(t, pdpptest.Records).Header
	if header.Get("Authorization") != "Bearer "+pdpptest.ClientToken || header.Get("Accept") != "application/json" || header.Get("User-Agent") != "test" {
		t.Errorf("%v", header)
	}
	t.Run("the request id is read", func(t *testing.T) {
		_, answer := f.must(t, "list_streams", nil)
		if !strings.Contains(string(answer.Structured), `"request_id":"req_`) {
			t.Errorf("%s", answer.Structured)
		}
	})
	t.Run("too many requests are asked once more, after what the server asks to wait", func(t *testing.T) {
		f.rs.Put(pdpptest.Streams, pdpptest.Override{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "1"},
			Body: `{"error":{"type":"rate_limit_error","code":"rate_limit_exceeded","message":"Too many requests"}}`})
		before := f.rs.Count(pdpptest.Streams)
		f.refused(t, "rate_limit_exceeded", "list_streams", nil, "Wait 1s")
		if asked := f.rs.Count(pdpptest.Streams) - before; asked != 2 {
			t.Errorf("asked %d times", asked)
		}
		f.rs.Put(pdpptest.Streams, pdpptest.Override{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "1"}, Times: 1})
		f.must(t, "list_streams", nil)
	})
	t.Run("no other failure is asked again", func(t *testing.T) {
		for _, status := range []int{400, 401, 403, 404, 409, 410, 422, 500, 502, 503} {
			f.rs.Put(pdpptest.Streams, pdpptest.Override{Status: status, Body: `{"error":{"code":"some_code","message":"Some words"}}`})
			before := f.rs.Count(pdpptest.Streams)
			f.refused(t, "some_code", "list_streams", nil, "Some words", fmt.Sprint(status))
			if asked := f.rs.Count(pdpptest.Streams) - before; asked != 1 {
				t.Errorf("status %d: asked %d times", status, asked)
			}
		}
	})
	t.Run("what the server says of an error is kept word for word", func(t *testing.T) {
		const said = `{"type":"x_error","code":"x_code","message":"Words","param":"filter","more":{"deep":[1,2]}}`
		f.rs.Put(pdpptest.Streams, pdpptest.Override{Status: http.StatusBadRequest, Body: `{"error":` + said + `}`})
		answer := f.refused(t, "x_code", "list_streams", nil)
		if !strings.Contains(string(answer.Meta.Error.Upstream), said) || answer.Meta.Error.Field != "filter" {
			t.Errorf("%+v", answer.Meta.Error)
		}
	})
	t.Run("errors of another form", func(t *testing.T) {
		for body, code := range map[string]tools.Code{
			`{"error":"invalid_token","error_description":"The token is not active"}`: "invalid_token",
			`<html>Bad gateway</html>`: tools.CodeProvider, ``: tools.CodeProvider, `[]`: tools.CodeProvider, `{"error":[]}`: tools.CodeProvider,
			`{"error":{"code":"not a code!","message":"x"}}`: tools.CodeProvider,
		} {
			f.rs.Put(pdpptest.Streams, pdpptest.Override{Status: http.StatusBadGateway, Body: body})
			f.refused(t, code, "list_streams", nil)
		}
	})
	t.Run("a success that is no JSON object", func(t *testing.T) {
		for _, body := range []string{"<html>", "[]", `"x"`, "3", "{"} {
			f.rs.Put(pdpptest.Streams, pdpptest.Override{Body: body})
			f.refused(t, tools.CodeProvider, "list_streams", nil, "not with a JSON object")
		}
	})
	t.Run("the token is not taken to another host", func(t *testing.T) {
		reached := ""
		elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached = r.Header.Get("Authorization") + r.URL.Path }))
		defer elsewhere.Close()
		for _, status := range []int{301, 302, 307, 308} {
			f.rs.Put(pdpptest.Streams, pdpptest.Override{Status: status, Header: map[string]string{"Location": elsewhere.URL + "/v1/streams"}})
			f.refused(t, tools.CodeProvider, "list_streams", nil, "redirect")
			f.rs.Put(pdpptest.BlobOf, pdpptest.Override{Status: status, Header: map[string]string{"Location": elsewhere.URL + "/blob"}})
			f.Call(t, "fetch_blob", arguments{"blob_id": "blob_text"})
		}
		if reached != "" {
			t.Errorf("the other host was asked: %s", reached)
		}
	})
	t.Run("a body without end is not read", func(t *testing.T) {
		f.rs.Put(pdpptest.Streams, pdpptest.Override{Body: `{"data":"` + strings.Repeat("x", maxBody) + `"}`})
		f.refused(t, codeUnreachable, "list_streams", nil, "too large")
	})
}

func TestB5WhatIsSentIsEncoded(t *testing.T) {
	f := open(t, eraA)
	f.must(t, "query_records", arguments{
		"stream": "issues", "fields": []string{"id", "title"}, "expand": []string{"comments_list"}, "expand_limit": arguments{"comments_list": 2},
		"filter": arguments{"state": "open", "created_at": arguments{"gte": "2026-01-02T00:00:00Z", "lt": "2026-01-30T00:00:00Z"}, "comments": 3},
		"limit":  2, "connection_id": pdpptest.ConnectionID,
	})
	query := f.rs.Last(t, pdpptest.Records).Query
	for name, want := range map[string][]string{
		"filter[state]": {"open"}, "filter[created_at][gte]": {"2026-01-02T00:00:00Z"}, "filter[created_at][lt]": {"2026-01-30T00:00:00Z"},
		"filter[comments]": {"3"}, "expand": {"comments_list"}, "expand_limit[comments_list]": {"2"}, "fields": {"id", "title"},
		"limit": {"2"}, "connection_id": {pdpptest.ConnectionID},
	} {
		if !slices.Equal(query[name], want) {
			t.Errorf("%s is %v", name, query[name])
		}
	}
	if query.Has("filter") || query.Has("expand_limit") || len(query) != 9 {
		t.Errorf("%v", query)
	}
	t.Run("names are parts of a path, whatever they are", func(t *testing.T) {
		f.Call(t, "query_records", arguments{"stream": "a b?c#d%2e"})
		if path := f.rs.Last(t, pdpptest.Records).Path; path != "/v1/streams/a%20b%3Fc%23d%252e/records" {
			t.Error(path)
		}
	})
	t.Run("what leads to another path is refused before any call", func(t *testing.T) {
		f.untouched(t, func() {
			for _, bad := range []string{"..", ".", "a\x00b"} { // a key may have anything else in it
				f.refused(t, tools.CodeValidation, "fetch", arguments{"id": "issues:" + bad})
			}
			for _, bad := range []string{"..", "../blobs", "a/b", `a\b`, "a/../b", "/", ".", "a\x00b"} {
				for _, call := range []next{
					{"query_records", arguments{"stream": bad}},
					{"query_records", arguments{"stream": "issues", "connection_id": bad}},
					{"aggregate", arguments{"stream": bad, "metric": "count"}},
					{"fetch", arguments{"id": bad + "/issues:issue-1"}},
					{"fetch", arguments{"id": "issues:issue-1", "connection_id": bad}},
					{"fetch_blob", arguments{"blob_id": bad}},
					{"schema", arguments{"stream": bad}},
					{"search", arguments{"q": "x", "streams": []string{bad}}},
					{"list_streams", arguments{"connection_id": bad}},
					{"get_event_subscription", arguments{"subscription_id": bad}},
					{"update_event_subscription", arguments{"subscription_id": bad, "enabled": true}},
					{"delete_event_subscription", arguments{"subscription_id": bad}},
					{"send_test_event", arguments{"subscription_id": bad}},
					{"create_event_subscription", arguments{"callback_url": "https://example.org/", "connection_id": bad}},
				} {
					f.refused(t, tools.CodeValidation, call.tool, call.args)
				}
			}
			for _, bad := range []string{"..:issue-1", "a/b/c:d", "issues", "issues:", ":issue-1", "/issues:issue-1", "cin_1/..:x"} {
				f.refused(t, tools.CodeValidation, "fetch", arguments{"id": bad})
			}
		})
	})
}

func TestB6StreamsAreFoundWhereverASchemaHasThem(t *testing.T) {
	const row = `{"name":"issues","field_capabilities":{"id":"declared"},"expand_capabilities":[]}`
	for form, body := range map[string]string{
		"recorded, compact":       pdpptest.Recorded("schema_compact_stream"),
		"recorded, full":          pdpptest.Recorded("schema_full"),
		"nested under connectors": `{"object":"schema","connectors":[{"connector_key":"github","streams":[` + row + `]}]}`,
		"at the top":              `{"object":"schema","streams":[` + row + `]}`,
		"wrapped, at the top":     `{"data":{"streams":[` + row + `]}}`,
		"wrapped, nested":         `{"data":{"connectors":[{"streams":[` + row + `]}]}}`,
		"without the member":      `{"streams":[{"name":"issues"}]}`,
	} {
		f := open(t, eraA)
		f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: body})
		f.refused(t, codeInvalidExpand, "query_records", arguments{"stream": "issues", "expand": "comments_list"})
		if f.recordReads() != 0 {
			t.Errorf("%s: records were asked for", form)
		}
		if _, answer := f.must(t, "schema", nil); !strings.Contains(answer.Text(), "issues") {
			t.Errorf("%s: schema does not name the stream: %s", form, answer.Text())
		}
	}
}

func TestB7TheGateTakesTheRowOfTheConnection(t *testing.T) {
	f := open(t, eraA)
	f.rs.AddConnection("cin_second", "gitlab", "issues", "issue_comments")
	f.rs.SetExpand("cin_second", false)
	call := func(connection string) next {
		return next{"query_records", arguments{"stream": "issues", "limit": 1, "expand": "comments_list", "connection_id": connection}}
	}
	first, second := call(pdpptest.ConnectionID), call("cin_second")
	f.must(t, first.tool, first.args)
	f.refused(t, codeInvalidExpand, second.tool, second.args)
	f.must(t, "fetch", arguments{"id": pdpptest.ConnectionID + "/issues:issue-3", "expand": "comments_list"})
	f.refused(t, codeInvalidExpand, "fetch", arguments{"id": "cin_second/issues:issue-3", "expand": "comments_list"})
	if reads := f.recordReads(); reads != 2 {
		t.Errorf("%d requests for records", reads)
	}
	t.Run("also where the server does not scope its schema", func(t *testing.T) {
		whole := `{"connectors":[` + connectorOf(pdpptest.ConnectionID, `{"name":"comments_list"}`) + `,` + connectorOf("cin_second", ``) + `]}`
		f.rs.Put(pdpptest.Schema, pdpptest.Override{Body: whole})
		before := f.recordReads()
		f.must(t, first.tool, first.args)
		f.refused(t, codeInvalidExpand, second.tool, second.args)
		if reads := f.recordReads() - before; reads != 1 {
			t.Errorf("%d requests for records, the first connection's is one", reads)
		}
	})
	t.Run("without a connection, what any of them advertises is left to the server", func(t *testing.T) {
		f.rs.Clear(pdpptest.Schema)
		f.refused(t, "ambiguous_connection", "query_records", arguments{"stream": "issues", "expand": "comments_list"})
	})
}

func connectorOf(connection, relations string) string {
	return `{"connector_key":"k","granted_connections":[{"connection_id":"` + connection + `"}],"streams":[{"name":"issues","expand_capabilities":[` + relations + `]}]}`
}
