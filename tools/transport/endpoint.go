package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools"
	"issues-index/tools/auth"
)

const (
	maxBody     = 5 << 20         // bytes of a message
	smallBody   = 64 << 10        // bytes of one that may arrive whether there is a place or not
	maxLarge    = 4               // larger ones at once, which bounds their memory
	maxRequests = 32              // at once: fewer than connections, so that pages are served beside them
	maxWrites   = 24              // of these, calls that may write: they wait for each other, and readers do not
	maxListens  = 16              // clients that are told of changes, beside those requests, half of them of one subject
	maxAsked    = 2 * maxRequests // questions that wait for the answers of users
	retryAfter  = "1"             // seconds, for a client that has met a limit
)

// An Endpoint answers MCP requests over HTTP.
type Endpoint struct {
	handler Handler
	scope   func(tool string) auth.Scope
	log     *slog.Logger
	free    chan struct{} // a place for each request that is answered
	writes  chan struct{} // a place for each of them that may write
	large   chan struct{} // a place for each large message

	asked   questions
	calls   sync.Map // how each call of a session is cancelled, by the key of the session and the id
	streams *sessionStreams
	listens auth.LastingAnswers
	life    context.Context // of those: it ends when draining begins
	end     context.CancelFunc

	mu       sync.Mutex
	draining bool
	running  sync.WaitGroup
}

// NewEndpoint returns an endpoint. scope returns what a caller must be allowed to call a tool.
func NewEndpoint(handler Handler, scope func(tool string) auth.Scope, log *slog.Logger) *Endpoint {
	life, end := context.WithCancel(context.Background())
	return &Endpoint{
		handler: handler, scope: scope, log: log,
		free: make(chan struct{}, maxRequests), writes: make(chan struct{}, maxWrites), large: make(chan struct{}, maxLarge),
		asked: questions{most: maxAsked}, streams: newSessionStreams(life),
		listens: auth.LastingAnswers{Most: maxListens, Each: maxListens / 2}, life: life, end: end,
	}
}

// ServeHTTP answers one request, and logs that it did.
func (h *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	conn := newHTTPConn(w, &h.asked)
	defer conn.end()
	method := h.answer(conn, r)
	status, written := conn.end() // before they are logged, since the server may still have something to say
	about := []any{
		"method", r.Method, "message", method, "status", status, "bytes", written,
		"from", hostOf(r), "took", time.Since(began),
	}
	if s := auth.PrincipalOf(r.Context()); s != nil {
		about = append(about, "subject", s.Name)
	}
	h.log.Info("answered over HTTP", about...)
}

// answer returns the method of the message, "" for none that is known.
func (h *Endpoint) answer(w *httpConn, r *http.Request) (method string) {
	if !h.enter() {
		refuseForNow(w, http.StatusServiceUnavailable, "The server is about to end. Connect again.")
		return ""
	}
	defer h.running.Done()
	if r.Method == http.MethodDelete {
		h.streams.end(sessionKey(r))
	}
	if h.tell(w, r) || !checkRequest(w, r) {
		return ""
	}
	if r.ContentLength < 0 || r.ContentLength > smallBody {
		select {
		case h.large <- struct{}{}:
			defer func() { <-h.large }()
		default:
			refuseForNow(w, http.StatusTooManyRequests,
				"The server reads as many large messages as it can. Send this one again in a second.")
			return ""
		}
	}
	m, ok := readMessage(w, r)
	if !ok {
		return ""
	}
	method = m.Method[:min(len(m.Method), maxMethod)]
	revision := revisionOf(m)
	if status, wrong := checkRevision(r, m, revision); wrong != nil {
		w.answer(status, tools.Refuse(m.ID, wrong))
		return method
	}
	switch m.Method {
	case string(mcp.MethodNotificationCancelled):
		h.cancelCall(r, m)
		w.WriteHeader(http.StatusAccepted)
	case "":
		// An answer may come when its call is over, because the user was slow. That is no mistake, and
		// the Go SDK ends a conversation in which an answer was refused.
		if !h.asked.answer(m.ID, m.Result) && sessionOf(r) == "" {
			refuse(w, http.StatusBadRequest, m.ID, "This answers no question that the server has open. "+
				"Send the answer with the id of the question and the "+mcp.HeaderSessionID+" of its call.")
			return method
		}
		w.WriteHeader(http.StatusAccepted)
	default:
		h.handle(w, r, m, revision)
	}
	return method
}

// handle has a request or a notification answered.
func (h *Endpoint) handle(w *httpConn, r *http.Request, m tools.Message, revision string) {
	needs := h.scopeOf(m)
	leave, ok := h.place(m, needs)
	if !ok {
		refuseForNow(w, http.StatusTooManyRequests, "The server answers as many requests as it can. "+
			"Send this one again in a second.")
		return
	}
	defer leave()
	w.leave = leave
	if needs != "" && !auth.PrincipalOf(r.Context()).May(needs) {
		// The server itself would answer with an error of the tool, from which no client
		// learns to ask its user for more.
		auth.Forbid(w, r, needs, "the tool needs the scope "+needs.String())
		refuse(w, http.StatusForbidden, m.ID,
			"Your token does not have the scope "+needs.String()+", which this tool needs. "+
				"Ask the user for one with it.")
		return
	}
	w.client = h.clientFor(r, m)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if key := sessionKey(r); key != "" && m.ID != nil {
		key += " " + idKey(m.ID)
		h.calls.Store(key, &cancel)
		defer h.calls.CompareAndDelete(key, &cancel)
	}
	if m.Method == string(mcp.MethodSubscriptionsListen) { // whose answer may take days
		end, ok := h.listens.Begin(ctx)
		if !ok {
			refuseForNow(w, http.StatusTooManyRequests, "The server tells as many clients of changes as it can. "+
				"Read the resources again from time to time.")
			return
		}
		defer end()
		leave()
		defer context.AfterFunc(h.life, cancel)()
	}
	response := h.handler(ctx, w, m)
	if response == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if m.Method == string(mcp.MethodInitialize) && response.Error == nil {
		w.Header().Set(mcp.HeaderSessionID, sessionID(w.client))
	}
	w.answer(statusOf(revision, response), response)
}

// clientFor returns the client of a request: that of its session, else the one at its address. The
// subscriptions of a session are kept, and its client is told of changes on the stream of the session.
func (h *Endpoint) clientFor(r *http.Request, m tools.Message) *tools.Client {
	if m.Method == string(mcp.MethodResourcesSubscribe) || m.Method == string(mcp.MethodResourcesUnsubscribe) {
		if stream := h.streams.get(sessionKey(r)); stream != nil {
			return stream.client
		}
	}
	if client, ok := clientOf(r.Header.Get(mcp.HeaderSessionID)); ok {
		return client
	}
	return &tools.Client{Shared: true, Session: hostOf(r)}
}

// cancelCall cancels a call of the session of a request. Without a session, a client ends a call by
// going away: ids of other clients are the same.
func (h *Endpoint) cancelCall(r *http.Request, m tools.Message) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &p) != nil || p.RequestID == nil {
		return
	}
	call, _ := h.calls.Load(sessionKey(r) + " " + idKey(p.RequestID))
	if cancel, ok := call.(*context.CancelFunc); ok {
		(*cancel)()
	}
}

// readMessage reads the message of a request. It refuses what is none, and returns false then.
func readMessage(w *httpConn, r *http.Request) (m tools.Message, ok bool) {
	_ = w.control.SetReadDeadline(time.Now().Add(readTime)) // a recorder of a test has none
	var body bytes.Buffer
	body.Grow(int(max(r.ContentLength, 0)) + bytes.MinRead) // which checkRequest has bounded
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		refuse(w, http.StatusRequestEntityTooLarge, nil, tooLong)
		return m, false
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, nil, "The message did not arrive whole. Send it again.")
		return m, false
	}
	_ = w.control.SetReadDeadline(time.Time{}) // so that the end of the connection is noticed
	m, problem := tools.ParseMessage(body.Bytes())
	if problem != nil {
		w.answer(http.StatusBadRequest, tools.Refuse(m.ID, problem))
	}
	return m, problem == nil
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
	h.asked.endAll()
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
