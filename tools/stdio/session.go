package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// A session is one run of Serve.
type session struct {
	handler Handler
	log     *slog.Logger
	running context.Context // of all calls
	over    <-chan struct{} // closed when Serve is to end
	out     *output

	pending sync.WaitGroup // answers that are due
	number  uint64         // of the last request, which only the reader counts
	maxHeld int
	room    chan struct{} // gets a value when less than that is held

	mu     sync.Mutex
	calls  map[string]*call // unanswered, by idKey
	tools  lane
	others lane
	held   int // bytes of the requests that are not through with their lane
}

// A call is a request that is being answered.
type call struct {
	message
	key    string
	number uint64
	reply  []byte // the answer, where it needs no handler
	size   int    // of what is held for it, in bytes
	cancel context.CancelFunc
}

// overhead is about what a request that waits takes besides its line, in bytes.
const overhead = 512

// receive starts what a line asks for. It does not wait, but for initialize
// and the little that notifications do.
func (s *session) receive(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	m, problem := parse(line)
	switch {
	case problem != nil && m.id == nil && problem.code == mcp.INVALID_PARAMS:
		s.log.Warn("notification ignored", "method", m.method, "reason", problem.text)
	case problem != nil:
		s.reject(m.id, problem)
	case m.method == "":
		s.log.Warn("response to nothing ignored")
	case m.id == nil && m.method == string(mcp.MethodNotificationCancelled):
		s.cancelCall(m.params)
	case m.id == nil:
		s.handle(s.running, m, 0)
	case m.method == string(mcp.MethodInitialize):
		s.number++
		s.writeFirst(respond(m.id, s.handle(s.running, m, s.number)))
	default:
		s.number++
		s.begin(&call{message: m, key: idKey(m.id), number: s.number, size: len(line) + overhead})
	}
}

// writeFirst writes an answer before anything else is read. A client that does not
// read it does not keep the serving from ending.
func (s *session) writeFirst(line []byte) {
	written := make(chan struct{})
	s.pending.Go(func() { s.out.write(line); close(written) })
	select {
	case <-written:
	case <-s.over:
	}
}

// reject answers with an error, beside the reader: a client may write much
// before it reads.
func (s *session) reject(id json.RawMessage, problem *rpcError) {
	reply := refuse(id, problem)
	s.begin(&call{key: "rejected", reply: reply, size: len(reply) + overhead})
}

func (s *session) begin(c *call) {
	s.pending.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held += c.size
	if c.reply == nil {
		s.calls[c.key] = c
	}
	if l := s.laneOf(c); l.enter(c) {
		go s.run(l, c)
	}
}

func (s *session) laneOf(c *call) *lane {
	if c.method == string(mcp.MethodToolsCall) {
		return &s.tools
	}
	return &s.others
}

// run answers a call, and those that wait behind it.
func (s *session) run(l *lane, c *call) {
	for c != nil {
		s.answer(c)
		c = s.next(l, c)
	}
}

// next takes the call after one that is answered, or was cancelled.
func (s *session) next(l *lane, done *call) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= done.size
	if s.held < s.maxHeld {
		select {
		case s.room <- struct{}{}:
		default: // the reader is told already
		}
	}
	return l.next()
}

// full reports whether more than enough waits for its answers.
func (s *session) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held >= s.maxHeld
}

// answer runs a call and writes its answer. The call keeps its place in the lane until
// the answer is written, so that answers which nobody reads cannot pile up.
func (s *session) answer(c *call) {
	line := c.reply
	if line == nil {
		ctx, cancel := context.WithCancel(s.running)
		defer cancel()
		if !s.start(c, cancel) {
			return
		}
		line = respond(c.id, s.handle(s.notifying(ctx, c), c.message, c.number))
	}
	if s.take(c) {
		s.out.write(line)
		s.pending.Done()
	}
}

// start tells whether a call is still wanted, and lets it be cancelled from now on.
func (s *session) start(c *call, cancel context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.cancel = cancel
	return c.key != ""
}

// take makes the caller the one who ends a call, and tells whether it is.
func (s *session) take(c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.key == "" {
		return false
	}
	if s.calls[c.key] == c {
		delete(s.calls, c.key)
	}
	c.key = ""
	return true
}

// cancelCall ends the call that a notifications/cancelled names without an
// answer. Unknown and already answered ids are ignored.
func (s *session) cancelCall(params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil || p.RequestID == nil {
		return
	}
	s.mu.Lock()
	c := s.calls[idKey(p.RequestID)]
	s.mu.Unlock()
	if c != nil && s.take(c) {
		s.stop(c)
		s.pending.Done()
	}
}

// stop ends a call that runs; one that waits is skipped by whoever comes to it.
func (s *session) stop(c *call) {
	s.mu.Lock()
	cancel := c.cancel
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// handle asks the handler, whose panics are answers too.
func (s *session) handle(ctx context.Context, m message, number uint64) (answer any) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("handler panicked", "method", m.method, "panic", p, "stack", string(debug.Stack()))
			answer = nil
		}
	}()
	return s.handler(ctx, m.forward(number))
}
