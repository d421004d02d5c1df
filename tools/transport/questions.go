package transport

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
)

// questions are the requests that were sent to clients and not answered yet.
type questions struct {
	most int // how many may wait; one more takes the place of the oldest

	mu      sync.Mutex
	waiting []question // the oldest first
	over    bool       // there can be no answer any more
}

// A question is one request to a client. Its channel has room for the answer.
type question struct {
	id     string
	answer chan json.RawMessage
}

// add returns where the answer arrives, until ctx ends: see Ask of [tools.Conn].
func (q *questions) add(ctx context.Context, id string) <-chan json.RawMessage {
	asked := question{id, make(chan json.RawMessage, 1)}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		close(asked.answer)
		return asked.answer
	}
	if len(q.waiting) >= q.most {
		q.end(0, nil)
	}
	q.waiting = append(q.waiting, asked)
	context.AfterFunc(ctx, func() { q.take(id, nil) })
	return asked.answer
}

// answer passes on what a client has answered; a nil result refuses. It returns false where no
// question has the id.
func (q *questions) answer(id, result json.RawMessage) bool {
	var text string
	return json.Unmarshal(id, &text) == nil && q.take(text, result)
}

func (q *questions) take(id string, result json.RawMessage) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.waiting, func(asked question) bool { return asked.id == id })
	if i >= 0 {
		q.end(i, result)
	}
	return i >= 0
}

// end ends a question. The caller holds mu.
func (q *questions) end(i int, result json.RawMessage) {
	if result != nil {
		q.waiting[i].answer <- result
	}
	close(q.waiting[i].answer)
	q.waiting = slices.Delete(q.waiting, i, i+1)
}

// endAll ends all questions, also those that are still to come.
func (q *questions) endAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	for len(q.waiting) > 0 {
		q.end(0, nil)
	}
}
