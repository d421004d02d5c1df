package pdpp

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

// The items of list B on what becomes of the server's answers.

func TestB8BothErasOfTheProtocol(t *testing.T) {
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

func TestB9TheServersEnvelopeIsUnchanged(t *testing.T) {
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

func TestB10IdsOfResultsAreWhole(t *testing.T) {
	f := open(t)
	_, answer := f.must(t, "search", arguments{"q": "overflow", "limit": 1})
	if !strings.Contains(answer.Text(), "first_fetch_id="+pdpptest.ConnectionID+"/issues:issue-3") {
		t.Error(answer.Text())
	}
	f.must(t, "fetch", arguments{"id": pdpptest.ConnectionID + "/issues:issue-3"})
	if got := f.rs.Last(t, pdpptest.RecordOf); got.Path != "/v1/streams/issues/records/issue-3" || got.Query.Get("connection_id") != pdpptest.ConnectionID {
		t.Errorf("%v", got)
	}
	t.Run("an id without a connection is taken", func(t *testing.T) {
		f.must(t, "fetch", arguments{"id": "issues:issue-3"})
		if got := f.rs.Last(t, pdpptest.RecordOf); got.Query.Has("connection_id") {
			t.Errorf("%v", got.Query)
		}
		f.must(t, "fetch", arguments{"id": "issues:issue-3", "connection_id": pdpptest.ConnectionID})
		f.must(t, "fetch", arguments{"id": pdpptest.ConnectionID + "/issues:issue-3", "connection_id": pdpptest.ConnectionID})
	})
	t.Run("another connection beside it is refused before any call", func(t *testing.T) {
		f.untouched(t, func() {
			f.refused(t, codeConflictingConnection, "fetch", arguments{"id": pdpptest.ConnectionID + "/issues:issue-3", "connection_id": "cin_other"}, "cin_other", pdpptest.ConnectionID)
		})
	})
	t.Run("a record's own id may have a colon", func(t *testing.T) {
		f.refused(t, "not_found", "fetch", arguments{"id": "issues:a:b"})
		if got := f.rs.Last(t, pdpptest.RecordOf).Path; got != "/v1/streams/issues/records/a:b" && got != "/v1/streams/issues/records/a%3Ab" {
			t.Error(got)
		}
	})
}

func TestB11AmbiguousConnectionReachesTheText(t *testing.T) {
	f := open(t)
	f.rs.AddConnection("cin_second", "gitlab", "issues")
	for _, call := range []next{
		{"query_records", arguments{"stream": "issues"}},
		{"aggregate", arguments{"stream": "issues", "metric": "count"}},
		{"fetch", arguments{"id": "issues:issue-3"}},
		{"fetch", arguments{"id": "issues:issue-3", "field": "body"}},
	} {
		answer := f.refused(t, "ambiguous_connection", call.tool, call.args, "connection_id", pdpptest.ConnectionID, "cin_second", "gitlab", "Account cin_second")
		for _, member := range []string{`"available_connections"`, `"retry_with":"connection_id"`} {
			if !strings.Contains(string(answer.Meta.Error.Upstream), member) {
				t.Errorf("%s is not in %s", member, answer.Meta.Error.Upstream)
			}
		}
	}
	f.must(t, "query_records", arguments{"stream": "issues", "limit": 1, "connection_id": "cin_second"})
}

func TestB12EachRefusalOfATokenSaysWhatToDo(t *testing.T) {
	f := open(t)
	for code, remedy := range map[tools.Code]string{
		"authentication_error":       "pdpp connect",
		"context.active_false":       "pdpp connect",
		"context.stream_not_allowed": "not part of this grant",
		"context.instance_mismatch":  "connection_id is not one of this grant",
	} {
		name := map[tools.Code]string{
			"authentication_error": "no_token", "context.active_false": "bad_token",
			"context.stream_not_allowed": "records_unknown_stream", "context.instance_mismatch": "wrong_conn",
		}[code]
		f.rs.Put(pdpptest.Records, pdpptest.Override{Status: http.StatusUnauthorized, Body: pdpptest.Recorded(name)})
		answer := f.refused(t, code, "query_records", arguments{"stream": "issues"}, remedy)
		if strings.HasPrefix(string(code), "context.") && code != "context.active_false" && strings.Contains(answer.Text(), "pdpp connect") {
			t.Errorf("%s: a new token would not help: %s", code, answer.Text())
		}
	}
	f.rs.Clear(pdpptest.Records)
	f.refused(t, "context.stream_not_allowed", "query_records", arguments{"stream": "nope"}, "list_streams")
	f.refused(t, "context.instance_mismatch", "query_records", arguments{"stream": "issues", "connection_id": "cin_nope"}, "list_streams")
}

func TestB13AServerThatIsDownIsNamed(t *testing.T) {
	f := open(t)
	address, err := url.Parse(f.rs.URL)
	if err != nil {
		t.Fatal(err)
	}
	f.rs.Stop()
	for _, name := range toolNames {
		args := map[string]arguments{
			"create_event_subscription": {"callback_url": "https://example.org/"},
			"get_event_subscription":    {"subscription_id": "sub_1"},
			"update_event_subscription": {"subscription_id": "sub_1", "enabled": true},
			"delete_event_subscription": {"subscription_id": "sub_1"},
			"send_test_event":           {"subscription_id": "sub_1"},
		}[name]
		if args == nil {
			args = readCalls[name]
		}
		answer := f.refused(t, codeUnreachable, name, args, address.Host)
		if strings.Contains(answer.Text(), "dial tcp") {
			t.Errorf("%s: Go's own words: %s", name, answer.Text())
		}
	}
}

func TestB14EventSubscriptionsFromBeginningToEnd(t *testing.T) {
	f := open(t)
	made, answer := f.must(t, "create_event_subscription", arguments{"callback_url": "https://example.org/hook", "filters": arguments{"streams": []string{"issues"}}, "connection_id": pdpptest.ConnectionID})
	id, secret := made["subscription_id"].(string), made["secret"].(string)
	if sent := f.rs.Last(t, pdpptest.Subscribe).Body; sent != `{"callback_url":"https://example.org/hook","connection_id":"`+pdpptest.ConnectionID+`","filters":{"streams":["issues"]}}` {
		t.Error(sent)
	}
	if !strings.Contains(answer.Text(), "secret="+secret) || !strings.Contains(answer.Text(), "subscription_id="+id) || !strings.Contains(answer.Text(), "this once") {
		t.Error(answer.Text())
	}
	t.Run("the secret is in no other answer", func(t *testing.T) {
		for _, call := range []next{
			{"list_event_subscriptions", nil}, {"get_event_subscription", arguments{"subscription_id": id}},
			{"update_event_subscription", arguments{"subscription_id": id, "enabled": false}}, {"update_event_subscription", arguments{"subscription_id": id, "enabled": true}},
			{"send_test_event", arguments{"subscription_id": id}},
		} {
			_, answer := f.must(t, call.tool, call.args)
			if strings.Contains(answer.Text()+string(answer.Structured), pdpptest.Secret) {
				t.Errorf("%s: %s", call.tool, answer.Text())
			}
			if !strings.Contains(answer.Text(), id) && call.tool != "send_test_event" {
				t.Errorf("%s does not name the subscription: %s", call.tool, answer.Text())
			}
		}
	})
	t.Run("a new secret is shown once, too", func(t *testing.T) {
		changed, answer := f.must(t, "update_event_subscription", arguments{"subscription_id": id, "rotate_secret": true})
		if changed["secret"] == secret || !strings.Contains(answer.Text(), "secret="+changed["secret"].(string)) {
			t.Error(answer.Text())
		}
		if sent := f.rs.Last(t, pdpptest.Resubscribe).Body; sent != `{"rotate_secret":true}` {
			t.Error(sent)
		}
	})
	t.Run("only what was asked for is changed", func(t *testing.T) {
		f.must(t, "update_event_subscription", arguments{"subscription_id": id, "enabled": false, "rotate_secret": false})
		if sent := f.rs.Last(t, pdpptest.Resubscribe).Body; sent != `{"enabled":false}` {
			t.Error(sent)
		}
		f.refused(t, "subscription_not_active", "send_test_event", arguments{"subscription_id": id}, "enabled: true")
		f.untouched(t, func() {
			for _, args := range []arguments{{}, {"enabled": nil}, {"enabled": ""}, {"rotate_secret": false}} {
				args["subscription_id"] = id
				f.refused(t, tools.CodeMissingField, "update_event_subscription", args, "enabled: true or false")
			}
		})
	})
	t.Run("one whose grant has ended", func(t *testing.T) {
		f.rs.Revoke(id)
		f.refused(t, "grant_revoked", "update_event_subscription", arguments{"subscription_id": id, "enabled": true}, "create_event_subscription")
	})
	t.Run("deleted is deleted", func(t *testing.T) {
		answer := f.Call(t, "delete_event_subscription", arguments{"subscription_id": id})
		if answer.IsError || !strings.Contains(answer.Text(), id) || !strings.Contains(string(answer.Structured), `"data":null`) {
			t.Errorf("%s %s", answer.Text(), answer.Structured)
		}
		for _, tool := range []string{"get_event_subscription", "delete_event_subscription", "send_test_event"} {
			f.refused(t, "not_found", tool, arguments{"subscription_id": id}, "list_event_subscriptions")
		}
		if _, answer := f.must(t, "list_event_subscriptions", nil); !strings.Contains(answer.Text(), "No event subscriptions") {
			t.Error(answer.Text())
		}
	})
	t.Run("a callback is https, or http on this machine", func(t *testing.T) {
		for _, address := range []string{"https://example.org", "http://localhost:8765/webhook", "HTTPS://example.org/x?y=1"} {
			f.must(t, "create_event_subscription", arguments{"callback_url": address})
		}
		f.untouched(t, func() {
			for _, address := range []string{
				"http://example.org/", "http://localhost.example.org/", "http://127.0.0.2/", "ftp://example.org/", "example.org/hook", "https://", "https://:443/", "//example.org/",
				"https://user:pass@example.org/", "https://example.org/" + strings.Repeat("x", 2048), "https://exa mple.org/", "javascript:alert(1)",
			} {
				f.refused(t, tools.CodeValidation, "create_event_subscription", arguments{"callback_url": address}, "https")
			}
			f.refused(t, tools.CodeMissingField, "create_event_subscription", arguments{"callback_url": " "})
		})
	})
	t.Run("more of them than fit", func(t *testing.T) {
		var rows []string
		for range 300 {
			rows = append(rows, strings.Replace(pdpptest.Recorded("event_sub_create"), `"secret":"whsec_REDACTED",`, "", 1))
		}
		f.rs.Put(pdpptest.Subscriptions, pdpptest.Override{Body: `{"data":[` + strings.Join(rows, ",") + `]}`})
		data, answer := f.must(t, "list_event_subscriptions", nil)
		if shown := len(data["data"].([]any)); shown < 10 || shown == 300 || !strings.Contains(answer.Text(), "of 300.") || !strings.Contains(string(answer.Structured), "of 300.") {
			t.Errorf("%d shown: %.200s", shown, answer.Text())
		}
	})
	t.Run("metadata that does not fit", func(t *testing.T) {
		metadata := `{"padding":"` + strings.Repeat("x", 20_000) + `","capabilities":{"other":1,"client_event_subscriptions":{"supported":true,"event_types":["a.b"]}}}`
		f.rs.Put(pdpptest.WellKnown, pdpptest.Override{Body: metadata})
		data, answer := f.must(t, "discover_event_subscription_capabilities", nil)
		if data["padding"] != nil || !strings.Contains(answer.Text(), "event_types: a.b") || !strings.Contains(string(answer.Structured), "a.b") {
			t.Errorf("%.300s", answer.Text())
		}
	})
}

// TestB15 is in package pdpptest: every answer of the fake server has the keys of the
// recorded one. This one holds that the two are used alike.
func TestB15TheFakeServerAnswersAsTheRecordedOne(t *testing.T) {
	f := open(t)
	texts := make(map[string]string)
	for name, c := range map[string]struct {
		endpoint pdpptest.Endpoint
		call     next
	}{
		"records_page":       {pdpptest.Records, next{"query_records", arguments{"stream": "issues", "limit": 2}}},
		"search":             {pdpptest.Search, next{"search", arguments{"q": "overflow", "limit": 2}}},
		"aggregate_count":    {pdpptest.Aggregate, next{"aggregate", arguments{"stream": "issues", "metric": "count"}}},
		"record_one":         {pdpptest.RecordOf, next{"fetch", arguments{"id": "issues:issue-3"}}},
		"streams":            {pdpptest.Streams, next{"list_streams", arguments{}}},
		"schema_compact":     {pdpptest.Schema, next{"schema", arguments{}}},
		"records_bad_cursor": {pdpptest.Records, next{"query_records", arguments{"stream": "issues", "cursor": "garbage"}}},
	} {
		texts[name] = f.Call(t, c.call.tool, c.call.args).Text()
		body := pdpptest.Recorded(name)
		status := http.StatusOK
		if strings.HasPrefix(body, `{"error"`) {
			status = http.StatusBadRequest
		}
		f.rs.Put(c.endpoint, pdpptest.Override{Status: status, Body: body})
		// The cursor of a search is made up.
		mask := func(text string) string { return cursorOf.ReplaceAllString(text, "cursor") }
		if got := f.Call(t, c.call.tool, c.call.args).Text(); mask(got) != mask(texts[name]) {
			t.Errorf("%s: of the fake\n%s\nof the recorded\n%s", name, texts[name], got)
		}
		f.rs.Clear(c.endpoint)
	}
}

// TestB16 asks the same of any resource server. It always asks the fake one, and a
// real one, started and filled by hand, where the environment names it.
