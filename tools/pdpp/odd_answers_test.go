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

// serving serves the tools over a resource server that is this handler.
func serving(t *testing.T, handler http.HandlerFunc) *fixture {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return open(t, func(f *fixture) { f.options.Transport = elsewhere(server.URL) })
}

// answering serves the tools over a resource server that has one answer for everything.
func answering(t *testing.T, status int, body string) *fixture {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
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
	f := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprintf(w, `{"object":"list","has_more":true,"next_cursor":"c","data":[%s]}`, strings.TrimSuffix(strings.Repeat(row+",", 30), ","))
	})
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

// A server that gives a longer window than it was asked for is not asked for ever.
func TestAServerThatTakesNoNoticeOfAWindowIsAskedTwice(t *testing.T) {
	asked := 0
	f := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprintf(w, `{"window":{"text":"%s","start_chars":0,"end_chars":50000,"total_chars":90000,"has_more":true,"next_offset_chars":50000}}`, strings.Repeat("long ", 10000))
	})
	if f.must(t, "fetch", arguments{"id": "notes:r1", "field": "body"}); asked != 2 {
		t.Errorf("%d requests", asked)
	}
}

func TestAWindowThatLeadsNowhereIsNotOffered(t *testing.T) {
	f := answering(t, 200, `{"window":{"text":"x","start_chars":40,"end_chars":41,"total_chars":90,"next_offset_chars":40}}`)
	if _, answer := f.must(t, "fetch", arguments{"id": "notes:r1", "field": "body"}); strings.Contains(answer.Text(), "Next:") {
		t.Error(answer.Text())
	}
}

func TestASubscriptionIsToldWithItsIDAndItsSecret(t *testing.T) {
	create := arguments{"callback_url": "https://example.org/"}
	for body, want := range map[string]string{
		`{"data":{"subscription_id":"sub_9","secret":"whsec_9"}}`: "subscription_id=sub_9\nsecret=whsec_9\n",
		``: "does not tell its id; list_event_subscriptions does",
	} {
		if _, answer := answering(t, 201, body).must(t, "create_event_subscription", create); !strings.Contains(answer.Text(), want) {
			t.Errorf("%q is not in %s", want, answer.Text())
		}
	}
	_, answer := answering(t, 200, "").must(t, "update_event_subscription", arguments{"subscription_id": "sub_9", "enabled": true})
	if !strings.Contains(answer.Text(), "was enabled.\nsubscription_id=sub_9") {
		t.Error(answer.Text())
	}
}

// A filter without a stream would have become a subscription to all of them.
func TestASubscriptionToNoStreamIsRefused(t *testing.T) {
	f := open(t)
	for _, filters := range []any{arguments{}, arguments{"streams": []string{}}, arguments{"streams": ""}} {
		f.untouched(t, func() {
			f.refused(t, tools.CodeValidation, "create_event_subscription", arguments{"callback_url": "https://example.org/", "filters": filters}, "name no stream", "list_streams")
		})
	}
}
