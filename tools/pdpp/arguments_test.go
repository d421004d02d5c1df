package pdpp

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "issues-index/store/storetest" // sizes, and rarer collections of garbage
	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

// filtered reads a filter as a call would, and returns what is asked and what is
// wrong.
func filtered(t rapid.TB, filter string) (url.Values, error) {
	t.Helper()
	c := callOfTool("query_records", json.RawMessage(`{"stream":"s","filter":`+filter+`}`))
	readFilter(c, "filter", false)
	return c.query, c.args.Err()
}

func TestFilter(t *testing.T) {
	for filter, want := range map[string]string{
		`{"state":"open"}`:                              "filter[state]=open",
		`{"number":7,"done":true,"at":1.50}`:            "filter[at]=1.50&filter[done]=true&filter[number]=7",
		`{"at":{"gte":"2026-01-01","lt":"2026-02-01"}}`: "filter[at][gte]=2026-01-01&filter[at][lt]=2026-02-01",
		`{"q":"a&b=c"}`:                                 "filter[q]=a&b=c",
		`{"empty":""}`:                                  "filter[empty]=",
		`null`:                                          "",
		`{"at":{"gt":1,"lte":2},"state":"open","n.m":"x y"}`: "filter[at][gt]=1&filter[at][lte]=2&filter[n.m]=x y&filter[state]=open",
	} {
		query, err := filtered(t, filter)
		if err != nil {
			t.Errorf("%s: %v", filter, err)
		}
		got, err := url.QueryUnescape(query.Encode())
		if err != nil || got != want {
			t.Errorf("%s: asked %s, want %s", filter, got, want)
		}
	}
	for _, filter := range []string{
		`"state=open"`, `"{\"state\":\"open\"}"`, `"filter[state]=open"`, `{}`, `[]`, `7`, `{"":"x"}`, `{"filter[state]":"open"}`,
		`{"a[gte]":1}`, `{"a":null}`, `{"a":[1,2]}`, `{"a":{}}`, `{"a":{"like":"x"}}`, `{"a":{"gte":{}}}`, `{"a":{"gte":null}}`,
	} {
		_, err := filtered(t, filter)
		if err == nil || !strings.Contains(err.Error(), string(codeInvalidFilter)) || !strings.Contains(err.Error(), `{"state": "open"`) {
			t.Errorf("%s: %v", filter, err)
		}
	}
}

func TestNothingOfAFilterIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.MapOf(rapid.StringMatching(`[a-z_.]{1,12}`), rapid.OneOf(
			rapid.Custom(func(t *rapid.T) any { return rapid.String().Draw(t, "value") }),
			rapid.Custom(func(t *rapid.T) any {
				return rapid.MapOfN(rapid.SampledFrom(operators), rapid.String(), 1, 4).Draw(t, "range")
			}),
		)).Filter(func(m map[string]any) bool { return len(m) > 0 }).Draw(t, "filter")
		query, err := filtered(t, string(encode(fields)))
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := url.ParseQuery(query.Encode())
		if err != nil {
			t.Fatal(err)
		}
		for field, value := range fields {
			switch value := value.(type) {
			case string:
				if got := parsed.Get("filter[" + field + "]"); got != value {
					t.Fatalf("%s: %q, want %q", field, got, value)
				}
			case map[string]string:
				for operator, limit := range value {
					if got := parsed.Get("filter[" + field + "][" + operator + "]"); got != limit {
						t.Fatalf("%s %s: %q, want %q", field, operator, got, limit)
					}
				}
			}
		}
	})
}

func TestNoArgumentIsSilentlyDropped(t *testing.T) {
	f := open(t, eraA)
	f.untouched(t, func() {
		for _, name := range toolNames {
			args := arguments{"no_such_argument": 1}
			f.refused(t, tools.CodeValidation, name, args, "no_such_argument")
		}
		for tool, args := range readCalls {
			if tool == "query_records" || tool == "search" {
				large := arguments{"limit": 101}
				for name, value := range args {
					if name != "limit" {
						large[name] = value
					}
				}
				f.refused(t, tools.CodeValidation, tool, large, "maximum is 100")
			}
		}
		for _, filter := range []any{"state=open", "", "filter[state]=open", arguments{}, []string{"state"}, 3, arguments{"filter[state]": "open"}, arguments{"created_at[gte]": "2026"},
			arguments{"state": arguments{}}, arguments{"state": arguments{"like": "o"}}, arguments{"state": []string{"open"}}, arguments{"state": nil}, arguments{"": "x"}} {
			f.refused(t, codeInvalidFilter, "query_records", arguments{"stream": "issues", "filter": filter}, `filter: {"state": "open"`)
		}
		f.refused(t, tools.CodeValidation, "create_event_subscription", arguments{"callback_url": "https://example.org/", "filters": arguments{"stream": "issues"}}, "filters.stream")
	})
	t.Run("the example of the error works", func(t *testing.T) {
		_, answer := f.must(t, "query_records", arguments{"stream": "issues", "count": "exact", "filter": arguments{"state": "open", "created_at": arguments{"gte": "2026-01-01T00:00:00Z"}}})
		if !strings.Contains(answer.Text(), "of 15 records") {
			t.Error(answer.Text())
		}
	})
}

func TestArgumentsAreEncoded(t *testing.T) {
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
