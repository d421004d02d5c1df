package pdpp

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

func TestBusyServerIsAskedOnceMore(t *testing.T) {
	const busy = `{"error":{"type":"rate_limit_error","code":"rate_limit_exceeded","message":"Too many requests."}}`
	for name, test := range map[string]struct {
		wait  string
		times int
		asked int
		fails bool
	}{
		"and answers then":         {"1", 1, 2, false},
		"and no oftener than that": {"1", 0, 2, true},
		"but not after a minute":   {"60", 1, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t)
			f.rs.Put(pdpptest.Streams, pdpptest.Override{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": test.wait}, Body: busy, Times: test.times})
			answer := f.Call(t, "list_streams", nil)
			if answer.IsError != test.fails || f.rs.Count(pdpptest.Streams) != test.asked {
				t.Errorf("asked %d times: %s", f.rs.Count(pdpptest.Streams), answer.Text())
			}
			if test.fails && !strings.Contains(answer.Text(), "Wait "+test.wait) {
				t.Errorf("it does not say how long to wait: %s", answer.Text())
			}
		})
	}
}

func TestUnreadableAnswersAreTypedErrors(t *testing.T) {
	for name, test := range map[string]struct {
		answer pdpptest.Override
		code   tools.Code
		says   string
	}{
		"a page of HTML":         {pdpptest.Override{Header: map[string]string{"Content-Type": "text/html"}, Body: "<h1>Hello</h1>"}, tools.CodeProvider, "'text/html', not with a JSON object"},
		"a JSON list":            {pdpptest.Override{Body: "[]"}, tools.CodeProvider, "not with a JSON object"},
		"a JSON text":            {pdpptest.Override{Body: `"x"`}, tools.CodeProvider, "not with a JSON object"},
		"half a JSON object":     {pdpptest.Override{Body: `{"data":[`}, tools.CodeProvider, "not with a JSON object"},
		"a list of another form": {pdpptest.Override{Body: `{"data":{}}`}, tools.CodeProvider, "is not a list of the expected form"},
		"an error page":          {pdpptest.Override{Status: 502, Body: "<h1>Bad gateway</h1>"}, tools.CodeProvider, "status 502"},
		"a cut connection":       {pdpptest.Override{Cut: true}, codeUnreachable, "127.0.0.1"},
		"a redirect":             {pdpptest.Override{Status: 302, Header: map[string]string{"Location": "https://elsewhere.example/x"}}, tools.CodeProvider, "'elsewhere.example', which is not followed"},
		"a redirect at home":     {pdpptest.Override{Status: 302, Header: map[string]string{"Location": "/login"}}, tools.CodeProvider, "another of its pages"},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t)
			f.rs.Put(pdpptest.Streams, test.answer)
			f.refused(t, test.code, "list_streams", nil, test.says)
		})
	}
	t.Run("a server that is gone", func(t *testing.T) {
		f := open(t)
		f.rs.Stop()
		f.refused(t, codeUnreachable, "list_streams", nil, "refused the connection", f.rs.URL, "PDPP_PROVIDER_URL")
	})
}

func TestRepeatedTokenIsRedacted(t *testing.T) {
	f := open(t)
	f.rs.Put(pdpptest.Streams, pdpptest.Override{
		Header: map[string]string{"Request-Id": "for " + pdpptest.ClientToken},
		Body:   `{"object":"list","data":[{"name":"` + pdpptest.ClientToken + `"}]}`,
	})
	answer := f.Call(t, "list_streams", nil)
	if whole := answer.Text() + string(answer.Structured); strings.Contains(whole, pdpptest.ClientToken) || !strings.Contains(whole, `for (secret)`) {
		t.Errorf("got %s", whole)
	}
}

func TestClientSendsTheTokenAndTypesFailures(t *testing.T) {
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
		f.refused(t, "rate_limit_exceeded", "list_streams", nil, "Wait 1 second,")
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
