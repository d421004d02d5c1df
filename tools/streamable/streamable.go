// Package streamable carries MCP messages over HTTP: the protocol is that of mcp-go's
// handler, and this package adds the limits that it lacks.
//
// It knows nothing about single tools, or about who their callers are. Its invariants:
//
//   - what tells a client apart is in the id of its session, which it sends with each of its
//     requests. Only its subscriptions are kept between them, while it reads what it is told,
//     and mcp-go remembers for some minutes what a handshake has said of the client's abilities;
//   - a message is at most 5 MiB, and only so many are answered at once. Neither a client
//     that sends slowly nor one that reads slowly takes a place from those that do not;
//   - what is kept of clients is bounded, whatever they send;
//   - a client that reads nothing for a while loses its connection; one that goes away
//     ends its call;
//   - a refusal has the form of JSON-RPC, and says what to do next;
//   - after Drain has begun, requests in progress are answered and others refused; clients
//     that are told of changes are told of no more, and no user is waited for.
package streamable

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"issues-index/tools"
	"issues-index/tools/auth"
	"issues-index/tools/jsonrpc"
)

const (
	maxBody     = 5 << 20          // bytes of a message
	smallBody   = 64 << 10         // bytes of one that may arrive whether there is a place or not
	maxLarge    = 4                // larger ones at once, which bounds their memory
	maxRequests = 32               // at once: fewer than connections, so that pages are served beside them
	maxWrites   = 24               // of these, calls that may write: they wait for each other, and readers do not
	maxListens  = 16               // clients that are told of changes, beside those requests, half of them of one subject
	readTime    = 10 * time.Second // for the body of a request
	writeTime   = 30 * time.Second // for each part of an answer
	idle        = 10 * time.Minute // that mcp-go remembers a session for, which nothing but questions to users needs
	retryAfter  = "1"              // seconds, for a client that has met a limit
)

// An Endpoint answers MCP requests over HTTP.
type Endpoint struct {
	server *tools.Server
	next   http.Handler
	log    *slog.Logger
	free   chan struct{} // a place for each request that is answered
	writes chan struct{} // a place for each of them that may write

	large    chan struct{} // a place for each large message
	sessions *sessionMemory
	streams  *sessionStreams

	listens auth.LastingAnswers
	life    context.Context // of those: it ends when draining begins
	end     context.CancelFunc

	mu       sync.Mutex
	draining bool
	running  sync.WaitGroup
}

// New returns an endpoint with the tools of a server.
func New(s *tools.Server, log *slog.Logger) *Endpoint {
	life, end := context.WithCancel(context.Background())
	next := s.HTTPHandler(
		server.WithSessionIdManagerResolver(sessionIDResolver{}),
		server.WithDisableStreaming(true),           // this server begins no conversation
		server.WithSessionIdleTTL(idle),             // mcp-go remembers what a handshake has said
		server.WithDisableLocalhostProtection(true), // package httpserver knows which hosts it has
	)
	return &Endpoint{
		server: s,
		next:   next,
		log:    log,
		free:   make(chan struct{}, maxRequests),

		writes: make(chan struct{}, maxWrites),
		large:  make(chan struct{}, maxLarge), sessions: newSessionMemory(next), streams: newSessionStreams(life),

		listens: auth.LastingAnswers{Most: maxListens, Each: maxListens / 2}, life: life, end: end,
	}
}

// ServeHTTP answers one request, and logs that it did.
func (h *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	out := &timedResponse{ResponseWriter: w, control: http.NewResponseController(w)}
	method := h.answer(out, r)
	about := []any{"method", r.Method, "message", method, "status", out.status, "bytes", out.bytes, "from", hostOf(r), "took", time.Since(began)}
	if s := auth.PrincipalOf(r.Context()); s != nil {
		about = append(about, "subject", s.Name)
	}
	h.log.Info("answered over HTTP", about...)
}

// answer returns the method of the message, "" for none that is known.
func (h *Endpoint) answer(w *timedResponse, r *http.Request) (method string) {
	if !h.enter() {
		later(w, http.StatusServiceUnavailable, "The server is about to end. Connect again.")
		return ""
	}
	defer h.running.Done()
	if r.Method == http.MethodDelete && ofSession(r) {
		h.sessions.end(r.Header.Get(server.HeaderKeySessionID))
		h.streams.end(streamKey(r))
	}
	if h.tell(w, r) {
		return ""
	}
	if !acceptable(w, r) {
		return ""
	}
	if r.ContentLength < 0 || r.ContentLength > smallBody {
		select {
		case h.large <- struct{}{}:
			defer func() { <-h.large }()
		default:
			later(w, http.StatusTooManyRequests, "The server reads as many large messages as it can. Send this one again in a second.")
			return ""
		}
	}
	m, whole := read(w, r)
	if !whole {
		return ""
	}
	method = m.Method[:min(len(m.Method), maxMethod)]
	if m.Method == string(mcp.MethodNotificationCancelled) && !ofSession(r) {
		// Its id is that of a request of anybody who has no session either. Such a client
		// ends a call by going away.
		w.WriteHeader(http.StatusAccepted)
		return method
	}
	if m.Method == "" && h.server.TakeAnswer(m.ID, m.Result) {
		w.WriteHeader(http.StatusAccepted)
		return method
	}
	needs := h.scopeOf(m)
	leave, ok := h.place(m, needs)
	if !ok {
		later(w, http.StatusTooManyRequests, "The server answers as many requests as it can. Send this one again in a second.")
		return method
	}
	defer leave()
	w.begun = leave // an answer that is there takes no place while its client reads it
	w.words = func(status int) string { return wordsFor(r, m, status) }
	if needs != "" && !auth.PrincipalOf(r.Context()).May(needs) {
		// The server itself would answer with an error of the tool, from which no client
		// learns to ask its user for more.
		auth.Forbid(w, r, needs, "the tool needs the scope "+needs.String())
		refuse(w, http.StatusForbidden, m.ID, jsonrpc.Error{Code: mcp.INVALID_REQUEST, Text: "Your token does not have the scope " + needs.String() + ", which this tool needs. Ask the user for one with it."})
		return method
	}
	caller := callerOf(r)
	asks := false
	if m.Method == string(mcp.MethodInitialize) {
		caller.Client, asks = introduction(m.Params)
	}
	ctx := tools.WithQuestionsUntil(tools.WithCaller(r.Context(), caller), h.life)
	ctx = h.subscribing(context.WithValue(ctx, senderKey{}, caller), r, m.Method)
	if m.Method == string(mcp.MethodSubscriptionsListen) { // whose answer may take days
		end, ok := h.listens.Begin(ctx)
		if !ok {
			later(w, http.StatusTooManyRequests, "The server tells as many clients of changes as it can. Read the resources again from time to time.")
			return method
		}
		defer end()
		leave()
		listening, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(h.life, stop)()
		ctx = listening
	}
	h.next.ServeHTTP(w, r.WithContext(ctx))
	h.sessions.note(w.Header().Get(server.HeaderKeySessionID), r, asks)
	return method
}

// read reads the message of a request, and leaves it to be read again. It refuses one that is
// none, and returns false then.
func read(w *timedResponse, r *http.Request) (m jsonrpc.Message, ok bool) {
	if r.Method != http.MethodPost {
		return m, true
	}
	_ = w.control.SetReadDeadline(time.Now().Add(readTime)) // a recorder of a test has none
	var body bytes.Buffer
	body.Grow(int(max(r.ContentLength, 0)) + bytes.MinRead) // which acceptable has bounded
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		refuse(w, http.StatusRequestEntityTooLarge, nil, jsonrpc.Error{Code: mcp.INVALID_REQUEST, Text: tooLong})
		return m, false
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, nil, jsonrpc.Error{Code: mcp.INVALID_REQUEST, Text: "The message did not arrive whole. Send it again."})
		return m, false
	}
	_ = w.control.SetReadDeadline(time.Time{}) // so that the end of the connection is noticed
	m, problem := jsonrpc.Parse(body.Bytes())
	if problem == nil && m.Method != "" && !isExact(m.ID) {
		problem = jsonrpc.Invalid("the id is a larger number than this server can give back. Use a string, or count from 1.")
	}
	if problem != nil {
		refuse(w, http.StatusBadRequest, m.ID, *problem)
		return m, false
	}
	r.Body = io.NopCloser(&body)
	return m, true
}

// introduction returns who sends an initialize, and whether it can ask its user.
func introduction(params json.RawMessage) (client mcp.Implementation, asks bool) {
	var said struct {
		ClientInfo   mcp.Implementation `json:"clientInfo"`
		Capabilities struct {
			Elicitation json.RawMessage `json:"elicitation"`
			Sampling    json.RawMessage `json:"sampling"`
		} `json:"capabilities"`
	}
	_ = json.Unmarshal(params, &said) // mcp-go says what is wrong with it
	return mcp.Implementation{Name: said.ClientInfo.Name}, said.Capabilities.Elicitation != nil || said.Capabilities.Sampling != nil
}

// maxMethod bounds what the log has of a method, which the client chooses.
const maxMethod = 60

// enter counts a request in, unless the endpoint is draining.
func (h *Endpoint) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.draining {
		return false
	}
	h.running.Add(1)
	return true
}

// Drain refuses requests from now on, and returns when those in progress are answered or
// ctx ends.
func (h *Endpoint) Drain(ctx context.Context) {
	h.mu.Lock()
	h.draining = true
	h.mu.Unlock()
	h.end()
	answered := make(chan struct{})
	go func() { h.running.Wait(); close(answered) }()
	select {
	case <-answered:
	case <-ctx.Done():
	}
}

// hostOf returns the address that a request comes from, without its port.
func hostOf(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return cmp.Or(host, r.RemoteAddr)
}
