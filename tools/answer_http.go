package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// withAnswers has requests over HTTP answered by an [httpAnswer].
func (s *Server) withAnswers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, failed := withFault(r.Context())
		answer := &httpAnswer{to: w, server: s, header: make(http.Header), failed: failed, told: make(chan struct{})}
		defer answer.end()
		next.ServeHTTP(answer, r.WithContext(context.WithValue(ctx, answerKey{}, answer)))
	})
}

type answerKey struct{}

// answerOf returns the answer to the request of a context, nil for one that is not over HTTP.
func answerOf(ctx context.Context) *httpAnswer {
	a, _ := ctx.Value(answerKey{}).(*httpAnswer)
	return a
}

// An httpAnswer is the answer to one request over HTTP. mcp-go writes it, each message at
// once, those of a stream after the word "data". Two things are different here: the fault of a
// request takes the place of what mcp-go answers, and our words that of its words, as
// HandleMessage does it for other transports; and notifications of a request are written by [httpAnswer.notify], each before
// what follows it. mcp-go loses some of those that it gets just before the answer, and sends
// others with the answer to another request of their session.
type httpAnswer struct {
	to     http.ResponseWriter
	server *Server
	failed *atomic.Pointer[fault]
	header http.Header   // that mcp-go sets
	told   chan struct{} // closed once the answer is a stream

	mu     sync.Mutex
	begun  bool // the header is written
	stream bool // the answer is a stream of events
	ended  bool // what comes now would be part of another answer on the connection
}

func (a *httpAnswer) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
}

// Unwrap returns the writer for a [http.ResponseController].
func (a *httpAnswer) Unwrap() http.ResponseWriter { return a.to }

// Header returns the header that is sent unless the answer is a stream before.
func (a *httpAnswer) Header() http.Header { return a.header }

// Flush sends what is written.
func (a *httpAnswer) Flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flush()
}

func (a *httpAnswer) flush() {
	_ = http.NewResponseController(a.to).Flush() // the next write fails, too
}

// WriteHeader writes the status that the revision has for the fault: from 2026-07-28 on, a
// wrong request is one of HTTP, too.
func (a *httpAnswer) WriteHeader(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.begun {
		return // mcp-go does not know of the stream
	}
	if f := a.failed.Load(); f != nil && f.code != mcp.INTERNAL_ERROR && f.modern {
		status = http.StatusBadRequest
	} else if f != nil {
		status = http.StatusOK
	}
	a.begin(status, a.header)
}

func (a *httpAnswer) begin(status int, header http.Header) {
	for name, values := range header {
		a.to.Header()[name] = values
	}
	a.begun = true
	if strings.HasPrefix(header.Get("Content-Type"), eventStream) {
		a.stream = true
		defer close(a.told)
	}
	a.to.WriteHeader(status)
}

const eventStream = "text/event-stream"

// Write writes a message.
func (a *httpAnswer) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.begun {
		a.begin(http.StatusOK, a.header)
	}
	message, isEvent := bytes.CutPrefix(p, beforeData)
	message = a.worded(message)
	var err error
	if isEvent || a.stream {
		err = a.event(bytes.TrimRight(message, "\n"))
	} else {
		_, err = a.to.Write(message)
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

var beforeData = []byte("event: message\ndata: ")

func (a *httpAnswer) event(message []byte) error {
	_, err := a.to.Write(bytes.Join([][]byte{beforeData, message, []byte("\n\n")}, nil))
	return err
}

// notify is a [Notifier].
func (a *httpAnswer) notify(method string, params map[string]any) {
	a.send(map[string]any{"method": method, "params": params})
}

// send sends a message of the server's: it makes the answer a stream, unless it has begun to be
// none.
func (a *httpAnswer) send(members map[string]any) {
	members["jsonrpc"] = mcp.JSONRPC_VERSION
	message, err := json.Marshal(members)
	if err != nil {
		return // params are made here, of texts and numbers
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return
	}
	if !a.begun {
		a.begin(http.StatusOK, http.Header{"Content-Type": {eventStream}, "Cache-Control": {"no-cache"}})
	}
	if a.stream && a.event(message) == nil { // otherwise the client has gone
		a.flush()
	}
}

// worded returns what is written in the place of a message: the fault of the request, our words
// for an error of mcp-go's, or the message itself.
func (a *httpAnswer) worded(message []byte) []byte {
	f := a.failed.Load()
	if f == nil && !bytes.Contains(message, errorMember) {
		return message
	}
	var answered struct {
		ID    json.RawMessage `json:"id"`
		Error *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if json.Unmarshal(message, &answered) != nil || answered.ID == nil {
		return message // a notification
	}
	var response mcp.JSONRPCError
	switch id := mcp.NewRequestId(answered.ID); {
	case f != nil:
		response = f.response(id)
	case answered.Error != nil:
		response = mcp.JSONRPCError{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: mcp.NewJSONRPCErrorDetails(answered.Error.Code, answered.Error.Message, nil)}
		if answered.Error.Code == mcp.UNSUPPORTED_PROTOCOL_VERSION {
			var data mcp.UnsupportedProtocolVersionData
			_ = json.Unmarshal(answered.Error.Data, &data) // it is mcp-go's
			response.Error.Data = data
		} else if answered.Error.Data != nil {
			response.Error.Data = answered.Error.Data
		}
		response = a.server.reword(response)
	default:
		return message // a result in which the word occurs
	}
	data, err := json.Marshal(response)
	if err != nil {
		return message // which says less well that the request has failed
	}
	return data
}

var errorMember = []byte(`"error":`)
