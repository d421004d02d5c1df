package wagtailtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// beyond are the recorded requests that the rules are not held to: what searches
// find in bodies, what is no list or detail, content that only a type's own
// filters reach.
var beyond = []string{"anchor-", "auth-", "html-", "trouble-", "variant-", "richtext-", "document-download", "-options", "-head", "-405",
	"jsononly", "format-xml", "without-slash", "field-filter", "show-in-menus-bad", "find-id",
	"html-path-fr", "format-api", "date-with-type", "-sub-of-", "fields-parent", "html-path-private", "html-path-draft"}

func TestRulesMatchTheRecordedAnswers(t *testing.T) {
	s := NewServer(t)
	rules := &Server{recorded: s.recorded, site: s.site, details: s.details, model: museum} // nothing to replay
	compared := 0
	for name, r := range s.recorded {
		if excluded(name) || r.Method != http.MethodGet {
			continue
		}
		compared++
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			rules.ServeHTTP(w, httptest.NewRequest(http.MethodGet, (&url.URL{Path: r.Path, RawQuery: r.Query}).String(), http.NoBody))
			if w.Code != r.Status {
				t.Fatalf("status %d of %s?%s, the site's is %d: %s", w.Code, r.Path, r.Query, r.Status, w.Body)
			}
			if r.Status == http.StatusFound {
				if w.Header().Get("Location") != strings.Split(r.Headers["location"], "?")[0]+"?" {
					t.Errorf("sent to %s, by the site to %s", w.Header().Get("Location"), r.Headers["location"])
				}
				return
			}
			if got, want := outline(w.Body.Bytes()), outline(r.Bytes()); r.Status != http.StatusOK && got.Message != want.Message {
				t.Errorf("the message is %q, the site's is %q", got.Message, want.Message)
			} else if !strings.Contains(r.Query, "search=") && !strings.Contains(r.Query, "tags=") && !strings.Contains(r.Query, "show_in") {
				if got.ids() != want.ids() {
					t.Errorf("the items are %s, the site's are %s", got.ids(), want.ids())
				}
			}
		})
	}
	if compared < 80 {
		t.Errorf("only %d answers were compared", compared)
	}
}

func excluded(name string) bool {
	for _, part := range beyond {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

type answer struct {
	Message string
	Meta    struct {
		Total int `json:"total_count"`
	}
	Items []struct{ ID int }
}

func outline(body []byte) (a answer) {
	_ = json.Unmarshal(body, &a) // HTML has none
	return a
}

func (a answer) ids() string {
	text, _ := json.Marshal(struct {
		Total int
		Items []struct{ ID int }
	}{a.Meta.Total, a.Items})
	return string(text)
}

func TestKeys(t *testing.T) {
	s := NewServer(t)
	for _, c := range []struct {
		api, authorization string
		status             int
		message            string
	}{
		{"/bearer", "Bearer " + ReaderKey, 200, ""},
		{"/bearer", "Token " + ReaderKey, 401, "Authentication credentials were not provided."},
		{"/bearer", "", 401, "Authentication credentials were not provided."},
		{"/token", "Token " + ReaderKey, 200, ""},
		{"/token", "Token wrong", 401, "Invalid token."},
		{"/staff", "Bearer " + ReaderKey, 403, "You do not have permission to perform this action."},
		{"/staff", "Bearer " + StaffKey, 200, ""},
		{"/session", "Bearer " + ReaderKey, 403, "Authentication credentials were not provided."},
		{"/maintenance", "", 503, ""},
		{"/throttled", "", 429, "Request was throttled"},
	} {
		t.Run(c.api+" "+c.authorization, func(t *testing.T) {
			request, err := http.NewRequest(http.MethodGet, s.URL+c.api+"/api/v2/pages/?limit=2", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", c.authorization)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != c.status || !strings.Contains(string(body), c.message) {
				t.Errorf("%d %s (%v), want %d %s", response.StatusCode, body, err, c.status, c.message)
			}
		})
	}
}
