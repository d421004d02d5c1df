package pdpp

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"issues-index/tools"
)

// answering serves the tools over a resource server that has one answer for everything.
func answering(t *testing.T, status int, body string) *fixture {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return open(t, func(f *fixture) { f.options.Transport = elsewhere(server.URL) })
}

func TestBytesThatAreNoTextDoNotReachTheClient(t *testing.T) {
	f := answering(t, 200, `{"object":"list","has_more":false,"data":[{"id":"r`+"\xff"+`1","stream":"notes","data":{"title":"caf`+"\xe9"+` \ud800"}}]}`)
	for _, tool := range []string{"query_records", "search", "list_streams"} {
		_, answer := f.must(t, tool, map[string]arguments{"query_records": {"stream": "notes"}, "search": {"q": "x"}}[tool])
		if !utf8.Valid(answer.Structured) || strings.Contains(string(answer.Structured), `\ud800`) {
			t.Errorf("%s: %q", tool, answer.Structured)
		}
	}
	f = answering(t, 400, `{"error":{"type":"x","code":"invalid_request","message":"caf`+"\xe9"+` \ud800"}}`)
	if answer := f.refused(t, "invalid_request", "query_records", arguments{"stream": "notes"}); !utf8.Valid(answer.Meta.Error.Upstream) {
		t.Errorf("%q", answer.Meta.Error.Upstream)
	}
}

func TestAnAnswerWithoutRowsIsNoEmptyList(t *testing.T) {
	for _, body := range []string{"", "null", "{}", `{"object":"list"}`, `{"object":"list","data":null}`, `{"object":"list","data":[`} {
		f := answering(t, 200, body)
		for _, tool := range []string{"query_records", "search", "list_streams", "list_event_subscriptions"} {
			f.refused(t, tools.CodeProvider, tool, map[string]arguments{"query_records": {"stream": "notes"}, "search": {"q": "x"}}[tool])
		}
	}
}

func TestARowIsShownWhateverItsIDIs(t *testing.T) {
	f := answering(t, 200, `{"object":"list","data":[{"id":7,"stream":"notes","data":{"title":"Seventh"}}]}`)
	if _, answer := f.must(t, "query_records", arguments{"stream": "notes"}); !strings.Contains(answer.Text(), `notes:7 "Seventh"`) {
		t.Error(answer.Text())
	}
}

func TestAServerThatTakesNoNoticeOfALimitIsAskedTwice(t *testing.T) {
	asked := 0
	row := `{"id":"r","stream":"notes","data":{"body":"` + strings.Repeat("long ", 400) + `"}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprintf(w, `{"object":"list","has_more":true,"next_cursor":"c","data":[%s]}`, strings.TrimSuffix(strings.Repeat(row+",", 30), ","))
	}))
	defer server.Close()
	f := open(t, func(f *fixture) { f.options.Transport = elsewhere(server.URL) })
	if _, answer := f.must(t, "query_records", arguments{"stream": "notes"}); asked != 2 || strings.Contains(answer.Text(), "30 rows in place of 30") {
		t.Errorf("%d requests: %s", asked, answer.Text())
	}
}

func TestAnErrorInAnotherFormKeepsItsMessage(t *testing.T) {
	f := answering(t, 400, `{"error":{"type":"x","code":5,"message":"no \u001b[31m\u202ecolour"}}`)
	if answer := f.refused(t, tools.CodeProvider, "query_records", arguments{"stream": "notes"}, "no [31mcolour (status 400)"); !strings.Contains(string(answer.Meta.Error.Upstream), `"code":5`) {
		t.Errorf("%s", answer.Meta.Error.Upstream)
	}
}

// elsewhere carries requests to another server than that of their address.
func elsewhere(address string) http.RoundTripper {
	return roundTrip(func(request *http.Request) (*http.Response, error) {
		to, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		request = request.Clone(request.Context())
		request.URL.Scheme, request.URL.Host = to.Scheme, to.Host
		return http.DefaultTransport.RoundTrip(request)
	})
}

func TestARecordHasATitleWhateverItHolds(t *testing.T) {
	f := answering(t, 200, `{"object":"record","id":"r1","stream":"notes","data":{"body":"words"}}`)
	_, answer := f.must(t, "fetch", arguments{"id": "notes:r1"})
	if !strings.Contains(string(answer.Structured), `"title":"notes r1"`) {
		t.Errorf("%s", answer.Structured)
	}
}

func TestManySubscriptionsAreAllNamed(t *testing.T) {
	var rows []string
	for i := range 150 {
		rows = append(rows, fmt.Sprintf(`{"subscription_id":"sub_%d","status":"active","callback_url":"https://example.org/%s"}`, i, strings.Repeat("x", 300)))
	}
	f := answering(t, 200, `{"data":[`+strings.Join(rows, ",")+`]}`)
	data, answer := f.must(t, "list_event_subscriptions", nil)
	if list, _ := data["data"].([]any); len(list) != 150 || !strings.Contains(answer.Text(), "subscription_id=sub_149 active") || !strings.Contains(answer.Text(), "Only ids and states are here") {
		t.Errorf("%d: %s", len(list), answer.Text())
	}
}
