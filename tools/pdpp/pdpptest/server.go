// Package pdpptest is a PDPP resource server to test against: its answers have
// the form of those that a real one gave, which a test of its own holds, and it
// counts who asked for what.
//
// It knows nothing about MCP or about the adapter in front of it. It serves both
// eras of the protocol, and can be told to fail in any way at any endpoint.
package pdpptest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"
)

// The tokens that the server knows. The client's is bound to a grant; the owner's
// reads everything and needs a connector_id.
const (
	ClientToken = "pdpp-client-token-5f2c9d1e77ab4c08"
	OwnerToken  = "pdpp-owner-token-c41b6630d2f94e15"
	// RevokedToken is one of a client whose grant was revoked.
	RevokedToken = "pdpp-revoked-token-0d7e5a92c18b4f36"
)

// An Era is what a client's token may do.
type Era string

// In era A a client may filter, expand and name a view; in era B that is
// refused, and what a client can do with a field is not told.
const (
	EraA Era = "A"
	EraB Era = "B"
)

// An Endpoint is what a request asked for.
type Endpoint string

// The endpoints.
const (
	Schema         Endpoint = "GET /v1/schema"
	Streams        Endpoint = "GET /v1/streams"
	StreamOf       Endpoint = "GET /v1/streams/{stream}"
	Records        Endpoint = "GET /v1/streams/{stream}/records"
	RecordOf       Endpoint = "GET /v1/streams/{stream}/records/{id}"
	FieldWindow    Endpoint = "GET /v1/streams/{stream}/records/{id}/field-window"
	Aggregate      Endpoint = "GET /v1/streams/{stream}/aggregate"
	Search         Endpoint = "GET /v1/search"
	Semantic       Endpoint = "GET /v1/search/semantic"
	Hybrid         Endpoint = "GET /v1/search/hybrid"
	BlobOf         Endpoint = "GET /v1/blobs/{id}"
	Subscribe      Endpoint = "POST /v1/event-subscriptions"
	Subscriptions  Endpoint = "GET /v1/event-subscriptions"
	SubscriptionOf Endpoint = "GET /v1/event-subscriptions/{id}"
	Resubscribe    Endpoint = "PATCH /v1/event-subscriptions/{id}"
	Unsubscribe    Endpoint = "DELETE /v1/event-subscriptions/{id}"
	TestEvent      Endpoint = "POST /v1/event-subscriptions/{id}/test-event"
	WellKnown      Endpoint = "GET /.well-known/oauth-protected-resource"
	Unknown        Endpoint = "/"
)

// A Request is one that reached the server. Path is escaped, as it came.
type Request struct {
	Endpoint Endpoint
	Method   string
	Path     string
	Query    url.Values
	RawQuery string
	Header   http.Header
	Body     string
}

// An Answer stands in for what an endpoint would say.
type Answer struct {
	Status int // 200 when it is 0
	Header map[string]string
	Body   string
	Cut    bool // the connection ends without an answer
	Times  int  // how often; 0 is always

	made func(limit int) string // in place of Body
}

// A Server is a resource server under test.
type Server struct {
	URL string

	http *httptest.Server
	mu   sync.Mutex
	world
	era      Era
	instead  map[Endpoint]*Answer
	seen     []Request
	oldest   int // version before which bookmarks are expired
	requests int
	ranges   bool // blobs come in ranges
}

// Start starts a server in era B with the records that the recorded one had; the
// test's end stops it.
func Start(tb testing.TB) *Server {
	tb.Helper()
	return start(tb, recordedWorld())
}

// StartLetters starts a server that holds what the second recorded one did: messages,
// labels whose names are no plain words, and a file.
func StartLetters(tb testing.TB) *Server {
	tb.Helper()
	return start(tb, lettersWorld())
}

func start(tb testing.TB, w world) *Server {
	tb.Helper()
	s := &Server{world: w, era: EraB, instead: make(map[Endpoint]*Answer)}
	mux := http.NewServeMux()
	for endpoint, answer := range s.handlers() {
		mux.HandleFunc(string(endpoint), func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, endpoint, answer) })
	}
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
	tb.Cleanup(s.Stop)
	return s
}

// Stop closes the server: what asks it from then on is refused the connection.
func (s *Server) Stop() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// SetEra says what client tokens may do from now on.
func (s *Server) SetEra(era Era) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.era = era
}

// Put has an endpoint answer otherwise.
func (s *Server) Put(endpoint Endpoint, answer Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead[endpoint] = &answer
}

// Answering has an endpoint answer what is made for the limit that it is asked with.
func (s *Server) Answering(endpoint Endpoint, body func(limit int) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead[endpoint] = &Answer{made: body}
}

// Clear has an endpoint answer for itself again.
func (s *Server) Clear(endpoint Endpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.instead, endpoint)
}

// Seen returns the requests that came so far.
func (s *Server) Seen() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Count returns how many requests reached the endpoints, all of them when none
// is named.
func (s *Server) Count(endpoints ...Endpoint) int {
	count := 0
	for _, request := range s.Seen() {
		if len(endpoints) == 0 || slices.Contains(endpoints, request.Endpoint) {
			count++
		}
	}
	return count
}

// Last returns the last request that reached an endpoint.
func (s *Server) Last(tb testing.TB, endpoint Endpoint) Request {
	tb.Helper()
	seen := s.Seen()
	for _, request := range slices.Backward(seen) {
		if request.Endpoint == endpoint {
			return request
		}
	}
	tb.Fatalf("nothing asked for %s", endpoint)
	return Request{}
}

// hostName is how a host names its credential file.
var hostName = regexp.MustCompile(`[^A-Za-z0-9.-]`)

// A Credential is what a file below clients/ holds. Expires is left out when zero.
type Credential struct {
	Token   string
	Kind    string // of the token, "" to leave it out
	Expires time.Time
}

// WriteCredential writes the credential of this server below a cache root, as
// the pdpp program does, and returns the file.
func (s *Server) WriteCredential(tb testing.TB, cacheRoot string, c Credential) string {
	tb.Helper()
	address, err := url.Parse(s.URL)
	if err != nil {
		tb.Fatal(err)
	}
	credential := map[string]any{"access_token": c.Token, "token_type": "Bearer"}
	if c.Kind != "" {
		credential["token_kind"] = c.Kind
	}
	if !c.Expires.IsZero() {
		credential["expires_at"] = c.Expires.UTC().Format(time.RFC3339)
	}
	content, err := json.Marshal(map[string]any{"provider_url": s.URL, "credential": credential})
	if err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(cacheRoot, "clients", hostName.ReplaceAllString(address.Host, "_")+".json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		tb.Fatal(err)
	}
	return file
}

// nextID numbers what the server gives out.
func (s *Server) nextID(prefix string) string {
	s.requests++
	return fmt.Sprintf("%s%016x", prefix, s.requests)
}
