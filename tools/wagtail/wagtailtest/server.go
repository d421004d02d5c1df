// Package wagtailtest is a Wagtail site for tests: an HTTP server that replays recorded
// answers of a real one. A request that was not recorded is answered from the same site's
// content, by the same rules.
//
// It refuses what the real one refuses, with its status and its message: a limit over 20,
// unknown fields, parameters and types, and requests that cause a bare 500. So a request
// that would fail there fails the test. Only searches find less: beyond the recorded
// queries they look at titles.
package wagtailtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// The keys that the site knows. The staff API only takes the second.
const (
	ReaderKey = "fixture-reader-key-0001"
	StaffKey  = "fixture-staff-key-0002"
)

// A Server is the site. It has its API under /api/v2/, and under these paths
// before it APIs that are set up otherwise: /bearer and /token want a key in that
// scheme, /staff wants that of staff, /session has no keys at all, /throttled has
// had enough, /maintenance, /broken, /notjson and /away are in front of an API
// that cannot be reached, /max5 and /nomax have another maximum page size,
// /nosearch no search, /othersite calls itself www.museum.example, and /cms is the
// site below a path of its host. The same Wagtail has a second site, [OtherHost].
type Server struct {
	URL string

	recorded map[string]Recording
	byQuery  map[string]Recording
	site     map[string][]siteObject
	details  map[int]map[string]any
	changed  bool // it has pages that the recorded site has not
	model    siteModel

	mu       sync.Mutex
	requests []Request
}

// A Request is one that the server got.
type Request struct {
	Method, Path, Query, Authorization, Accept string
}

func (r Request) String() string {
	if r.Query == "" {
		return r.Path
	}
	return r.Path + "?" + r.Query
}

// NewServer starts a site that ends with the test.
func NewServer(t testing.TB) *Server {
	t.Helper()
	s := &Server{recorded: Recordings(t), byQuery: map[string]Recording{}, site: readSite(t), details: map[int]map[string]any{}, model: museum}
	for name, r := range s.recorded {
		if strings.HasPrefix(name, "variant-") || len(r.Asked) > 0 && !strings.HasPrefix(name, "html-") {
			continue
		}
		s.byQuery[r.Method+" "+r.Path+"?"+canonical(r.Query)] = r
		var detail map[string]any
		if strings.HasPrefix(name, "page-detail") && r.Query == "" && r.Status == http.StatusOK && json.Unmarshal(r.Body, &detail) == nil {
			if id, ok := detail["id"].(float64); ok {
				s.details[int(id)] = detail
			}
		}
	}
	s.readOtherSite(t)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request{}, s.requests...)
}

// Forget drops the requests so far.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// A setup is how an API under a path of its own differs.
type setup struct {
	max      int // 0 for none
	noSearch bool
	host     string
}

// troubles are the recorded answers of bases that answer nothing else.
var troubles = map[string]string{
	"/throttled":   "trouble-throttled-4",
	"/maintenance": "trouble-maintenance-503",
	"/broken":      "trouble-500-html",
	"/notjson":     "trouble-login-page-200-html",
	"/away":        "trouble-redirect-other-host",
}

// ServeHTTP answers as the site does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Authorization"), r.Header.Get("Accept")})
	s.mu.Unlock()
	prefix, rest, api := strings.Cut(r.URL.Path, "/api/v2/")
	if trouble, ok := troubles[prefix]; ok {
		s.replay(w, s.recorded[trouble])
		return
	}
	c := setup{max: 20}
	switch prefix {
	case "/bearer", "/token", "/staff", "/session":
		if refused := s.authenticate(prefix[1:], r.Header.Get("Authorization")); api && refused != "" {
			s.replay(w, s.recorded[refused])
			return
		}
	case "/max5":
		c.max = 5
	case "/nomax":
		c.max = 0
	case "/nosearch":
		c.noSearch = true
	case "/othersite":
		c.host = "https://www.museum.example"
	case "/cms":
		c.host = origin + "/cms"
	case "":
	default:
		api = false
	}
	if !api {
		s.page(w, r)
		return
	}
	query := r.URL.RawQuery
	if detailPath.MatchString(rest) { // before Wagtail 8.0 a detail takes no notice of it
		query = withoutTextFormat(query)
	}
	recorded, ok := s.byQuery[r.Method+" /api/v2/"+rest+"?"+canonical(query)]
	if ok && c == (setup{max: 20}) && !s.changed {
		s.replay(w, recorded)
		return
	}
	s.emulate(w, r, c, rest)
}

// authenticate returns the name of the recorded refusal of a request's key, "" for
// none.
func (s *Server) authenticate(api, authorization string) string {
	scheme, key, _ := strings.Cut(authorization, " ")
	wanted := "Bearer"
	if api == "token" {
		wanted = "Token"
	}
	switch {
	case api == "session", authorization == "":
		return "auth-" + api + "-none"
	case scheme != wanted:
		if api == "staff" {
			return "auth-staff-none"
		}
		return "auth-" + api + "-other-scheme"
	case api == "staff" && key == ReaderKey:
		return "auth-staff-forbidden"
	case key != ReaderKey && key != StaffKey:
		return "auth-" + strings.Replace(api, "staff", "bearer", 1) + "-wrong-key"
	}
	return ""
}

// page answers requests that are not for the API.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/cms")
	if recorded, ok := s.byQuery[r.Method+" "+path+"?"+canonical(r.URL.RawQuery)]; ok {
		s.replay(w, recorded)
		return
	}
	s.replay(w, s.recorded["html-page-404"])
}

func (s *Server) replay(w http.ResponseWriter, r Recording) {
	for name, value := range r.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(r.Status)
	_, _ = w.Write(r.Bytes()) // the client may have gone
}

var detailPath = regexp.MustCompile(`^[a-z]+/\d+/$`)

func withoutTextFormat(query string) string {
	values, err := url.ParseQuery(query)
	if err != nil {
		return query
	}
	values.Del("rich_text_format")
	return values.Encode()
}

// canonical returns a query with its parameters in order and without default values.
func canonical(query string) string {
	values, err := url.ParseQuery(query)
	if err != nil {
		return query
	}
	if values.Get("limit") == "20" {
		values.Del("limit")
	}
	if values.Get("offset") == "0" {
		values.Del("offset")
	}
	return values.Encode()
}

// An apiRefusal is an answer that is an error.
type apiRefusal struct {
	status  int
	message string // "" for a bare page of HTML
}

func refuse(format string, args ...any) *apiRefusal {
	return &apiRefusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func (s *Server) write(w http.ResponseWriter, refused *apiRefusal, body any, host string) {
	w.Header().Set("Content-Type", "application/json")
	if refused != nil {
		if refused.message == "" {
			s.replay(w, s.recorded["trouble-500-html"])
			return
		}
		w.WriteHeader(refused.status)
		body = map[string]string{"message": refused.message}
	}
	text, err := json.MarshalIndent(body, "", "    ")
	if err != nil {
		panic(err)
	}
	if host != "" {
		text = []byte(strings.ReplaceAll(string(text), origin, host))
	}
	_, _ = w.Write(text) // the client may have gone
}
