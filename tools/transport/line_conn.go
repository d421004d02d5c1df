package transport

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/store/orderedjson"
	"issues-index/tools"
)

// A lineConn is how the client of one message is reached over standard input and output.
type lineConn struct {
	*dispatcher
	call *pendingCall // nil for a notification and for the handshake
}

// Client implements [tools.Conn].
func (c lineConn) Client() *tools.Client { return c.client }

// Notify implements [tools.Conn].
func (c lineConn) Notify(method string, params any) {
	if c.call == nil {
		return
	}
	c.mu.Lock()
	open := c.call.key != ""
	c.mu.Unlock()
	if open {
		c.out.write(c.text("", method, params))
	}
}

// Ask implements [tools.Conn].
func (c lineConn) Ask(ctx context.Context, method string, params any) <-chan json.RawMessage {
	c.mu.Lock()
	c.number++
	id := "server-" + strconv.FormatUint(c.number, 10)
	answer := c.asked.add(ctx, id)
	c.mu.Unlock()
	if c.mayWrite() { // the reader does not wait for a client that does not read
		go func() { defer c.pending.Done(); c.out.write(c.text(id, method, params)) }()
	}
	return answer
}

// notify sends a notification that belongs to no call, for as long as the client is read.
func (d *dispatcher) notify(method string, params any) {
	if d.mayWrite() {
		defer d.pending.Done()
		d.out.write(d.text("", method, params))
	}
}

// mayWrite reports whether the client is still read. If so, ServeStdio returns after the write.
func (d *dispatcher) mayWrite() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.unread {
		d.pending.Add(1)
	}
	return !d.unread
}

// text is a message of the server as a line: a notification where the id is "".
func (d *dispatcher) text(id, method string, params any) []byte {
	message := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": method}
	if id != "" {
		message["id"] = id
	}
	if params != nil {
		message["params"] = params
	}
	line, err := orderedjson.Marshal(message)
	if err != nil { // parameters are made of texts and numbers
		d.log.Error("message has no JSON form", "method", method, "error", err)
	}
	return line
}
