package auth

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// recheckTime is how long an answer that lasts goes on after its token was revoked.
	recheckTime = 2 * time.Second
	// unreadChecks is how often the tokens cannot be read in turn before all answers end: for a
	// minute. A call takes less.
	unreadChecks = 30
)

// runningRequests are the requests that a gate has let through. While there are any, the file of
// tokens is read every recheckTime, once for all of them. A request ends when its token is gone or
// has expired. That the file cannot be read, or is not there, says nothing of a token: then nobody
// is let in, but what runs goes on for a minute.
type runningRequests struct {
	tokens *TokenFile

	mu     sync.Mutex
	all    map[*runningRequest]bool
	looks  bool // the next look is due
	unread int  // looks in turn that found no tokens
}

// A runningRequest is one request of a subject.
type runningRequest struct {
	subject *Principal
	cancel  context.CancelFunc
}

// begin returns the context of a request of a subject, which ends when its credential does.
func (l *runningRequests) begin(parent context.Context, s *Principal) (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancel(parent)
	r := &runningRequest{s, cancel}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[r] = true
	l.lookLater()
	return ctx, func() {
		cancel()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.all, r)
	}
}

// lookLater has the tokens looked at while there are requests. The caller has the lock.
func (l *runningRequests) lookLater() {
	if l.looks || len(l.all) == 0 {
		return
	}
	l.looks = true
	time.AfterFunc(recheckTime, func() {
		l.look()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.looks = false
		l.lookLater()
	})
}

// look ends the requests whose credential is no longer valid.
func (l *runningRequests) look() {
	list, err := l.tokens.List()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unread++; err == nil && list != nil {
		l.unread = 0
	}
	now := l.tokens.now()
	for r := range l.all {
		s := r.subject
		known := l.unread > 0 && l.unread < unreadChecks ||
			slices.ContainsFunc(list, func(t TokenEntry) bool { return t.Digest == s.digest })
		if s.digest != "" && !known || hasPassed(s.Expires, now) {
			r.cancel()
		}
	}
}
