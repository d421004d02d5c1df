package nats

import (
	"context"
	"fmt"
	"sync"

	"issues-index/index/share"
	"issues-index/store/pattern"
)

// refusals brings what the servers refuse to those who wait for an answer. A server tells the
// connection that a subject is not allowed, and never answers the request itself.
type refusals struct {
	mu      sync.Mutex
	next    int
	waiting map[string]map[int]context.CancelCauseFunc // by subject
}

// watch has the wait for an answer end when a subject is refused. The function that it returns
// must be called when the wait has ended.
func (r *refusals) watch(subject string, refuse context.CancelCauseFunc) (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting == nil {
		r.waiting = map[string]map[int]context.CancelCauseFunc{}
	}
	if r.waiting[subject] == nil {
		r.waiting[subject] = map[int]context.CancelCauseFunc{}
	}
	r.next++
	id := r.next
	r.waiting[subject][id] = refuse
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.waiting[subject], id)
		if len(r.waiting[subject]) == 0 {
			delete(r.waiting, subject)
		}
	}
}

// refusedSubject finds the subject in the words of a server.
var refusedSubject = pattern.Lazy(`(?i)(?:publish|subscription) to "([^"]+)"`)

func (r *refusals) report(err error) {
	found := refusedSubject().FindStringSubmatch(err.Error())
	if found == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, refuse := range r.waiting[found[1]] {
		refuse(fmt.Errorf("%w: %s", share.ErrForbidden, found[0]))
	}
}
