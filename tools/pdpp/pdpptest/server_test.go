package pdpptest

import (
	"net/http"
	"net/url"
	"testing"
)

// answered asks as a client, checks the status and returns the answer.
func answered(t *testing.T, s *Server, status int, method, address, body string) jsonObject {
	t.Helper()
	got := ask(t, s, "client", method, address, body)
	if got.status != status {
		t.Fatalf("%s %s: status %d: %s", method, address, got.status, got.content)
	}
	answer, _ := parse(t, got.content).(jsonObject)
	return answer
}

func TestPagesHaveAllRecordsOnce(t *testing.T) {
	s := Start(t)
	s.AddHostile()
	for _, first := range []string{"order=asc&limit=100", "limit=7", "changes_since=beginning&limit=100"} {
		seen := make(map[string]bool)
		address := "/v1/streams/notes/records?" + first
		for more := true; more; {
			answer := answered(t, s, http.StatusOK, http.MethodGet, address, "")
			for _, id := range told(answer) {
				if seen[id] {
					t.Fatalf("%s: %s comes twice", first, id)
				}
				seen[id] = true
			}
			var cursor string
			cursor, more = answer["next_cursor"].(string)
			address = "/v1/streams/notes/records?limit=100&cursor=" + url.QueryEscape(cursor)
			if first[0] == 'o' {
				address += "&order=asc"
			}
		}
		if len(seen) != 500 {
			t.Errorf("%s: %d records", first, len(seen))
		}
	}
}

func TestCursorBelongsToItsOrder(t *testing.T) {
	s := Start(t)
	cursor := url.QueryEscape(member[string](answered(t, s, http.StatusOK, http.MethodGet, "/v1/streams/issues/records?limit=2", ""), "next_cursor"))
	answered(t, s, http.StatusBadRequest, http.MethodGet, "/v1/streams/issues/records?limit=2&order=asc&cursor="+cursor, "")
}

func TestStreamOfTwoConnectionsNeedsOne(t *testing.T) {
	s := Start(t)
	s.AddConnection("cin_second", "gitlab", "issues")
	wrong := member[jsonObject](answered(t, s, http.StatusConflict, http.MethodGet, "/v1/streams/issues/records", ""), "error")
	if wrong["retry_with"] != "connection_id" || len(wrong["available_connections"].([]any)) != 2 {
		t.Errorf("%v", wrong)
	}
	answered(t, s, http.StatusOK, http.MethodGet, "/v1/streams/issues/records?connection_id=cin_second", "")
}

func TestPutReplacesAnAnswerForSomeTimes(t *testing.T) {
	s := Start(t)
	s.Put(Records, Override{Status: http.StatusTooManyRequests, Body: `{"error":{}}`, Times: 1})
	answered(t, s, http.StatusTooManyRequests, http.MethodGet, "/v1/streams/issues/records", "")
	answered(t, s, http.StatusOK, http.MethodGet, "/v1/streams/issues/records", "")
	if asked := s.Count(Records); asked != 2 {
		t.Errorf("%d requests", asked)
	}
	s.Put(Records, Override{Cut: true})
	if response, err := http.Get(s.URL + "/v1/streams/issues/records"); err == nil {
		response.Body.Close()
		t.Error("the connection was not cut")
	}
}

func TestSubscriptionsHaveTheRecordedForms(t *testing.T) {
	s := Start(t)
	const all = "/v1/event-subscriptions"
	same := func(got jsonObject, name string) {
		t.Helper()
		if d := differing(got, parse(t, []byte(Recorded(name)))); len(d) > 0 {
			t.Errorf("%s: %v", name, d)
		}
	}
	made := answered(t, s, http.StatusCreated, http.MethodPost, all, `{"callback_url":"http://localhost:8765/webhook"}`)
	same(made, "event_sub_create")
	one := all + "/" + member[string](made, "subscription_id")
	same(answered(t, s, http.StatusOK, http.MethodGet, one, ""), "letters/event_sub_get")
	changed := answered(t, s, http.StatusOK, http.MethodPatch, one, `{"enabled":false,"rotate_secret":true}`)
	same(changed, "letters/event_sub_update")
	if changed["secret"] == made["secret"] || member[jsonObject](changed, "subscription")["status"] != "disabled" {
		t.Errorf("%v", changed)
	}
	answered(t, s, http.StatusConflict, http.MethodPost, one+"/test-event", "")
	s.Revoke(member[string](made, "subscription_id"))
	answered(t, s, http.StatusConflict, http.MethodPatch, one, `{"enabled":true}`)
	if got := ask(t, s, "client", http.MethodDelete, one, ""); got.status != http.StatusNoContent {
		t.Errorf("status %d", got.status)
	}
	answered(t, s, http.StatusNotFound, http.MethodGet, one, "")
}
