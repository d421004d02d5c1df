package share

import (
	"context"
	"sync"
	"time"
)

// What is kept of answers to calls, so that a call that comes again is not done again.
const (
	answersLast    = 10 * time.Minute
	mostAnswers    = 1000
	mostAnswerSize = 32 << 20 // bytes, of all together
)

// AnsweredCalls keeps the answers to calls by their keys, so that a call that comes again is not
// done again: for ten minutes, and no more than 1,000 answers with 32 MiB. Its zero value is ready.
// Its method may be called from several goroutines at once.
type AnsweredCalls struct {
	mu    sync.Mutex
	calls map[string]*answeredCall
	kept  []*answeredCall // that are answered, the oldest first
	size  int             // of their answers, in bytes
}

type answeredCall struct {
	key    string
	done   chan struct{} // closed when answer is there
	answer []byte
	at     time.Time
}

// Do returns the answer that there is for a key, waits until ctx ends for one that is being made,
// or makes it. Without a key it makes one.
func (a *AnsweredCalls) Do(ctx context.Context, key string, answer func() []byte) ([]byte, error) {
	if key == "" {
		return answer(), nil
	}
	a.mu.Lock()
	a.forget(time.Now())
	call, again := a.calls[key]
	if !again {
		call = &answeredCall{key: key, done: make(chan struct{})}
		if a.calls == nil {
			a.calls = map[string]*answeredCall{}
		}
		a.calls[key] = call
	}
	a.mu.Unlock()
	if again {
		select {
		case <-call.done:
			return call.answer, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer a.keep(call)
	call.answer = answer()
	return call.answer, nil
}

// keep keeps a call that is answered.
func (a *AnsweredCalls) keep(call *answeredCall) {
	close(call.done)
	a.mu.Lock()
	defer a.mu.Unlock()
	call.at = time.Now()
	a.kept, a.size = append(a.kept, call), a.size+len(call.answer)
	a.forget(call.at)
}

// forget drops the oldest answers, as far as there are too many. The caller holds mu.
func (a *AnsweredCalls) forget(now time.Time) {
	for len(a.kept) > 0 {
		oldest := a.kept[0]
		if now.Sub(oldest.at) <= answersLast && len(a.kept) <= mostAnswers && a.size <= mostAnswerSize {
			return
		}
		delete(a.calls, oldest.key)
		a.kept, a.size = a.kept[1:], a.size-len(oldest.answer)
	}
}
