package pdpp

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/tools"
)

// filtered reads a filter as a call would, and returns what is asked and what is
// wrong.
func filtered(t rapid.TB, filter string) (url.Values, error) {
	t.Helper()
	args := tools.NewArgs(queryRecords(nil), json.RawMessage(`{"stream":"s","filter":`+filter+`}`))
	query := url.Values{}
	readFilter(args, query)
	return query, args.Err()
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
