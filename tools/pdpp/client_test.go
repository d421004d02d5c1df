package pdpp

import (
	"net/http"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

func TestRequests(t *testing.T) {
	f := open(t)
	f.must(t, "query_records", arguments{"stream": "issues", "limit": 2, "fields": "id,title"})
	seen := f.rs.Last(t, pdpptest.Records)
	for name, want := range map[string]string{
		"Authorization": "Bearer " + pdpptest.ClientToken, "Accept": "application/json", "User-Agent": "test",
	} {
		if got := seen.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if seen.RawQuery != "fields=id&fields=title&limit=2" {
		t.Errorf("asked %s", seen.RawQuery)
	}
}

func TestABusyServerIsAskedOnceMore(t *testing.T) {
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
			if test.fails && !strings.Contains(answer.Text(), "Wait "+test.wait) && !strings.Contains(answer.Text(), "Wait 1m0s") {
				t.Errorf("it does not say how long to wait: %s", answer.Text())
			}
		})
	}
}

func TestWhatIsNoAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		answer pdpptest.Override
		code   tools.Code
		says   string
	}{
		"a page of HTML":         {pdpptest.Override{Header: map[string]string{"Content-Type": "text/html"}, Body: "<h1>Hello</h1>"}, tools.CodeProvider, "'text/html', not with a JSON object"},
		"a JSON list":            {pdpptest.Override{Body: "[]"}, tools.CodeProvider, "not with a JSON object"},
		"a JSON text":            {pdpptest.Override{Body: `"x"`}, tools.CodeProvider, "not with a JSON object"},
		"half a JSON object":     {pdpptest.Override{Body: `{"data":[`}, tools.CodeProvider, "not with a JSON object"},
		"a list of another form": {pdpptest.Override{Body: `{"data":{}}`}, tools.CodeProvider, "has not the form of one"},
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

func TestAnAnswerThatRepeatsTheTokenIsConcealed(t *testing.T) {
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
