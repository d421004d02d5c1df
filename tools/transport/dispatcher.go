package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools"
)

// A dispatcher is one run of ServeStdio.
type dispatcher struct {
	handler Handler
	client  *tools.Client
	log     *slog.Logger
	running context.Context // of all calls
	over    <-chan struct{} // closed when ServeStdio has to end

	streaming  context.Context // of the calls that are answered when they are ended
	endStreams context.CancelFunc

	out *lineWriter

	pending sync.WaitGroup // answers that are not written yet
	maxHeld int
	room    chan struct{} // receives a value when held is below maxHeld

	mu     sync.Mutex
	calls  map[string]*pendingCall // unanswered, by idKey
	asked  questions
	number uint64 // of the last question
	unread bool   // the client is not read any more
	tools  lane
	others lane
	held   int // bytes of the requests that are in a lane
}

// A pendingCall is a request that is being answered.
type pendingCall struct {
	tools.Message
	key    string
	reply  []byte // the answer, if it needs no handler
	size   int    // memory that it takes, in bytes
	cancel context.CancelFunc
}

// streams reports whether the call is answered only when it is cancelled, or nothing more can
// be asked of the client.
func (c *pendingCall) streams() bool { return c.Method == string(mcp.MethodSubscriptionsListen) }

// overhead is roughly the memory of a waiting request besides its line, in bytes.
const overhead = 512

// receive starts the request in a line. It waits only for initialize and for
// notifications, which take little time.
func (d *dispatcher) receive(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	m, problem := tools.ParseMessage(line)
	switch {
	case problem != nil && m.ID == nil && problem.Code == mcp.INVALID_PARAMS:
		d.log.Warn("notification ignored", "method", m.Method, "reason", problem.Message)
	case problem != nil:
		d.reject(m.ID, problem)
	case m.Method == "":
		if !d.asked.answer(m.ID, m.Result) {
			d.log.Warn("response to nothing ignored")
		}
	case m.ID == nil && m.Method == string(mcp.MethodNotificationCancelled):
		d.cancelCall(m.Params)
	case m.ID == nil:
		d.handler(d.running, lineConn{dispatcher: d}, m)
	case m.Method == string(mcp.MethodInitialize):
		d.writeFirst(d.handler(d.running, lineConn{dispatcher: d}, m).Text())
	default:
		c := &pendingCall{Message: m, key: idKey(m.ID), size: len(line) + overhead}
		if c.streams() && len(line) > maxStream {
			d.reject(m.ID, tools.InvalidRequest("a request that lasts is at most %d bytes.", maxStream))
			return
		}
		d.begin(c)
	}
}

// maxStream is the longest request that lasts, in bytes: it takes no room among the waiting
// ones, which would never be given back.
const maxStream = 2 << 20

// writeFirst writes an answer before anything else is read. ServeStdio can end even if the
// client does not read the answer.
func (d *dispatcher) writeFirst(line []byte) {
	written := make(chan struct{})
	d.pending.Go(func() { d.out.write(line); close(written) })
	select {
	case <-written:
	case <-d.over:
	}
}

// reject answers with an error. The reader does not wait for the write, because a client
// may write much before it reads.
func (d *dispatcher) reject(id json.RawMessage, problem *tools.ProtocolError) {
	reply := tools.Refuse(id, problem).Text()
	d.begin(&pendingCall{key: "rejected", reply: reply, size: len(reply) + overhead})
}

func (d *dispatcher) begin(c *pendingCall) {
	d.pending.Add(1)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held += c.size
	if c.reply == nil {
		d.calls[c.key] = c
	}
	if l := d.laneOf(c); l.enter(c) {
		go d.run(l, c)
	}
}

func (d *dispatcher) laneOf(c *pendingCall) *lane {
	if c.Method == string(mcp.MethodToolsCall) {
		return &d.tools
	}
	return &d.others
}

// run answers a call and then the calls that wait in its lane.
func (d *dispatcher) run(l *lane, c *pendingCall) {
	for c != nil {
		d.answer(c)
		c = d.next(l, c)
	}
}

// next returns the call after one that was answered or cancelled.
func (d *dispatcher) next(l *lane, done *pendingCall) *pendingCall {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.giveBack(done)
	return l.next()
}

// giveBack gives back the room of a request that waits no more. The caller holds mu.
func (d *dispatcher) giveBack(c *pendingCall) {
	d.held -= c.size
	c.size = 0
	if d.held < d.maxHeld {
		select {
		case d.room <- struct{}{}:
		default: // there is a value already
		}
	}
}

// full reports whether waiting requests take as much memory as allowed.
func (d *dispatcher) full() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.held >= d.maxHeld
}

// answer runs a call and writes its answer. The call stays in its lane until the answer
// is written, so that answers cannot pile up while the client does not read.
func (d *dispatcher) answer(c *pendingCall) {
	line := c.reply
	if line == nil {
		running := d.running
		if c.streams() {
			running = d.streaming
		}
		ctx, cancel := context.WithCancel(running)
		defer cancel()
		if !d.start(c, cancel) {
			return
		}
		line = d.handler(ctx, lineConn{d, c}, c.Message).Text()
	}
	if d.take(c) {
		d.out.write(line)
		d.pending.Done()
	}
}

// start reports whether a call is still wanted, and makes it cancellable.
func (d *dispatcher) start(c *pendingCall, cancel context.CancelFunc) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.cancel = cancel
	if c.streams() {
		d.giveBack(c)
	}
	return c.key != ""
}

// take claims the end of a call. It returns false if the call was answered or cancelled.
func (d *dispatcher) take(c *pendingCall) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.key == "" {
		return false
	}
	if d.calls[c.key] == c {
		delete(d.calls, c.key)
	}
	c.key = ""
	return true
}

// cancelCall cancels the call of a notifications/cancelled, which gets no answer. Unknown
// or already answered ids are ignored.
func (d *dispatcher) cancelCall(params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil || p.RequestID == nil {
		return
	}
	d.mu.Lock()
	c := d.calls[idKey(p.RequestID)]
	d.mu.Unlock()
	if c != nil && d.take(c) {
		d.stop(c)
		d.pending.Done()
	}
}

// stop cancels a running call. run skips a waiting one.
func (d *dispatcher) stop(c *pendingCall) {
	d.mu.Lock()
	cancel := c.cancel
	d.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// A lane limits how many calls run at once; the others wait in order. The dispatcher's
// mutex guards it.
type lane struct {
	free    int // calls that may still start
	waiting []*pendingCall
}

// enter reports whether a call may run now; otherwise the call waits.
func (l *lane) enter(c *pendingCall) bool {
	if l.free == 0 {
		l.waiting = append(l.waiting, c)
		return false
	}
	l.free--
	return true
}

// next returns the call that has waited longest, nil when none waits.
func (l *lane) next() *pendingCall {
	if len(l.waiting) == 0 {
		l.waiting = nil
		l.free++
		return nil
	}
	c := l.waiting[0]
	l.waiting[0] = nil
	l.waiting = l.waiting[1:]
	return c
}

// idKey returns a normal form of an id: a string may be escaped in several ways.
func idKey(id json.RawMessage) string {
	var text string
	if json.Unmarshal(id, &text) == nil {
		return `"` + text
	}
	return string(id)
}
