package streamable

import (
	"container/list"
	"context"
	"net/http"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// maxSessions is how many sessions mcp-go remembers, of those that were used last. Each takes
// about 15 KB, and anybody can begin one with a short message.
const maxSessions = 1000

// A sessionMemory bounds what mcp-go remembers of sessions: it keeps something of every id that
// a client sends, for some minutes.
type sessionMemory struct {
	next http.Handler

	mu   sync.Mutex
	used *list.List // the ids, last used first
	at   map[string]*list.Element
}

func newSessionMemory(next http.Handler) *sessionMemory {
	return &sessionMemory{next: next, used: list.New(), at: make(map[string]*list.Element)}
}

// note has the session of an answered request remembered, begun or not, and the one that was
// used longest ago forgotten where there are too many. One that begins and cannot ask its user
// has nothing to be remembered.
func (s *sessionMemory) note(begun string, r *http.Request, asks bool) {
	id := begun
	if id == "" && ofSession(r) {
		id = r.Header.Get(server.HeaderKeySessionID)
	}
	if _, err := parseSession(id); err != nil {
		return // mcp-go has refused it, or there is none
	}
	if begun != "" && !asks {
		s.forget(begun)
		return
	}
	s.mu.Lock()
	if e := s.at[id]; e != nil {
		s.used.MoveToFront(e)
	} else {
		s.at[id] = s.used.PushFront(id)
	}
	oldest := ""
	if s.used.Len() > maxSessions {
		oldest, _ = s.used.Remove(s.used.Back()).(string) // it holds nothing else
		delete(s.at, oldest)
	}
	s.mu.Unlock()
	if oldest != "" {
		s.forget(oldest)
	}
}

// end forgets what is remembered of a session whose client says goodbye.
func (s *sessionMemory) end(id string) {
	s.mu.Lock()
	if e := s.at[id]; e != nil {
		s.used.Remove(e)
		delete(s.at, id)
	}
	s.mu.Unlock()
	s.forget(id)
}

// forget has mcp-go forget a session, as its client could.
func (s *sessionMemory) forget(id string) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodDelete, "/", http.NoBody)
	if err != nil { // it never fails with these
		return
	}
	r.Header.Set(server.HeaderKeySessionID, id)
	s.next.ServeHTTP(unread(http.Header{}), r)
}

// unread is an answer that nobody reads.
type unread http.Header

func (u unread) Header() http.Header         { return http.Header(u) }
func (u unread) Write(p []byte) (int, error) { return len(p), nil }
func (u unread) WriteHeader(int)             {}
