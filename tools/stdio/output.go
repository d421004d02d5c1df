package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/mark3labs/mcp-go/mcp"
)

// An output writes responses whole.
type output struct {
	closed chan struct{} // closed when a write failed, after which nothing is written

	begun, ended atomic.Int64 // writes

	mu  sync.Mutex
	to  io.Writer
	err error
}

func newOutput(to io.Writer) *output { return &output{to: to, closed: make(chan struct{})} }

// write writes a line, its end included.
func (o *output) write(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	o.begun.Add(1)
	_, o.err = o.to.Write(line)
	o.ended.Add(1)
	if o.err != nil {
		close(o.closed)
	}
}

// blockedIn is the number of the write that is under way, 0 when there is none. The
// same number after a time says that nobody has read in it.
func (o *output) blockedIn() int64 {
	begun := o.begun.Load()
	if o.ended.Load() >= begun {
		return 0
	}
	return begun
}

// failed returns why writing ended, nil when it did not or when the reader just left.
func (o *output) failed() error {
	select {
	case <-o.closed:
	default:
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, left := range []error{syscall.EPIPE, io.ErrClosedPipe, fs.ErrClosed} {
		if errors.Is(o.err, left) {
			return nil
		}
	}
	return o.err
}

// respond returns an answer of the handler as a line, under the client's id.
func respond(id json.RawMessage, answer any) []byte {
	switch r := answer.(type) {
	case mcp.JSONRPCResponse:
		r.ID = mcp.NewRequestId(id)
		answer = r
	case mcp.JSONRPCError:
		r.ID = mcp.NewRequestId(id)
		answer = r
	default:
		return refuse(id, &rpcError{mcp.INTERNAL_ERROR, "Internal error; the server's log has the reason."})
	}
	line, err := marshal(answer)
	if err != nil {
		return refuse(id, &rpcError{mcp.INTERNAL_ERROR, "Internal error: the answer has no JSON form."})
	}
	return line
}

// refuse returns an error response as a line; without an id its id is null.
func refuse(id json.RawMessage, problem *rpcError) []byte {
	// An id that was parsed and a text always have a JSON form.
	line, _ := marshal(mcp.JSONRPCError{
		JSONRPC: mcp.JSONRPC_VERSION,
		ID:      mcp.NewRequestId(id),
		Error:   mcp.NewJSONRPCErrorDetails(problem.code, problem.text, nil),
	})
	return line
}

// marshal returns the JSON of a value and a line end. The id, which is raw,
// comes out as it was.
func marshal(value any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return line.Bytes(), err
}
