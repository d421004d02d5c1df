package share

import (
	"sync"
	"time"
)

// answersLast is how long an answer to a call is kept for the same call.
const answersLast = 10 * time.Minute

// AnsweredCalls keeps the answers to calls by their keys, so that a call that comes again is
// not done again. Its zero value is ready. Its method may be called from several goroutines at
// once.
type AnsweredCalls struct {
	mu    sync.Mutex
	calls map[string]*answeredCall
}

type answeredCall struct {
	done   chan struct{} // closed when answer is there
	answer []byte
	at     time.Time
}

// Do returns the answer that there is for a key, waits for one that is being made, or makes
// it. Without a key it makes one.
func (a *AnsweredCalls) Do(key string, answer func() []byte) []byte {
	if key == "" {
		return answer()
	}
	a.mu.Lock()
	if a.calls == nil {
		a.calls = map[string]*answeredCall{}
	}
	now := time.Now()
	for other, call := range a.calls {
		if now.Sub(call.at) > answersLast {
			delete(a.calls, other)
		}
	}
	call, again := a.calls[key]
	if !again {
		call = &answeredCall{done: make(chan struct{}), at: now}
		a.calls[key] = call
	}
	a.mu.Unlock()
	if !again {
		defer close(call.done)
		call.answer = answer()
		return call.answer
	}
	<-call.done
	return call.answer
}
