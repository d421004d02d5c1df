package tools

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// withFaults has requests over HTTP answered with their faults, and in our words, as
// HandleMessage does it for the others.
func (s *Server) withFaults(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, failed := withFault(r.Context())
		next.ServeHTTP(&faultResponse{ResponseWriter: w, server: s, failed: failed}, r.WithContext(ctx))
	})
}

// A faultResponse puts the fault of a request in the place of what mcp-go answers, and our
// words in the place of mcp-go's. mcp-go writes each message at once, a stream's after the word
// "data".
type faultResponse struct {
	http.ResponseWriter
	server *Server
	failed *atomic.Pointer[fault]
}

// Unwrap returns the writer for a [http.ResponseController].
func (w *faultResponse) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends what is written.
func (w *faultResponse) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush() // the next write fails, too
}

// WriteHeader writes the status that the revision has for the fault: from 2026-07-28 on, a
// wrong request is one of HTTP, too.
func (w *faultResponse) WriteHeader(status int) {
	if f := w.failed.Load(); f != nil && f.code == mcp.INVALID_PARAMS && f.modern {
		status = http.StatusBadRequest
	} else if f != nil {
		status = http.StatusOK
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes a message.
func (w *faultResponse) Write(p []byte) (int, error) {
	f := w.failed.Load()
	if f == nil && !bytes.Contains(p, errorMember) {
		return w.ResponseWriter.Write(p)
	}
	before, message := []byte(nil), p
	if at := bytes.Index(p, streamData); at >= 0 && bytes.HasPrefix(p, streamEvent) {
		before, message = p[:at+len(streamData)], p[at+len(streamData):]
	}
	var answered struct {
		ID    json.RawMessage `json:"id"`
		Error *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if json.Unmarshal(bytes.TrimSpace(message), &answered) != nil || answered.ID == nil {
		return w.ResponseWriter.Write(p) // a notification
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
		response = w.server.reword(response)
	default:
		return w.ResponseWriter.Write(p) // a result in which the word occurs
	}
	data, err := json.Marshal(response)
	if err != nil {
		return 0, err
	}
	after := message[len(bytes.TrimRight(message, "\n")):]
	if _, err := w.ResponseWriter.Write(bytes.Join([][]byte{before, data, after}, nil)); err != nil {
		return 0, err
	}
	return len(p), nil
}

var streamEvent, streamData, errorMember = []byte("event: "), []byte("data: "), []byte(`"error":`)
