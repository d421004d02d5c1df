package stdio

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/store/orderedjson"
	"issues-index/tools/jsonrpc"
)

// A streamWriter writes whole lines.
type streamWriter struct {
	closed chan struct{} // closed when a write failed, after which nothing is written

	begun, ended atomic.Int64 // writes

	mu  sync.Mutex
	to  io.Writer
	err error
}

func newLineWriter(to io.Writer) *streamWriter {
	return &streamWriter{to: to, closed: make(chan struct{})}
}

// write writes a line, its end included.
func (w *streamWriter) write(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	w.begun.Add(1)
	_, w.err = w.to.Write(line)
	w.ended.Add(1)
	if w.err != nil {
		close(w.closed)
	}
}

// blockedIn returns the number of the write in progress, 0 when there is none. If the
// number stays the same for a while, the client is not reading.
func (w *streamWriter) blockedIn() int64 {
	begun := w.begun.Load()
	if w.ended.Load() >= begun {
		return 0
	}
	return begun
}

// failed returns the error of a write, nil if the client has closed the output.
func (w *streamWriter) failed() error {
	select {
	case <-w.closed:
	default:
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, left := range []error{syscall.EPIPE, io.ErrClosedPipe, fs.ErrClosed} {
		if errors.Is(w.err, left) {
			return nil
		}
	}
	return w.err
}

// respond returns an answer of the handler as a line, with the client's id.
func respond(id json.RawMessage, answer any) []byte {
	switch r := answer.(type) {
	case mcp.JSONRPCResponse:
		r.ID = mcp.NewRequestId(id)
		answer = r
	case mcp.JSONRPCError:
		r.ID = mcp.NewRequestId(id)
		answer = r
	default:
		return refuse(id, &jsonrpc.Error{Code: mcp.INTERNAL_ERROR, Text: "Internal error; the server's log has the reason."})
	}
	line, err := marshal(answer)
	if err != nil {
		return refuse(id, &jsonrpc.Error{Code: mcp.INTERNAL_ERROR, Text: "Internal error: the answer has no JSON form."})
	}
	return line
}

// refuse returns an error response as a line. Its id is null if there is none.
func refuse(id json.RawMessage, problem *jsonrpc.Error) []byte {
	// An id that was parsed and a text always have a JSON form.
	line, _ := marshal(mcp.JSONRPCError{
		JSONRPC: mcp.JSONRPC_VERSION,
		ID:      mcp.NewRequestId(id),
		Error:   mcp.NewJSONRPCErrorDetails(problem.Code, problem.Text, nil),
	})
	return line
}

// marshal returns the JSON of a value as a line. An id, which is raw, is unchanged.
func marshal(value any) ([]byte, error) {
	line, err := orderedjson.Marshal(value)
	return append(line, '\n'), err
}
