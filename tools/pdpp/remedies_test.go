package pdpp

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"issues-index/tools/pdpp/pdpptest"
)

func TestARevokedGrantIsToBeConnectedAgainWhateverIsCalled(t *testing.T) {
	f := open(t)
	f.rs.WriteCredential(t, f.options.CacheRoot, pdpptest.Credential{Token: pdpptest.RevokedToken, Expires: noon.Add(time.Minute)})
	for _, call := range everyCall() {
		if call.tool == "discover_event_subscription_capabilities" || call.args["expand"] != nil { // which ask nothing of the grant, or the schema first
			continue
		}
		f.refused(t, "grant_revoked", call.tool, call.args, "pdpp connect "+f.rs.URL)
	}
}

func TestAnUnknownStreamLeadsToThoseThatThereAre(t *testing.T) {
	for status, code := range map[int]string{401: "context.stream_not_allowed", 403: "grant_stream_not_allowed", 404: "not_found", 500: "stream_not_declared"} {
		f := open(t)
		answer := pdpptest.Override{Status: status, Body: `{"error":{"code":"` + code + `","message":"No."}}`}
		f.rs.Put(pdpptest.Records, answer)
		f.rs.Put(pdpptest.Aggregate, answer)
		for tool, args := range map[string]arguments{"query_records": {"stream": "none"}, "aggregate": {"stream": "none", "metric": "count"}} {
			if got := f.Call(t, tool, args); !got.IsError || !strings.Contains(got.Text(), "list_streams") {
				t.Errorf("%d, %s: %s", status, tool, got.Text())
			}
		}
	}
}

func TestWindowsAndSearchesSayWhatHelps(t *testing.T) {
	f := openLetters(t)
	f.refused(t, "query_not_found", "fetch", arguments{"id": "messages:msg-1", "field": "subject", "q": "zebra"}, "pass other ones as q")
	f.refused(t, "field_not_granted", "fetch", arguments{"id": "messages:msg-1", "field": "nofield"}, "schema with this stream")
	f.refused(t, "connection_not_found", "search", arguments{"q": "budget", "connection_id": "nope"}, "list_streams")
}

// What the schema says may be used is not said to be unusable in the same breath.
func TestASchemaThatAdvertisesNothingDoesNotContradictItself(t *testing.T) {
	_, answer := open(t).must(t, "schema", arguments{"stream": "issues"})
	_, said, declared := strings.Cut(answer.Text(), "Every field says declared")
	refused, allowed, found := strings.Cut(said, "It may use")
	if !declared || !found || strings.Contains(refused, "sort") || !strings.Contains(allowed, "sort") {
		t.Errorf("got %s", answer.Text())
	}
}

func TestAPortThatSpeaksNoTLSIsNotCalledABadCertificate(t *testing.T) {
	server := httptest.NewServer(nil)
	defer server.Close()
	f := open(t, func(f *fixture) {
		f.options.ProviderURL = strings.Replace(server.URL, "http:", "https:", 1)
		f.rs.URL = f.options.ProviderURL
		f.rs.WriteCredential(t, f.options.CacheRoot, pdpptest.Credential{Token: pdpptest.ClientToken, Expires: noon.Add(time.Minute)})
	})
	f.refused(t, codeUnreachable, "list_streams", nil, "does not speak TLS", "begins with http")
}
