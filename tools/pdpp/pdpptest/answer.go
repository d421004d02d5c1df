package pdpptest

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// object is a JSON object on its way out.
type object map[string]any

// A refusal is an error as the server words it. The rest of its members depend
// on its code.
type refusal struct {
	status  int
	kind    string
	code    string
	message string
	more    object
}

// asked is a request with what its token may do.
type asked struct {
	*http.Request
	query map[string][]string
	owner bool
	body  []byte
}

// restricted reports whether the reads of era B apply.
func (s *Server) restricted(a asked) bool { return s.era == EraB && !a.owner }

// A reply is an answer: JSON, or bytes of a type.
type reply struct {
	status  int
	body    object
	content []byte // in place of body
	kind    string // media type of content
}

type handler func(a asked) (reply, *refusal)

func (s *Server) handlers() map[Endpoint]handler {
	return map[Endpoint]handler{
		Schema: s.schema, Streams: s.streamList, StreamOf: s.streamMetadata,
		Records: s.records, RecordOf: s.record, FieldWindow: s.fieldWindow,
		Aggregate: s.aggregate, Search: s.search, Semantic: s.semantic, Hybrid: s.hybrid, BlobOf: s.blob,
		Subscribe: s.subscribe, Subscriptions: s.listSubscriptions, SubscriptionOf: s.subscription,
		Resubscribe: s.resubscribe, Unsubscribe: s.unsubscribe, TestEvent: s.testEvent,
		WellKnown: s.wellKnown,
		Unknown: func(asked) (reply, *refusal) {
			return reply{}, refuse(http.StatusNotFound, "not_found", "Not found")
		},
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, endpoint Endpoint, answer handler) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.seen = append(s.seen, Request{endpoint, r.Method, r.URL.EscapedPath(), r.URL.Query(), r.URL.RawQuery, r.Header.Clone(), string(body)})
	var instead *Answer
	if set := s.instead[endpoint]; set != nil {
		given := *set
		instead = &given
		if set.Times--; set.Times == 0 {
			delete(s.instead, endpoint)
		}
	}
	id := s.nextID("req_")
	s.mu.Unlock()

	header := w.Header()
	header.Set("request-id", id)
	header.Set("pdpp-version", "2026-04-06")
	header.Set("pdpp-reference-revision", "pdpp-reference@test")
	if instead != nil {
		if instead.made != nil {
			limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
			if err != nil {
				limit = defaultLimit
			}
			instead.Body = instead.made(limit)
		}
		stand(w, *instead)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := asked{Request: r, query: r.URL.Query(), body: body}
	wrong := s.admitted(&a, endpoint)
	if (wrong == nil || wrong.status != http.StatusUnauthorized) && !untraced(endpoint) {
		header.Set("pdpp-reference-trace-id", "trc_"+strings.TrimPrefix(id, "req_"))
	}
	var out reply
	if wrong == nil {
		out, wrong = answer(a)
	}
	if wrong != nil {
		s.refused(w, wrong, id)
		return
	}
	s.send(w, r, out)
}

// untraced reports whether an endpoint answers without a trace id.
func untraced(endpoint Endpoint) bool {
	return strings.Contains(string(endpoint), "event-subscriptions") || endpoint == BlobOf || endpoint == WellKnown || endpoint == Unknown
}

// admitted checks the token of a request.
func (s *Server) admitted(a *asked, endpoint Endpoint) *refusal {
	token, bearer := strings.CutPrefix(a.Header.Get("Authorization"), "Bearer ")
	switch {
	case endpoint == WellKnown:
		return nil
	case !bearer || token == "":
		return s.unauthenticated("authentication_error", "Missing Bearer token")
	case token == OwnerToken:
		a.owner = true
	case token == RevokedToken:
		return refuse(http.StatusForbidden, "grant_revoked", "Grant has been revoked")
	case token != ClientToken:
		return s.unauthenticated("context.active_false", failedClosed)
	}
	perStream := strings.Contains(string(endpoint), "{stream}")
	if a.owner && perStream && a.one("connector_id") == "" {
		return invalid("connector_id must be a single non-empty string for polyfill owner access", "")
	}
	return nil
}

const failedClosed = "Token introspection failed closed"

// unauthenticated is a 401: it says where to get a token.
func (s *Server) unauthenticated(code, message string) *refusal {
	return &refusal{http.StatusUnauthorized, "authentication_error", code, message, object{
		"resource_metadata": s.URL + "/.well-known/oauth-protected-resource",
		"next_step":         "Fetch error.resource_metadata and request a scoped client grant.",
	}}
}

// refuse is an error of the type that goes with its status.
func refuse(status int, code, message string) *refusal {
	kind := "invalid_request_error"
	switch status {
	case http.StatusForbidden:
		kind = "permission_error"
	case http.StatusNotFound:
		kind = "not_found_error"
	case http.StatusUnprocessableEntity:
		kind = "api_error"
	case http.StatusTooManyRequests:
		kind = "rate_limit_error"
	}
	return &refusal{status: status, kind: kind, code: code, message: message}
}

// invalid is a 400 that blames a parameter, or none.
func invalid(message, param string) *refusal {
	r := refuse(http.StatusBadRequest, "invalid_request", message)
	if param != "" {
		r.more = object{"param": param}
	}
	return r
}

func (s *Server) refused(w http.ResponseWriter, r *refusal, id string) {
	if r.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/.well-known/oauth-protected-resource"`)
	}
	said := object{"type": r.kind, "code": r.code, "message": r.message, "request_id": id}
	maps.Copy(said, r.more)
	writeJSON(w, r.status, object{"error": said})
}

func (s *Server) send(w http.ResponseWriter, r *http.Request, out reply) {
	switch {
	case out.content != nil:
		w.Header().Set("Content-Type", out.kind)
		s.sendBytes(w, r, out.content)
	case out.body == nil:
		w.WriteHeader(out.status)
	default:
		writeJSON(w, max(out.status, http.StatusOK), out.body)
	}
}

// stand sends what was put in place of an answer.
func stand(w http.ResponseWriter, a Answer) {
	if a.Cut {
		panic(http.ErrAbortHandler)
	}
	if a.Header["Content-Type"] == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(max(a.Status, http.StatusOK))
	io.WriteString(w, a.Body) //nolint:errcheck // whoever asked is gone
}

func writeJSON(w http.ResponseWriter, status int, body object) {
	content, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	w.Write(content) //nolint:errcheck // whoever asked is gone
}

// envelope adds to a body what every success carries.
func envelope(a asked, body object, next string, warnings ...object) object {
	body["links"] = object{"self": a.URL.RequestURI(), "next": nil}
	if next != "" {
		body["links"] = object{"self": a.URL.RequestURI(), "next": next}
	}
	if body["object"] != "list" {
		body["links"] = object{"self": a.URL.RequestURI()}
	}
	body["meta"] = object{"count": object{"kind": "none"}, "warnings": slices.Concat([]object{}, warnings)}
	return body
}

// one is a parameter's value, "" when it is absent.
func (a asked) one(name string) string {
	if values := a.query[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// listed is a parameter's values, those that commas separate too.
func (a asked) listed(names ...string) []string {
	var all []string
	for _, name := range names {
		for _, value := range a.query[name] {
			for part := range strings.SplitSeq(value, ",") {
				if part != "" {
					all = append(all, part)
				}
			}
		}
	}
	return all
}

const (
	defaultLimit = 25
	maxLimit     = 100
)

// limit is the page size that was asked for, with the warning that goes with one
// that is too large.
func (a asked) limit(byDefault int, whole string) (int, []object, *refusal) {
	text := a.one("limit")
	if text == "" {
		return byDefault, nil, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 {
		return 0, nil, invalid("limit must be a positive integer", "limit")
	}
	if limit <= maxLimit {
		return limit, nil, nil
	}
	return maxLimit, []object{{
		"code": "limit_clamped", "param": "limit",
		"detail":  object{"max_limit": maxLimit, "requested_limit": limit},
		"message": "Requested limit=" + text + " exceeds the maximum page size of 100; returned " + whole + " per page. Page forward with the returned cursor.",
	}}, nil
}
