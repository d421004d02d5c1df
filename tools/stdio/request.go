package stdio

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools/jsonrpc"
)

// maxRequests is how many requests may wait for the client's answer. One more takes the
// place of the oldest.
const maxRequests = 16

// requests are those that were sent to the client. The dispatcher's mutex guards them.
type requests struct {
	last    uint64                            // the number of the last one
	waiting map[uint64]chan<- json.RawMessage // by number
	over    bool                              // no answer can come any more
}

type requestKey struct{}

// Requester returns a function that sends a request to the client of the current message,
// nil where there is no client. It does not wait: the result arrives in the channel, which
// is closed without one when the client refuses, does not answer in the form of JSON-RPC, or
// can answer no more.
func Requester(ctx context.Context) func(method string, params any) <-chan json.RawMessage {
	request, _ := ctx.Value(requestKey{}).(func(method string, params any) <-chan json.RawMessage)
	return request
}

// requesting returns the context of all messages, for Requester.
func (d *dispatcher) requesting(ctx context.Context) context.Context {
	ctx = context.WithValue(ctx, sendKey{}, d.send)
	return context.WithValue(ctx, requestKey{}, d.request)
}

type sendKey struct{}

// Sender returns a function that sends notifications to the client of the current message
// for as long as the client is read, nil where there is no client.
func Sender(ctx context.Context) func(method string, params map[string]any) {
	send, _ := ctx.Value(sendKey{}).(func(method string, params map[string]any))
	return send
}

// send sends a notification that belongs to no call.
func (d *dispatcher) send(method string, params map[string]any) {
	line, err := marshal(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": method, "params": params})
	if err != nil {
		d.log.Error("notification has no JSON form", "method", method, "error", err)
		return
	}
	d.mu.Lock()
	if d.sent.over {
		d.mu.Unlock()
		return
	}
	d.pending.Add(1) // Serve returns after it
	d.mu.Unlock()
	defer d.pending.Done()
	d.out.write(line)
}

type messageIDKey struct{}

// MessageID returns the id of the current message as the client has written it, nil for a
// notification. The handler sees another one in its place.
func MessageID(ctx context.Context) json.RawMessage {
	id, _ := ctx.Value(messageIDKey{}).(json.RawMessage)
	return id
}

// request sends a request. Without parameters params is nil.
func (d *dispatcher) request(method string, params any) <-chan json.RawMessage {
	result := make(chan json.RawMessage, 1)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sent.over {
		close(result)
		return result
	}
	d.sent.last++
	number := d.sent.last
	message := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": requestID(number), "method": method}
	if params != nil {
		message["params"] = params
	}
	line, err := marshal(message)
	if err != nil {
		d.log.Error("request has no JSON form", "method", method, "error", err)
		close(result)
		return result
	}
	d.drop(number - maxRequests)
	d.sent.waiting[number] = result
	d.pending.Go(func() { d.out.write(line) }) // the reader does not wait for a client that does not read
	return result
}

// requestID is the id of a request to the client.
func requestID(number uint64) string { return "server-" + strconv.FormatUint(number, 10) }

// resolve passes on the answer to a request. An answer to none is ignored.
func (d *dispatcher) resolve(m jsonrpc.Message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for number, result := range d.sent.waiting {
		if idKey(m.ID) != `"`+requestID(number) {
			continue
		}
		if m.Result != nil {
			result <- m.Result // there is room for one
		}
		d.drop(number)
		return
	}
	d.log.Warn("response to nothing ignored")
}

// drop closes the channel of a request, if it still waits.
func (d *dispatcher) drop(number uint64) {
	if result, ok := d.sent.waiting[number]; ok {
		delete(d.sent.waiting, number)
		close(result)
	}
}

// noMoreAnswers ends all requests: the client is not read any more.
func (d *dispatcher) noMoreAnswers() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent.over = true
	d.endStreams()
	for number := range d.sent.waiting {
		d.drop(number)
	}
}
