package pdpptest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// answered asks as a client, checks the status, and returns the answer's members.
func answered(t *testing.T, s *Server, status int, method, address, body string) map[string]any {
	t.Helper()
	got := ask(t, s, "client", method, address, body)
	if got.status != status {
		t.Fatalf("%s %s: status %d: %s", method, address, got.status, got.content)
	}
	answer := make(map[string]any)
	if len(got.content) > 0 {
		if err := json.Unmarshal(got.content, &answer); err != nil {
			t.Fatalf("%v: %s", err, got.content)
		}
	}
	return answer
}

// code asks what is refused with a status, and returns the code of the error.
func code(t *testing.T, s *Server, status int, address string) string {
	t.Helper()
	return answered(t, s, status, http.MethodGet, address, "")["error"].(map[string]any)["code"].(string)
}

func TestPagesHaveAllRecordsOnce(t *testing.T) {
	s := Start(t)
	s.AddHostile()
	seen := make(map[string]bool)
	address := "/v1/streams/notes/records?order=asc&limit=100"
	for pages := 0; address != ""; pages++ {
		answer := answered(t, s, http.StatusOK, http.MethodGet, address, "")
		for _, id := range told(answer) {
			if seen[id] {
				t.Fatalf("%s comes twice", id)
			}
			seen[id] = true
		}
		address, _ = answer["links"].(map[string]any)["next"].(string)
		if pages > 5 {
			t.Fatal("the pages do not end")
		}
	}
	if len(seen) != 500 {
		t.Errorf("%d records", len(seen))
	}
}

func TestACursorIsBoundToItsOrder(t *testing.T) {
	s := Start(t)
	cursor := url.QueryEscape(answered(t, s, http.StatusOK, http.MethodGet, "/v1/streams/issues/records?limit=2", "")["next_cursor"].(string))
	if got := code(t, s, http.StatusBadRequest, "/v1/streams/issues/records?limit=2&order=asc&cursor="+cursor); got != "invalid_cursor" {
		t.Error(got)
	}
}

func TestStatusesThatNoRecordingHas(t *testing.T) {
	s := Start(t)
	bookmark := url.QueryEscape(answered(t, s, http.StatusOK, http.MethodGet, "/v1/streams/issues/records?changes_since=beginning&limit=100", "")["next_changes_since"].(string))
	answered(t, s, http.StatusOK, http.MethodGet, "/v1/streams/issues/records?changes_since="+bookmark, "")
	s.ExpireBookmarks()
	if got := code(t, s, http.StatusGone, "/v1/streams/issues/records?changes_since="+bookmark); got != "cursor_expired" {
		t.Error(got)
	}

	s.AddConnection("cin_second", "github", "issues")
	wrong := answered(t, s, http.StatusConflict, http.MethodGet, "/v1/streams/issues/records", "")["error"].(map[string]any)
	if wrong["retry_with"] != "connection_id" || len(wrong["available_connections"].([]any)) != 2 {
		t.Errorf("%v", wrong)
	}
	answered(t, s, http.StatusOK, http.MethodGet, "/v1/streams/issues/records?connection_id=cin_second", "")
	answered(t, s, http.StatusNotFound, http.MethodGet, "/v2/anything", "")

	s.Put(Records, Answer{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "0"}, Body: `{"error":{}}`, Times: 1})
	answered(t, s, http.StatusTooManyRequests, http.MethodGet, "/v1/streams/issue_comments/records", "")
	answered(t, s, http.StatusOK, http.MethodGet, "/v1/streams/issue_comments/records", "")
	if asked := s.Count(Records); asked != 7 {
		t.Errorf("%d requests for records", asked)
	}
	s.Put(Records, Answer{Cut: true})
	response, err := http.Get(s.URL + "/v1/streams/issues/records")
	if err == nil {
		response.Body.Close()
		t.Error("the connection was not cut")
	}
	s.Clear(Records)
}

func TestWhatIsRefused(t *testing.T) {
	s := Start(t)
	s.SetEra(EraA)
	for address, want := range map[string]string{
		"/v1/streams/issues/records?limit=0":                                            "invalid_request",
		"/v1/streams/issues/records?order=up":                                           "invalid_request",
		"/v1/streams/issues/records?count=all":                                          "invalid_request",
		"/v1/streams/issues/records?view=none":                                          "invalid_request",
		"/v1/streams/issues/records?filter=x":                                           "invalid_request",
		"/v1/streams/issues/records?expand_limit=3":                                     "invalid_request",
		"/v1/streams/issues/records?filter[none]=1":                                     "unknown_field",
		"/v1/streams/issues/records?filter[labels]=bug":                                 "invalid_request",
		"/v1/streams/issues/records?expand_limit[comments_list]=1":                      "invalid_expand",
		"/v1/streams/issues/records?expand=comments_list&expand_limit[comments_list]=0": "invalid_request",
		"/v1/streams/issues/records?changes_since=garbage":                              "invalid_cursor",
		"/v1/streams/issues/records?changes_since=beginning&cursor=garbage":             "invalid_cursor",
		"/v1/streams/issues/aggregate?metric=median":                                    "invalid_request",
		"/v1/streams/issues/aggregate?metric=count&group_by=state&group_by_time=x":      "invalid_request",
		"/v1/streams/issues/aggregate?metric=count&group_by=title":                      "invalid_request",
		"/v1/streams/issues/records?changes_since=beginning&order=asc":                  "invalid_request",
		"/v1/streams/issues/records/issue-1/field-window?field=body&limit_chars=x":      "invalid_request",
		"/v1/search":                        "invalid_request",
		"/v1/search?q=a&filter[state]=open": "invalid_request",
		"/v1/search?q=a&cursor=!":           "invalid_cursor",
		"/v1/search?q=a&cursor=e30":         "invalid_cursor",
		"/v1/search?q=a&none=1":             "invalid_request",
		"/v1/search/hybrid?q=a&cursor=x":    "invalid_request",
		"/v1/schema?detail=full":            "invalid_request",
	} {
		if got := code(t, s, http.StatusBadRequest, address); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
	for _, address := range []string{"/v1/schema?connection_id=none", "/v1/streams?connection_id=none", "/v1/streams/issues/records?connection_id=none"} {
		if got := code(t, s, http.StatusUnauthorized, address); got != "context.instance_mismatch" {
			t.Errorf("%s: %s", address, got)
		}
	}
	if got := code(t, s, http.StatusUnauthorized, "/v1/search?q=a&streams=none"); got != "context.stream_not_allowed" {
		t.Error(got)
	}
}

func TestFiguresOfEraA(t *testing.T) {
	s := Start(t)
	s.SetEra(EraA)
	for query, want := range map[string]float64{
		"metric=count&filter[state]=open": 15, "metric=min&field=comments": 0, "metric=max&field=comments": 3,
		"metric=count_distinct&field=state": 2, "metric=count&filter[comments][gt]=2": 7, "metric=count&filter[comments][lte]=0": 7,
		"metric=count&filter[comments][lt]=1": 7, "metric=count&filter[comments][gte]=x": 0,
	} {
		if got := answered(t, s, http.StatusOK, http.MethodGet, "/v1/streams/issues/aggregate?"+query, "")["value"]; got != want {
			t.Errorf("%s: %v", query, got)
		}
	}
	for granularity, first := range map[string]string{"day": "2026-01-01", "month": "2026-01", "year": "2026"} {
		groups := answered(t, s, http.StatusOK, http.MethodGet, "/v1/streams/issues/aggregate?metric=count&group_by_time=created_at&granularity="+granularity, "")["groups"].([]any)
		if key := groups[0].(map[string]any)["key"]; key != first {
			t.Errorf("%s: %v", granularity, key)
		}
	}
}

func TestSubscriptionsLiveAndEnd(t *testing.T) {
	s := Start(t)
	const all = "/v1/event-subscriptions"
	made := answered(t, s, http.StatusCreated, http.MethodPost, all, `{"callback_url":"http://localhost:8765/webhook","filters":{"streams":["issues"]}}`)
	if d := differing(made, readRecording(t, "event_sub_create")); len(d) > 0 {
		t.Errorf("keys: %v", d)
	}
	one := all + "/" + made["subscription_id"].(string)
	if listed := answered(t, s, http.StatusOK, http.MethodGet, all, "")["data"].([]any); len(listed) != 1 || listed[0].(map[string]any)["secret"] != nil {
		t.Errorf("%v", listed)
	}
	answered(t, s, http.StatusAccepted, http.MethodPost, one+"/test-event", "")
	if changed := answered(t, s, http.StatusOK, http.MethodPatch, one, `{"enabled":false,"rotate_secret":true}`); changed["subscription"].(map[string]any)["status"] != "disabled" || changed["secret"] == made["secret"] || len(differing(changed, readRecording(t, "letters/event_sub_update"))) > 0 {
		t.Errorf("%v", changed)
	}
	if got := answered(t, s, http.StatusOK, http.MethodGet, one, ""); len(differing(got, readRecording(t, "letters/event_sub_get"))) > 0 {
		t.Errorf("%v", got)
	}
	answered(t, s, http.StatusConflict, http.MethodPost, one+"/test-event", "")
	s.Revoke(made["subscription_id"].(string))
	answered(t, s, http.StatusConflict, http.MethodPatch, one, `{"enabled":true}`)
	answered(t, s, http.StatusOK, http.MethodGet, one, "")
	answered(t, s, http.StatusNoContent, http.MethodDelete, one, "")
	for method, address := range map[string]string{http.MethodGet: one, http.MethodDelete: one, http.MethodPatch: one, http.MethodPost: one + "/test-event"} {
		answered(t, s, http.StatusNotFound, method, address, "{}")
	}
	for _, body := range []string{"no JSON", `{"callback_url":"http://example.org/"}`, `{"callback_url":"https://example.org/","filters":{"streams":["none"]}}`} {
		answered(t, s, http.StatusBadRequest, http.MethodPost, all, body)
	}
	s.WithoutEvents()
	metadata := answered(t, s, http.StatusOK, http.MethodGet, "/.well-known/oauth-protected-resource", "")
	if metadata["capabilities"].(map[string]any)["client_event_subscriptions"] != nil {
		t.Error("events are advertised still")
	}
}

func TestBlobsComeWholeUnlessThereAreRanges(t *testing.T) {
	s := Start(t)
	s.AddBlob("own", "text/plain", []byte("0123456789"))
	part := func() (int, string, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/blobs/own", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+ClientToken)
		request.Header.Set("Range", "bytes=2-4")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, response.Header.Get("Content-Range"), string(content)
	}
	if status, said, content := part(); status != http.StatusOK || said != "" || content != "0123456789" {
		t.Errorf("status %d, %q: %s", status, said, content)
	}
	s.ServeRanges()
	if status, said, content := part(); status != http.StatusPartialContent || said != "bytes 2-4/10" || content != "234" {
		t.Errorf("status %d, %q: %s", status, said, content)
	}
}

func TestTheSchemaFollowsWhatIsSet(t *testing.T) {
	s := Start(t)
	s.SetEra(EraA)
	advertised := func() string {
		return string(ask(t, s, "client", http.MethodGet, "/v1/schema?view=compact&stream=issues&connection_id="+ConnectionID, "").content)
	}
	if !strings.Contains(advertised(), `"comments_list"`) {
		t.Error("comments_list is not advertised")
	}
	s.SetExpand(ConnectionID, "issues")
	if strings.Contains(advertised(), `"comments_list"`) {
		t.Error("comments_list is advertised still")
	}
	if last := s.Last(t, Schema); last.Query.Get("stream") != "issues" {
		t.Errorf("%v", last)
	}
}

func TestACredentialLiesWhereItsHostHasIt(t *testing.T) {
	s := Start(t)
	root := t.TempDir()
	file := s.WriteCredential(t, root, Credential{Token: ClientToken, Kind: "client", Expires: time.Unix(0, 0)})
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(file) != filepath.Join(root, "clients") || !strings.HasPrefix(filepath.Base(file), "127.0.0.1_") ||
		!strings.Contains(string(content), `"expires_at":"1970-01-01T00:00:00Z"`) {
		t.Errorf("%s: %s", file, content)
	}
}
