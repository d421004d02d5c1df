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
	out     *output
	slots   chan struct{} // taken by running tool calls

	pending sync.WaitGroup // answers that are due
	number  uint64         // of the last request, which only the reader counts

	mu    sync.Mutex
	calls map[string]*call // unanswered, by idKey
}

// A call is a request that is being answered.
type call struct {
	message
	key     string
	context context.Context
	cancel  context.CancelFunc
}

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
		s.out.write(respond(m.id, s.handle(s.running, m, s.number)))
	default:
		s.number++
		go s.answer(s.begin(m), s.number)
	}
}

// reject answers with an error, beside the reader: a client may write much
// before it reads.
func (s *session) reject(id json.RawMessage, problem *rpcError) {
	s.pending.Go(func() { s.out.write(refuse(id, problem)) })
}

func (s *session) begin(m message) *call {
	c := &call{message: m, key: idKey(m.id)}
	c.context, c.cancel = context.WithCancel(s.running)
	s.pending.Add(1)
	s.mu.Lock()
	s.calls[c.key] = c
	s.mu.Unlock()
	return c
}

// answer runs a call and writes its answer. A tool call takes a slot until its
// answer is written, so that answers which nobody reads cannot pile up.
func (s *session) answer(c *call, number uint64) {
	defer c.cancel()
	if c.method == string(mcp.MethodToolsCall) {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-c.context.Done():
			return
		}
	}
	answer := s.handle(c.context, c.message, number)
	if s.take(c) {
		s.out.write(respond(c.id, answer))
		s.pending.Done()
	}
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
// answer. One that is unknown, or answered already, is none of its business.
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
		c.cancel()
		s.pending.Done()
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
