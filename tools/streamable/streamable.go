// Package streamable carries MCP messages over HTTP: the protocol is that of mcp-go's
// handler, and this package adds the limits that it lacks.
//
// It knows nothing about single tools, or about who may call them. Its invariants:
//
//   - no state of a client is kept between its requests: what tells it apart is in the id
//     of its session, which it sends with each of them. Only mcp-go remembers for some minutes
//     what a handshake has said of the client's abilities;
//   - a message is at most 5 MiB, and only so many are answered at once;
//   - a client that reads nothing for a while loses its connection; one that goes away
//     ends its call;
//   - after Drain has begun, requests in progress are answered and others refused; clients
//     that are told of changes are told of no more.
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
)

const (
	maxBody     = 5 << 20          // bytes of a message
	maxRequests = 32               // at once: fewer than connections, so that pages are served beside them
	maxListens  = 16               // clients that are told of changes, beside those requests
	readTime    = 10 * time.Second // for the body of a request
	writeTime   = 30 * time.Second // for each part of an answer
	idle        = 10 * time.Minute // that mcp-go remembers a session for, which nothing but questions to users needs
	retryAfter  = "1"              // seconds, for a client that has met a limit
)

// An Endpoint answers MCP requests over HTTP.
type Endpoint struct {
	next http.Handler
	log  *slog.Logger
	free chan struct{} // a place for each request that is answered

	listens chan struct{}   // a place for each client that is told of changes
	life    context.Context // of those: it ends when draining begins
	end     context.CancelFunc

	mu       sync.Mutex
	draining bool
	running  sync.WaitGroup
}

// New returns an endpoint with the tools of a server.
func New(s *tools.Server, log *slog.Logger) *Endpoint {
	life, end := context.WithCancel(context.Background())
	return &Endpoint{
		next: s.HTTPHandler(
			server.WithSessionIdManagerResolver(sessionIDResolver{}),
			server.WithDisableStreaming(true), // this server begins no conversation
			server.WithSessionIdleTTL(idle),   // mcp-go remembers what a handshake has said
		),
		log:  log,
		free: make(chan struct{}, maxRequests),

		listens: make(chan struct{}, maxListens), life: life, end: end,
	}
}

// ServeHTTP answers one request, and logs that it did.
func (h *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	out := &timedResponse{ResponseWriter: w, control: http.NewResponseController(w)}
	method := h.answer(out, r)
	h.log.Info("answered over HTTP", "method", r.Method, "message", method, "status", out.status, "bytes", out.bytes, "from", hostOf(r), "took", time.Since(began))
}

// answer returns the method of the message, "" for none that is known.
func (h *Endpoint) answer(w *timedResponse, r *http.Request) (method string) {
	if !h.enter() {
		w.Header().Set("Retry-After", retryAfter)
		refuse(w, http.StatusServiceUnavailable, "The server is about to end. Connect again.")
		return ""
	}
	defer h.running.Done()
	select {
	case h.free <- struct{}{}:
	default:
		w.Header().Set("Retry-After", retryAfter)
		refuse(w, http.StatusTooManyRequests, "The server answers as many requests as it can. Send this one again in a second.")
		return ""
	}
	leave := sync.OnceFunc(func() { <-h.free })
	defer leave()
	_ = w.control.SetReadDeadline(time.Now().Add(readTime)) // a recorder of a test has none
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		refuse(w, http.StatusRequestEntityTooLarge, "A message is at most 5 MiB. Write a long text in parts, with issues_edit.")
		return ""
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "The message did not arrive whole. Send it again.")
		return ""
	}
	_ = w.control.SetReadDeadline(time.Time{}) // so that the end of the connection is noticed
	var message struct {
		Method string `json:"method"`
		Params struct {
			ClientInfo mcp.Implementation `json:"clientInfo"`
		} `json:"params"`
	}
	_ = json.Unmarshal(body, &message) // the next handler says what is wrong with it
	r.Body = io.NopCloser(bytes.NewReader(body))
	caller := callerOf(r)
	if message.Method == string(mcp.MethodInitialize) {
		caller = tools.Caller{Client: mcp.Implementation{Name: message.Params.ClientInfo.Name}, Session: caller.Session}
	}
	ctx := context.WithValue(tools.WithCaller(r.Context(), caller), senderKey{}, caller)
	if message.Method == string(mcp.MethodSubscriptionsListen) { // whose answer may take days
		select {
		case h.listens <- struct{}{}:
			defer func() { <-h.listens }()
		default:
			w.Header().Set("Retry-After", retryAfter)
			refuse(w, http.StatusTooManyRequests, "The server tells as many clients of changes as it can. Read the resources again from time to time.")
			return message.Method
		}
		leave()
		listening, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(h.life, stop)()
		ctx = listening
	}
	h.next.ServeHTTP(w, r.WithContext(ctx))
	if len(message.Method) > maxMethod {
		return message.Method[:maxMethod]
	}
	return message.Method
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

// refuse answers with an error in the form of JSON-RPC.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client may have gone
		"jsonrpc": mcp.JSONRPC_VERSION, "id": nil,
		"error": map[string]any{"code": mcp.INVALID_REQUEST, "message": text},
	})
}

// hostOf returns the address that a request comes from, without its port.
func hostOf(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return cmp.Or(host, r.RemoteAddr)
}

// A timedResponse is an answer whose client has writeTime for each part of it.
type timedResponse struct {
	http.ResponseWriter
	control *http.ResponseController
	status  int
	bytes   int
}

// Unwrap returns the writer for a [http.ResponseController].
func (w *timedResponse) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader notes the status for the log.
func (w *timedResponse) WriteHeader(status int) {
	w.status = status
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

// Write writes a part.
func (w *timedResponse) Write(p []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	w.extend()
	n, err := w.ResponseWriter.Write(p)
	w.bytes += n
	return n, err
}

// Flush sends what is written.
func (w *timedResponse) Flush() {
	w.extend()
	_ = w.control.Flush() // the next write fails, too
}

func (w *timedResponse) extend() {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTime)) // a recorder of a test has none
}
