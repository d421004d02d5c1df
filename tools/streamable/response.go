package streamable

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools/jsonrpc"
)

// A timedResponse is an answer whose client has writeTime for each part of it.
type timedResponse struct {
	http.ResponseWriter
	control *http.ResponseController
	status  int
	bytes   int
	begun   func()                  // is called when an answer that is no stream begins; may be nil
	words   func(status int) string // for a refusal of mcp-go's, "" for none after all; nil keeps them
	said    bool                    // mcp-go's own words are left out
}

// Unwrap returns the writer for a [http.ResponseController].
func (w *timedResponse) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader notes the status for the log.
func (w *timedResponse) WriteHeader(status int) {
	w.status = status
	w.extend()
	kind := w.Header().Get("Content-Type")
	if w.begun != nil && kind != "text/event-stream" {
		w.begun()
	}
	if w.words != nil && status >= http.StatusBadRequest && strings.HasPrefix(kind, "text/plain") {
		text := w.words(status)
		w.words = nil
		if text == "" {
			w.Header().Del("Content-Type")
			w.WriteHeader(http.StatusAccepted)
		} else {
			refuse(w, status, nil, jsonrpc.Error{Code: mcp.INVALID_REQUEST, Text: text})
		}
		w.said = true
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes a part.
func (w *timedResponse) Write(p []byte) (int, error) {
	if w.said {
		return len(p), nil
	}
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
