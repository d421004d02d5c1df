package transport

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/store/orderedjson"
	"issues-index/tools"
)

// An httpConn is how the client of one request over HTTP is reached: in the answer to the request. The
// answer is JSON, or a stream of events where the server has something to say before. The client has
// writeTime for each part of it.
type httpConn struct {
	http.ResponseWriter
	control *http.ResponseController
	client  *tools.Client
	asked   *questions
	leave   func() // leaves the place of the request, when an answer that is no stream begins
	status  int
	bytes   int

	mu     sync.Mutex
	stream bool // the answer is a stream of events
	ended  bool // what comes now would be part of another answer on the connection
}

func newHTTPConn(w http.ResponseWriter, asked *questions) *httpConn {
	return &httpConn{ResponseWriter: w, control: http.NewResponseController(w), asked: asked, leave: func() {}}
}

// Client implements [tools.Conn].
func (c *httpConn) Client() *tools.Client { return c.client }

// Notify implements [tools.Conn].
func (c *httpConn) Notify(method string, params any) {
	c.say(map[string]any{"method": method, "params": params})
}

// Ask implements [tools.Conn]. The id cannot be guessed, so that an answer needs no session to find its
// question.
func (c *httpConn) Ask(ctx context.Context, method string, params any) <-chan json.RawMessage {
	id := rand.Text()
	answer := c.asked.add(ctx, id)
	c.say(map[string]any{"id": id, "method": method, "params": params})
	return answer
}

// say sends a message before the answer.
func (c *httpConn) say(message map[string]any) {
	message["jsonrpc"] = mcp.JSONRPC_VERSION
	text, err := orderedjson.Marshal(message)
	if err != nil {
		return // parameters are made of texts and numbers
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if !c.stream {
		c.stream = true
		c.beginStream()
	}
	c.event(text)
}

// answer sends the answer to the request, with this status unless it is a stream already.
func (c *httpConn) answer(status int, response *tools.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.stream {
		c.event(response.Text())
		return
	}
	c.leave() // an answer that is there takes no place while its client reads it
	c.Header().Set("Content-Type", "application/json")
	c.WriteHeader(status)
	_, _ = c.Write(append(response.Text(), '\n')) // the client may have gone
}

// end ends an answer, also one that was never written. It returns the status of the answer and how
// many bytes it has.
func (c *httpConn) end() (status, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	return c.status, c.bytes
}

// beginStream makes the answer a stream of events.
func (c *httpConn) beginStream() {
	c.Header().Set("Content-Type", "text/event-stream")
	c.Header().Set("Cache-Control", "no-cache")
	c.WriteHeader(http.StatusOK)
	_ = c.control.Flush()
}

// event sends one event. It returns false where the client has gone.
func (c *httpConn) event(message []byte) bool {
	_, err := c.Write([]byte("event: message\ndata: " + string(message) + "\n\n"))
	return err == nil && c.control.Flush() == nil
}

// Unwrap returns the writer for a [http.ResponseController].
func (c *httpConn) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// WriteHeader notes the status for the log.
func (c *httpConn) WriteHeader(status int) {
	c.status = status
	c.extend()
	c.ResponseWriter.WriteHeader(status)
}

// Write writes a part.
func (c *httpConn) Write(p []byte) (int, error) {
	c.status = cmp.Or(c.status, http.StatusOK)
	c.extend()
	n, err := c.ResponseWriter.Write(p)
	c.bytes += n
	return n, err
}

func (c *httpConn) extend() {
	_ = c.control.SetWriteDeadline(time.Now().Add(writeTime)) // a recorder of a test has none
}
