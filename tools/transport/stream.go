package transport

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/store/orderedjson"
	"issues-index/tools"
	"issues-index/tools/auth"
)

// maxStreams is how many sessions may have a stream or subscriptions, and how many requests may
// read one, half of them of one subject. A client without one still can ask.
const maxStreams = 64

// comesBack is how long the subscriptions of a session last while it has no stream: clients
// subscribe before it is open, and open it again when a connection breaks.
const comesBack = 2 * time.Minute

// A sessionStream is what is remembered of a session that is told of changes: its
// subscriptions, and whoever reads what it is told.
type sessionStream struct {
	client *tools.Client
	life   context.Context
	end    context.CancelFunc

	lock    *sync.Mutex      // that of the streams; it guards what follows
	readers []*sessionReader // requests that are open, the latest last
	turned  chan struct{}    // closed when another reader is the latest
	ending  *time.Timer      // runs while there is no reader
}

// A sessionReader is a request that reads a stream. It has no room for messages: a client is told
// of what changed meanwhile once.
type sessionReader struct{ messages chan []byte }

// sessionStreams are those of all sessions.
type sessionStreams struct {
	life context.Context

	readers auth.LastingAnswers

	mu sync.Mutex
	of map[string]*sessionStream // by the key of the session
}

func newSessionStreams(life context.Context) *sessionStreams {
	return &sessionStreams{
		life: life, of: make(map[string]*sessionStream),
		readers: auth.LastingAnswers{Most: maxStreams, Each: maxStreams / 2},
	}
}

// get returns the stream of a session, nil for one that cannot have it.
func (s *sessionStreams) get(key string) *sessionStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made(key)
}

// made is get for a caller that has the lock.
func (s *sessionStreams) made(key string) *sessionStream {
	if key == "" {
		return nil
	}
	stream := s.of[key]
	if stream == nil {
		if len(s.of) >= maxStreams {
			return nil
		}
		id, _, _ := strings.Cut(key, " ")
		client, _ := clientOf(id)
		life, end := context.WithCancel(s.life)
		stream = &sessionStream{client: client, life: life, end: end, lock: &s.mu, turned: make(chan struct{})}
		client.Life, client.Notify = life, stream.notify
		stream.ending = time.AfterFunc(comesBack, func() { s.endUnread(key, stream) })
		s.of[key] = stream
	}
	return stream
}

// read adds a reader to the stream of a session.
func (s *sessionStreams) read(key string) (stream *sessionStream, reader *sessionReader, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stream = s.made(key); stream == nil {
		return nil, nil, false
	}
	reader = &sessionReader{make(chan []byte)}
	stream.turn(append(stream.readers, reader))
	stream.ending.Stop()
	return stream, reader, true
}

// leave takes a reader away.
func (s *sessionStreams) leave(stream *sessionStream, reader *sessionReader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(stream.readers, func(r *sessionReader) bool { return r == reader })
	if stream.turn(left); len(left) == 0 {
		stream.ending.Reset(comesBack)
	}
}

// endUnread ends a stream whose client has not come back.
func (s *sessionStreams) endUnread(key string, stream *sessionStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(stream.readers) == 0 && s.of[key] == stream {
		delete(s.of, key)
		stream.end()
	}
}

// end ends the stream of a session, if it has one.
func (s *sessionStreams) end(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stream := s.of[key]; stream != nil {
		delete(s.of, key)
		stream.ending.Stop()
		stream.end()
	}
}

// turn makes others the readers of the stream. The caller has the lock of the streams.
func (s *sessionStream) turn(readers []*sessionReader) {
	s.readers = readers
	close(s.turned)
	s.turned = make(chan struct{})
}

// latest returns where the latest reader is told, nil while there is none, and what is closed
// when it is the latest no more.
func (s *sessionStream) latest() (messages chan<- []byte, turned <-chan struct{}) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if n := len(s.readers); n > 0 {
		messages = s.readers[n-1].messages
	}
	return messages, s.turned
}

// notify has the latest reader of the stream send a notification, and waits for one: those
// before it may be connections that are broken, which shows late. Of a stream that ends nothing
// is sent.
func (s *sessionStream) notify(method string, params any) {
	message, err := orderedjson.Marshal(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": method, "params": params})
	if err != nil {
		return // params are made by package tools, of texts
	}
	for {
		messages, turned := s.latest()
		select {
		case messages <- message:
			return
		case <-turned:
		case <-s.life.Done():
			return
		}
	}
}

// tell sends a session what it is told, until it goes away, and reports whether it can be told
// of anything.
func (h *Endpoint) tell(w *httpConn, r *http.Request) bool {
	if r.Method != http.MethodGet {
		return false
	}
	end, ok := h.streams.readers.Begin(r.Context())
	if !ok {
		return false
	}
	defer end()
	stream, reader, ok := h.streams.read(sessionKey(r))
	if !ok {
		return false
	}
	defer h.streams.leave(stream, reader)
	_ = w.control.SetReadDeadline(time.Time{}) // so that the end of the connection is noticed
	w.beginStream()
	for {
		select {
		case message := <-reader.messages:
			if !w.event(message) {
				return true // the client reads again what it wants to know
			}
		case <-r.Context().Done():
			return true
		case <-stream.life.Done():
			return true
		}
	}
}
