package pdpp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

// A member of an unexpected form does not hide the rest of an answer.
func TestListIsShownWhenAMemberHasAnotherForm(t *testing.T) {
	const row = `{"id":"r1","stream":"notes","data":{"title":"One"}}`
	for name, test := range map[string]struct{ body, says string }{
		"no meta and no links":      {`{"data":[` + row + `],"meta":[],"links":[]}`, "1 record of notes"},
		"a cursor that is a number": {`{"data":[` + row + `],"has_more":"yes","next_cursor":12345678901234567890}`, `"cursor":"12345678901234567890"`},
		"a count that is a text":    {`{"data":[` + row + `],"meta":{"count":{"kind":7,"value":"many"}}}`, "1 of many records"},
	} {
		t.Run(name, func(t *testing.T) {
			f := answering(t, 200, test.body)
			_, answer := f.must(t, "query_records", arguments{"stream": "notes"})
			for _, words := range []string{test.says, `notes:r1 "One"`} {
				if !strings.Contains(answer.Text(), words) {
					t.Errorf("%q is not in %s", words, answer.Text())
				}
			}
		})
	}
}

// Rows that cannot be fetched are shown, too, but are not offered to fetch.
func TestRowWithoutIDIsShown(t *testing.T) {
	f := answering(t, 200, `{"data":["text",null,{"id":["a","b"],"stream":"notes","data":{"title":"Of two keys"}},{"record_key":"r1","id":"r1","stream":"notes","data":{}}]}`)
	_, answer := f.must(t, "query_records", arguments{"stream": "notes"})
	if want := "4 records of notes. first_fetch_id=notes:r1\n(no id) text\n(no id) null\n(no id) \"Of two keys\"\nnotes:r1"; !strings.HasPrefix(answer.Text(), want) {
		t.Errorf("got %s", answer.Text())
	}
	_, answer = f.must(t, "search", arguments{"q": "x"})
	if !strings.Contains(answer.Text(), "4 hits. first_fetch_id=notes:r1\n(no id) text\n") || !strings.Contains(string(answer.Structured), `"results":[{"id":"notes:r1"`) {
		t.Errorf("%s\n%s", answer.Text(), answer.Structured)
	}
	_, answer = f.must(t, "list_streams", nil)
	if !strings.Contains(answer.Text(), "\n(no id) text\n") {
		t.Error(answer.Text())
	}
	_, answer = f.must(t, "list_event_subscriptions", nil)
	if !strings.Contains(answer.Text(), "4 event subscriptions.\n(no id) text\n") {
		t.Error(answer.Text())
	}
}

func TestASearchThatIsNotCompleteSaysSo(t *testing.T) {
	for recall, said := range map[string]bool{`{"complete":false}`: true, `{"complete":true}`: false, `{}`: false, `null`: false} {
		_, answer := answering(t, 200, `{"data":[],"meta":{"recall":`+recall+`}}`).must(t, "search", arguments{"q": "x"})
		if strings.Contains(answer.Text(), "more may match") != said || strings.Contains(string(answer.Structured), `"note":"The search did not`) != said {
			t.Errorf("%s: %s\n%s", recall, answer.Text(), answer.Structured)
		}
	}
}

func TestAggregateIsShownWhenAMemberHasAnotherForm(t *testing.T) {
	grouped := arguments{"stream": "notes", "metric": "count", "group_by": "state"}
	for name, test := range map[string]struct {
		body string
		args arguments
		says string
	}{
		"figures that are texts":    {`{"metric":"count","group_by":"state","groups":[{"key":"a","count":"7"}],"other_count":"12","approximate":"yes"}`, grouped, "count in notes by state: 1 group, other_count=12. A larger limit"},
		"a group_by that is a list": {`{"group_by":["state"],"groups":[{"key":"a","count":7}],"other_count":0}`, grouped, "count in notes by state: 1 group, other_count=0.\na=7"},
		"nothing at all":            {`{}`, arguments{"stream": "notes", "metric": "count"}, "count in notes: the answer has neither a value nor groups: {}"},
		"a value that is null":      {`{"metric":"sum","field":"n","value":null,"meta":{"warnings":[{"code":"w"}]}}`, arguments{"stream": "notes", "metric": "sum", "field": "n"}, "sum of n in notes = null.\nWarning w:"},
		"a value beyond doubles":    {`{"value":9007199254740993}`, arguments{"stream": "notes", "metric": "count"}, "count in notes = 9007199254740993."},
	} {
		t.Run(name, func(t *testing.T) {
			if _, answer := answering(t, 200, test.body).must(t, "aggregate", test.args); !strings.Contains(answer.Text(), test.says) {
				t.Errorf("%q is not in %s", test.says, answer.Text())
			}
		})
	}
}

func TestRecordOfAnyFormIsShown(t *testing.T) {
	for body, want := range map[string]string{
		`{"id":["r1"],"stream":5,"data":{"title":"One","n":9007199254740993}}`: "n: 9007199254740993",
		`{"id":"r1","data":["a","b"]}`:                                         `answer: {"id":"r1","data":["a","b"]}`,
		`{"id":"r1","title":"Flat"}`:                                           `answer: {"id":"r1","title":"Flat"}`,
	} {
		if _, answer := answering(t, 200, body).must(t, "fetch", arguments{"id": "notes:r1"}); !strings.Contains(answer.Text(), want) {
			t.Errorf("%q is not in %s", want, answer.Text())
		}
	}
}

// recordings are answers of the real server, of every form that it has.
var recordings = []string{
	"schema_compact", "schema_compact_owner", "schema_full", "streams", "records_page", "records_changes", "record_one", "records_expand_owner",
	"aggregate_group_owner", "aggregate_time_owner", "search", "field_window", "field_window_q", "no_token", "blob_missing", "event_subs", "event_sub_create",
}

// otherValues are what stands in the place of a member that was changed.
var otherValues = []any{nil, 0, -1, 1e300, true, "", "x", "../..", "\u202e\x00\n", []any{}, []any{nil, "a", 7}, map[string]any{}, map[string]any{"a": nil}}

// changed returns JSON with some members changed or missing.
func changed(t *rapid.T, value any) any {
	const whole = 12 // of as many members one is changed
	if rapid.IntRange(0, whole).Draw(t, "keep") == 0 {
		return rapid.SampledFrom(otherValues).Draw(t, "value")
	}
	switch value := value.(type) {
	case map[string]any:
		other := make(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if rapid.IntRange(0, whole).Draw(t, "keep") > 0 {
				other[name] = changed(t, value[name])
			}
		}
		return other
	case []any:
		other := []any{}
		for _, item := range value {
			other = append(other, changed(t, item))
		}
		return other
	}
	return value
}

// Any answer of the server to any call becomes an answer of the tool's form or a typed
// error.
func TestAnyAnswerOfTheServerIsHandled(t *testing.T) {
	bodies := make(map[string]any)
	for _, name := range recordings {
		var value any
		if err := json.Unmarshal([]byte(pdpptest.Recorded(name)), &value); err != nil {
			t.Fatal(err)
		}
		bodies[name] = value
	}
	calls := everyCall()
	slices.SortStableFunc(calls, func(a, b next) int { return cmp.Compare(a.tool, b.tool) })
	status, body := 200, []byte(nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	defer server.Close()
	f := open(t, func(f *fixture) { f.options.Transport = elsewhere(server.URL) })
	rapid.Check(t, func(rt *rapid.T) {
		status = rapid.SampledFrom([]int{200, 200, 200, 201, 400, 401, 404, 409, 500}).Draw(rt, "status")
		body = encode(changed(rt, bodies[rapid.SampledFrom(recordings).Draw(rt, "recording")]))
		call := rapid.SampledFrom(calls).Draw(rt, "call")
		answer := f.Call(t, call.tool, call.args) // which holds a success to the output schema
		if t.Failed() {
			rt.Fatalf("%s %v, status %d: %s", call.tool, call.args, status, body)
		}
		if !answer.IsError {
			return
		}
		if code := tools.Code(answer.Meta.Error.Code); code == tools.CodeInternal || code == tools.CodeTimeout {
			rt.Fatalf("%s %v, status %d: %s\n%s", call.tool, call.args, status, answer.Text(), body)
		}
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

func TestAnswerWithoutRowsIsAnError(t *testing.T) {
	for _, body := range []string{"", "null", "{}", `{"object":"list"}`, `{"object":"list","data":null}`, `{"object":"list","data":[`} {
		f := answering(t, 200, body)
		for _, tool := range []string{"query_records", "search", "list_streams", "list_event_subscriptions"} {
			f.refused(t, tools.CodeProvider, tool, map[string]arguments{"query_records": {"stream": "notes"}, "search": {"q": "x"}}[tool])
		}
	}
}

func TestRowWithANumberForIDIsShown(t *testing.T) {
	f := answering(t, 200, `{"object":"list","data":[{"id":7,"stream":"notes","data":{"title":"Seventh"}}]}`)
	if _, answer := f.must(t, "query_records", arguments{"stream": "notes"}); !strings.Contains(answer.Text(), `notes:7 "Seventh"`) {
		t.Error(answer.Text())
	}
}

func TestServerThatIgnoresTheLimitIsAskedTwice(t *testing.T) {
	asked := 0
	row := `{"id":"r","stream":"notes","data":{"body":"` + strings.Repeat("long ", 400) + `"}}`
	f := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprintf(w, `{"object":"list","has_more":true,"next_cursor":"c","data":[%s]}`, strings.TrimSuffix(strings.Repeat(row+",", 30), ","))
	})
	if _, answer := f.must(t, "query_records", arguments{"stream": "notes"}); asked != 2 || strings.Contains(answer.Text(), "30 rows instead of 30") {
		t.Errorf("%d requests: %s", asked, answer.Text())
	}
}

func TestAnErrorInAnotherFormKeepsItsMessage(t *testing.T) {
	f := answering(t, 400, `{"error":{"type":"x","code":5,"message":"no \u001b[31m\u202ecolour"}}`)
	if answer := f.refused(t, tools.CodeProvider, "query_records", arguments{"stream": "notes"}, "no [31mcolour (status 400)"); !strings.Contains(string(answer.Meta.Error.Upstream), `"code":5`) {
		t.Errorf("%s", answer.Meta.Error.Upstream)
	}
}

func TestARecordHasATitleWhateverItHolds(t *testing.T) {
	f := answering(t, 200, `{"object":"record","id":"r1","stream":"notes","data":{"body":"words"}}`)
	_, answer := f.must(t, "fetch", arguments{"id": "notes:r1"})
	if !strings.Contains(string(answer.Structured), `"title":"notes r1"`) {
		t.Errorf("%s", answer.Structured)
	}
}

// A server that gives a longer window than it was asked for is not asked for ever.
func TestServerThatIgnoresTheWindowIsAskedTwice(t *testing.T) {
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

func TestAListWithoutRowsMayBeTooLarge(t *testing.T) {
	f := answering(t, 200, `{"object":"list","data":[],"more":"`+strings.Repeat("long ", 4000)+`"}`)
	for tool, args := range map[string]arguments{"list_streams": nil, "list_event_subscriptions": nil, "query_records": {"stream": "notes"}, "search": {"q": "x"}} {
		_, answer := f.must(t, tool, args)
		within(t, answer)
	}
}
