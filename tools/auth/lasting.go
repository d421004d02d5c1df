package auth

import (
	"context"
	"sync"
)

// LastingAnswers bound the answers that go on until their client goes away, such as that which
// tells it of changes. Each of them takes a connection for as long as the client likes.
type LastingAnswers struct {
	Most int // of all clients
	Each int // of one subject, so that no subject takes all; where nobody is asked, only Most counts

	mu  sync.Mutex
	all int
	of  map[string]int // by the names of subjects
}

// Begin counts the answer to the request of a context, and returns what to call when it has
// ended. It refuses one more than there may be.
func (l *LastingAnswers) Begin(ctx context.Context) (end func(), ok bool) {
	s := PrincipalOf(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= l.Most || s != nil && l.of[s.Name] >= l.Each {
		return nil, false
	}
	count := func(by int) {
		l.all += by
		if s == nil {
			return
		}
		if l.of[s.Name] += by; l.of[s.Name] == 0 {
			delete(l.of, s.Name)
		}
	}
	if l.of == nil {
		l.of = make(map[string]int)
	}
	count(1)
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		count(-1)
	}), true
}
