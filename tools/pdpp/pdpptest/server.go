// Package pdpptest is a PDPP resource server for tests. It answers with recorded answers of
// a real one and with generated data in the recorded forms; a test compares all that it
// answers with the recordings. It keeps the requests that it got.
//
// It knows nothing about MCP or about the adapter in front of it.
package pdpptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The tokens that the server knows besides the owner's, for which nothing is served.
const (
	ClientToken  = "pdpp-client-token-5f2c9d1e77ab4c08"
	OwnerToken   = "pdpp-owner-token-c41b6630d2f94e15"
	RevokedToken = "pdpp-revoked-token-0d7e5a92c18b4f36" // of a grant that was revoked
)

// An Era is what a client's token may do.
type Era string

// In era A a client may filter, expand and name a view; in era B it may not, and the schema
// does not tell what a client can do with a field.
const (
	EraA Era = "A"
	EraB Era = "B"
)

// An Endpoint is a pattern of [http.ServeMux].
type Endpoint string

// The endpoints.
const (
	Schema         Endpoint = "GET /v1/schema"
	Streams        Endpoint = "GET /v1/streams"
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
	Path     string
	Query    url.Values
	RawQuery string
	Header   http.Header
	Body     string
}

// An Override is given instead of what an endpoint would answer.
type Override struct {
	Status int // 200 when it is 0
	Header map[string]string
	Body   string
	Cut    bool // the connection ends without an answer
	Times  int  // how often; 0 is always
}

// A Server is a resource server under test.
type Server struct {
	URL string

	http          *httptest.Server
	mu            sync.Mutex
	era           Era
	streams       []*stream
	blobs         map[string]blob
	ranges        bool // blobs come in ranges
	subscriptions []jsonObject
	instead       map[Endpoint]*Override
	seen          []Request
	ids           int
}

// Start starts a server in era B with the issues and comments of the recorded one. It stops
// at the test's end.
func Start(tb testing.TB) *Server {
	tb.Helper()
	s := start(tb, issueStreams())
	s.AddBlob("blob_text", "text/plain; charset=utf-8", []byte("The attachment of issue 3.\nIts second line.\n"))
	return s
}

func start(tb testing.TB, streams []*stream) *Server {
	tb.Helper()
	s := &Server{era: EraB, streams: streams, blobs: make(map[string]blob), instead: make(map[Endpoint]*Override)}
	mux := http.NewServeMux()
	for endpoint, answer := range map[Endpoint]func(asked) httpReply{
		Schema: s.schema, Streams: s.streamList, Records: s.records, RecordOf: s.record, FieldWindow: s.fieldWindow,
		Aggregate: s.aggregate, Search: s.search, Semantic: s.search, Hybrid: s.search, BlobOf: s.blob,
		Subscribe: s.subscribe, Subscriptions: s.listSubscriptions, SubscriptionOf: s.subscription,
		Resubscribe: s.resubscribe, Unsubscribe: s.unsubscribe, TestEvent: s.testEvent,
		WellKnown: func(asked) httpReply { return httpReply{body: recorded("wellknown")} },
		Unknown:   func(asked) httpReply { panic(invalid(http.StatusNotFound, "not_found", "Not found")) },
	} {
		mux.HandleFunc(string(endpoint), func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, endpoint, answer) })
	}
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
	tb.Cleanup(s.Stop)
	return s
}

// Stop closes the server: later requests are refused the connection.
func (s *Server) Stop() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// asked is a request with its query and body read.
type asked struct {
	*http.Request
	query url.Values
	body  []byte
}

// An httpReply is an answer: JSON, or the bytes of a blob.
type httpReply struct {
	status int // 200 when it is 0
	body   jsonObject
	blob   *blob
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, endpoint Endpoint, answer func(asked) httpReply) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, Request{endpoint, r.URL.EscapedPath(), r.URL.Query(), r.URL.RawQuery, r.Header.Clone(), string(body)})
	id := s.nextID("req_")
	header := w.Header()
	header.Set("Request-Id", id)
	header.Set("Pdpp-Version", "2026-04-06")
	header.Set("Pdpp-Reference-Revision", "pdpp-reference@test")
	header.Set("Content-Type", "application/json; charset=utf-8")
	if instead := s.instead[endpoint]; instead != nil {
		if instead.Times--; instead.Times == 0 {
			delete(s.instead, endpoint)
		}
		instead.write(w)
		return
	}
	refusal := admitted(r, endpoint)
	known := refusal == nil || refusal.status != http.StatusUnauthorized
	if known && strings.Contains(string(endpoint), "/v1/s") { // schema, streams and search
		header.Set("Pdpp-Reference-Trace-Id", "trc_"+id)
	}
	var out httpReply
	if refusal == nil {
		out, refusal = handled(answer, asked{r, r.URL.Query(), body})
	}
	if refusal != nil {
		out = httpReply{status: refusal.status, body: jsonObject{"error": refusal.body}}
	}
	if out.status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/.well-known/oauth-protected-resource"`)
	}
	out.write(w, r, s.ranges)
}

// handled returns what a handler answers. A handler refuses a request by a panic with a
// *serverError.
func handled(answer func(asked) httpReply, a asked) (out httpReply, refusal *serverError) {
	defer func() {
		if p := recover(); p != nil {
			var ok bool
			if refusal, ok = p.(*serverError); !ok {
				panic(p)
			}
		}
	}()
	return answer(a), nil
}

// admitted checks the token of a request; nil is a good one.
func admitted(r *http.Request, endpoint Endpoint) *serverError {
	switch token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); {
	case endpoint == WellKnown || token == ClientToken:
		return nil
	case token == "":
		return refused(http.StatusUnauthorized, "no_token")
	case token == RevokedToken:
		return refused(http.StatusForbidden, "letters/revoked")
	}
	return refused(http.StatusUnauthorized, "bad_token")
}

func (a Override) write(w http.ResponseWriter) {
	if a.Cut {
		panic(http.ErrAbortHandler)
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(max(a.Status, http.StatusOK))
	io.WriteString(w, a.Body) //nolint:errcheck // the client is gone
}

func (out httpReply) write(w http.ResponseWriter, r *http.Request, ranges bool) {
	switch {
	case out.blob != nil && ranges:
		w.Header().Set("Content-Type", out.blob.mediaType)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(out.blob.content))
	case out.blob != nil:
		w.Header().Set("Content-Type", out.blob.mediaType)
		w.Write(out.blob.content) //nolint:errcheck // the client is gone
	default:
		w.WriteHeader(max(out.status, http.StatusOK))
		if out.body != nil {
			json.NewEncoder(w).Encode(out.body) //nolint:errcheck // the client is gone
		}
	}
}

// nextID returns another id of the server.
func (s *Server) nextID(prefix string) string {
	s.ids++
	return fmt.Sprintf("%s%016x", prefix, s.ids)
}

// set changes the server between two requests.
func (s *Server) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// SetEra says what client tokens may do from now on.
func (s *Server) SetEra(era Era) { s.set(func() { s.era = era }) }

// Put makes an endpoint give this answer.
func (s *Server) Put(endpoint Endpoint, answer Override) {
	s.set(func() { s.instead[endpoint] = &answer })
}

// Clear undoes Put.
func (s *Server) Clear(endpoint Endpoint) { s.set(func() { delete(s.instead, endpoint) }) }

// Seen returns the requests so far.
func (s *Server) Seen() (seen []Request) {
	s.set(func() { seen = slices.Clone(s.seen) })
	return seen
}

// Count returns the number of requests to the endpoints, or of all requests.
func (s *Server) Count(endpoints ...Endpoint) (count int) {
	for _, request := range s.Seen() {
		if len(endpoints) == 0 || slices.Contains(endpoints, request.Endpoint) {
			count++
		}
	}
	return count
}

// Last returns the last request to an endpoint.
func (s *Server) Last(tb testing.TB, endpoint Endpoint) Request {
	tb.Helper()
	for _, request := range slices.Backward(s.Seen()) {
		if request.Endpoint == endpoint {
			return request
		}
	}
	tb.Fatalf("nothing asked for %s", endpoint)
	return Request{}
}

// A Credential is the content of a file in clients/.
type Credential struct {
	Token   string
	Kind    string    // of the token; "" leaves it out
	Expires time.Time // zero leaves it out
}

var notInFileName = regexp.MustCompile(`[^A-Za-z0-9.-]`)

// WriteCredential writes the credential of this server below a cache root, as the pdpp
// program does, and returns the file.
func (s *Server) WriteCredential(tb testing.TB, cacheRoot string, c Credential) string {
	tb.Helper()
	credential := jsonObject{"access_token": c.Token, "token_type": "Bearer"}
	if c.Kind != "" {
		credential["token_kind"] = c.Kind
	}
	if !c.Expires.IsZero() {
		credential["expires_at"] = c.Expires.UTC().Format(time.RFC3339)
	}
	address, err := url.Parse(s.URL)
	content, marshalErr := json.Marshal(jsonObject{"provider_url": s.URL, "credential": credential})
	if err := errors.Join(err, marshalErr); err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(cacheRoot, "clients", notInFileName.ReplaceAllString(address.Host, "_")+".json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, content, 0o600)); err != nil {
		tb.Fatal(err)
	}
	return file
}
