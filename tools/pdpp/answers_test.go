package pdpp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"issues-index/tools/pdpp/pdpptest"
)

func TestARecordThatIsTooLarge(t *testing.T) {
	body := strings.Repeat("All work and no play. ", 1500)
	record := `{"object":"record","id":"r1","stream":"issues","connection_id":"cin_a","data":{"body":` + string(encode(body)) +
		`,"short":"kept","tree":` + string(encode(strings.Split(body, " "))) + `},"expanded":{"all":` + string(encode(strings.Split(body, " "))) + `},"meta":{"warnings":[]}}`
	const call = `fetch {"id":"cin_a/issues:r1","field":"body"} reads one of them in windows`

	f := open(t)
	f.rs.Put(pdpptest.Records, pdpptest.Override{Body: `{"object":"list","has_more":true,"next_cursor":"c2","data":[` + record + `],"meta":{"warnings":[]}}`})
	f.rs.Put(pdpptest.RecordOf, pdpptest.Override{Body: record})
	for tool, args := range map[string]arguments{
		"query_records": {"stream": "issues", "limit": 1}, "fetch": {"id": "cin_a/issues:r1"},
	} {
		t.Run(tool, func(t *testing.T) {
			data, reply := f.must(t, tool, args)
			within(t, reply)
			note := noteOf(t, reply)
			for _, words := range []string{call, "Cut to fit: body.", "Left out to fit: object, tree, expanded."} {
				if !strings.Contains(note, words) || !strings.Contains(reply.Text(), words) {
					t.Errorf("%q is not in the note %q or the text", words, note)
				}
			}
			whole := string(encode(data))
			if !strings.Contains(whole, fmt.Sprintf(" of %d characters)", len(body))) || !strings.Contains(whole, `"short":"kept"`) {
				t.Errorf("got %s", whole)
			}
			if tool == "query_records" && (data["next_cursor"] != "c2" || data["has_more"] != true) {
				t.Errorf("the page lost how to go on: %s", whole)
			}
		})
	}
}

func TestAHitThatIsTooLarge(t *testing.T) {
	f := open(t)
	f.rs.Put(pdpptest.Search, pdpptest.Override{Body: `{"object":"list","has_more":false,"data":[{"stream":"issues","record_key":"r1","evidence_excerpts":[{"field_path":"body","preview_text":"` +
		strings.Repeat("word ", 4000) + `"}]}]}`})
	data, reply := f.must(t, "search", arguments{"q": "word"})
	within(t, reply)
	if strings.Contains(string(encode(data)), "evidence") || !strings.Contains(reply.Text(), "Left out to fit: evidence_excerpts. fetch reads a record whole.") ||
		!strings.Contains(reply.Text(), "issues:r1 body: word word") {
		t.Errorf("got %s\n%s", reply.Text(), encode(data))
	}
}

func TestAHitWithoutAText(t *testing.T) {
	f := open(t)
	f.rs.Put(pdpptest.Search, pdpptest.Override{Body: `{"object":"list","has_more":true,"data":[{"stream":"issues","record_key":"r1"}],"meta":{"count":{"kind":"estimated","value":9}}}`})
	_, reply := f.must(t, "search", arguments{"q": "word"})
	for _, words := range []string{"1 of 9 (estimated) hits. first_fetch_id=issues:r1", "issues:r1 (metadata only)", "no cursor"} {
		if !strings.Contains(reply.Text(), words) {
			t.Errorf("%q is not in %s", words, reply.Text())
		}
	}
}

// Though its cursor and its id are long, a page of one row has that row: no call is
// smaller, and a client that reads only the text would ask for it for ever.
func TestPageOfOneRowShowsIt(t *testing.T) {
	for _, length := range []int{10, 300, 800} {
		id, cursor := strings.Repeat("i", length), strings.Repeat("c", length)
		f := answering(t, 200, `{"object":"list","has_more":true,"next_cursor":"`+cursor+`","data":[{"id":"`+id+`","stream":"notes","record_key":"`+id+`","data":{"body":"words"}}]}`)
		for tool, args := range map[string]arguments{"query_records": {"stream": "notes", "limit": 1}, "search": {"q": "x", "limit": 1}} {
			_, reply := f.must(t, tool, args)
			if !strings.Contains(reply.Text(), "\nnotes:"+id) || !strings.Contains(reply.Text(), `"cursor":"`+cursor+`"`) || strings.Contains(reply.Text(), "more ids of this page") {
				t.Errorf("%s, %d: %d bytes: %.100s", tool, length, len(reply.Text()), reply.Text())
			}
		}
	}
}

func TestBothErasOfTheProtocol(t *testing.T) {
	calls := map[string]struct {
		call  next
		param string
	}{
		"filter":           {next{"query_records", arguments{"stream": "issues", "limit": 1, "filter": arguments{"state": "open"}}}, "filter"},
		"aggregate filter": {next{"aggregate", arguments{"stream": "issues", "metric": "count", "filter": arguments{"state": "open"}}}, "filter"},
		"search filter":    {next{"search", arguments{"q": "overflow", "limit": 1, "streams": "issues", "filter": arguments{"state": "open"}}}, "filter"},
		"view":             {next{"query_records", arguments{"stream": "issues", "limit": 1, "view": "basic"}}, ""},
	}
	for name, c := range calls {
		t.Run(name+" works in era A", func(t *testing.T) {
			open(t, eraA).must(t, c.call.tool, c.call.args)
		})
		t.Run(name+" in era B: the server's refusal, and what does work", func(t *testing.T) {
			answer := open(t).refused(t, "invalid_request", c.call.tool, c.call.args, "limit", "fields", "cursor")
			if answer.Meta.Error.Field != c.param {
				t.Errorf("field %q", answer.Meta.Error.Field)
			}
			if c.param != "" && !strings.Contains(string(answer.Meta.Error.Upstream), `"param":"`+c.param+`"`) {
				t.Errorf("%s", answer.Meta.Error.Upstream)
			}
		})
	}
	for _, option := range []string{"expand", "expand_limit"} {
		t.Run(option+" past the gate in era B", func(t *testing.T) {
			f := open(t)
			f.rs.Put(pdpptest.Schema, pdpptest.Override{Status: http.StatusServiceUnavailable})
			value := map[string]any{"expand": "comments_list", "expand_limit": arguments{"comments_list": 1}}[option]
			answer := f.refused(t, "invalid_request", "query_records", arguments{"stream": "issues", option: value})
			if answer.Meta.Error.Field != option {
				t.Errorf("field %q", answer.Meta.Error.Field)
			}
		})
	}
	t.Run("a schema of declared fields is not passed off as filters", func(t *testing.T) {
		f := open(t)
		for _, args := range []arguments{{}, {"stream": "issues"}} {
			_, answer := f.must(t, "schema", args)
			if !strings.Contains(answer.Text(), "no filter") || !strings.Contains(answer.Text(), "changes_since") || !strings.Contains(string(answer.Structured), "no filter") {
				t.Errorf("%v: %s", args, answer.Text())
			}
		}
		f.rs.SetEra(pdpptest.EraA)
		if _, answer := f.must(t, "schema", arguments{"stream": "issues"}); strings.Contains(answer.Text(), "no filter") {
			t.Error(answer.Text())
		}
	})
	t.Run("what works in both", func(t *testing.T) {
		for _, era := range []pdpptest.Era{pdpptest.EraA, pdpptest.EraB} {
			f := open(t)
			f.rs.SetEra(era)
			for tool, args := range readCalls {
				f.must(t, tool, args)
			}
			f.must(t, "query_records", arguments{"stream": "issues", "limit": 2, "fields": "id,title", "order": "asc", "count": "exact", "connection_id": pdpptest.ConnectionID})
			f.must(t, "query_records", arguments{"stream": "issues", "limit": 2, "sort": "-updated_at"})
			for _, mode := range []string{"lexical", "semantic", "hybrid"} {
				f.must(t, "search", arguments{"q": "overflow", "mode": mode, "limit": 1})
			}
		}
	})
}

func TestServersEnvelopeIsUnchanged(t *testing.T) {
	f := open(t)
	for name, c := range map[string]struct {
		endpoint pdpptest.Endpoint
		call     next
	}{
		"records_page":            {pdpptest.Records, next{"query_records", arguments{"stream": "issues", "limit": 2}}},
		"records_changes":         {pdpptest.Records, next{"query_records", arguments{"stream": "issues", "limit": 2, "changes_since": "beginning"}}},
		"records_expand_owner":    {pdpptest.Records, next{"query_records", arguments{"stream": "issues", "limit": 2}}},
		"search":                  {pdpptest.Search, next{"search", arguments{"q": "overflow", "limit": 2}}},
		"search_semantic":         {pdpptest.Semantic, next{"search", arguments{"q": "overflow", "mode": "semantic"}}},
		"search_nohit":            {pdpptest.Search, next{"search", arguments{"q": "zzzz"}}},
		"aggregate_time_owner":    {pdpptest.Aggregate, next{"aggregate", arguments{"stream": "issues", "metric": "count"}}},
		"record_one":              {pdpptest.RecordOf, next{"fetch", arguments{"id": "issues:issue-3"}}},
		"record_one_expand_owner": {pdpptest.RecordOf, next{"fetch", arguments{"id": "issues:issue-3"}}},
		"field_window":            {pdpptest.FieldWindow, next{"fetch", arguments{"id": "issues:issue-4", "field": "body"}}},
		"streams":                 {pdpptest.Streams, next{"list_streams", arguments{}}},
		"schema_compact":          {pdpptest.Schema, next{"schema", arguments{}}},
		"schema_compact_owner":    {pdpptest.Schema, next{"schema", arguments{}}},
		"event_subs":              {pdpptest.Subscriptions, next{"list_event_subscriptions", arguments{}}},
		"event_sub_create":        {pdpptest.Subscribe, next{"create_event_subscription", arguments{"callback_url": "https://example.org/"}}},
	} {
		t.Run(name, func(t *testing.T) {
			f.rs.Put(c.endpoint, pdpptest.Override{Body: pdpptest.Recorded(name)})
			data, _ := f.must(t, c.call.tool, c.call.args)
			want := make(map[string]any)
			if err := json.Unmarshal([]byte(pdpptest.Recorded(name)), &want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(data, want) {
				t.Errorf("got %v", data)
			}
		})
	}
	t.Run("warnings stand in the text", func(t *testing.T) {
		for name, c := range map[string]struct {
			endpoint pdpptest.Endpoint
			call     next
			says     string
		}{
			"search_limit":    {pdpptest.Search, next{"search", arguments{"q": "overflow"}}, "limit_clamped"},
			"search_semantic": {pdpptest.Semantic, next{"search", arguments{"q": "overflow", "mode": "semantic"}}, "source_skipped_not_applicable"},
		} {
			f.rs.Put(c.endpoint, pdpptest.Override{Body: pdpptest.Recorded(name)})
			if _, answer := f.must(t, c.call.tool, c.call.args); !strings.Contains(answer.Text(), c.says) {
				t.Errorf("%s: %s", name, answer.Text())
			}
		}
		clamped := strings.Replace(pdpptest.Recorded("records_page"), `"warnings":[]`, `"warnings":[{"code":"limit_clamped","message":"Requested limit=500"}]`, 1)
		f.rs.Put(pdpptest.Records, pdpptest.Override{Body: clamped})
		if _, answer := f.must(t, "query_records", arguments{"stream": "issues"}); !strings.Contains(answer.Text(), "limit_clamped") {
			t.Error(answer.Text())
		}
	})
}
