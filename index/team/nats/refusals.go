package nats

import (
	"context"
	"fmt"
	"sync"

	"issues-index/index/team/share"
	"issues-index/store/pattern"
)

// refusals brings what the servers refuse to the requests that wait for an answer. A server tells the
// connection that a subject is not allowed, and never answers the request itself.
type refusals struct {
	mu      sync.Mutex
	next    int
	waiting map[int]refusable
}

type refusable struct {
	subject string
	refuse  context.CancelCauseFunc
}

// watch returns a context that ends when a subject is refused. The function that it returns must
// be called when the wait for an answer has ended.
func (r *refusals) watch(ctx context.Context, subject string) (asked context.Context, done func()) {
	asked, refuse := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting == nil {
		r.waiting = map[int]refusable{}
	}
	r.next++
	id := r.next
	r.waiting[id] = refusable{subject, refuse}
	return asked, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.waiting, id)
		refuse(nil)
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
	for _, one := range r.waiting {
		if one.subject == found[1] {
			one.refuse(fmt.Errorf("%w: %s", share.ErrForbidden, found[0]))
		}
	}
}
