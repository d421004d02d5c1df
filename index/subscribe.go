package index

import (
	"context"
	"sync"
	"sync/atomic"
)

// The subscriptions of an index are those who want to know that documents have changed. They
// are told that something has, and ask the index what: a word costs the same whatever the
// number of changes, and words that are not taken yet are one.
type subscriptions struct {
	mu     sync.Mutex
	all    map[chan struct{}]bool
	closed bool

	last   revisionMark // that they were told of
	missed atomic.Bool  // changes settled while the index was busy
}

// A revisionMark is a state of the index's file.
type revisionMark struct {
	generation string
	rev        int64
}

// Subscribe returns a channel that receives a value after documents have changed, no matter
// who changed them: many changes may be one value. It is closed when the index is closed or
// the workspace's folder is another one: subscribe to the index that is served then. done ends
// the subscription.
//
// Changes are noticed as they happen in ModeWatch; in other modes, which look at the files
// only for calls, with the next call.
func (ix *Index) Subscribe() (changed <-chan struct{}, done func()) {
	s := &ix.subscribed
	c := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		close(c)
		return c, func() {}
	}
	if s.all == nil {
		s.all = make(map[chan struct{}]bool)
	}
	s.all[c] = true
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.all, c)
	}
}

// wanted reports whether there is a subscription.
func (s *subscriptions) wanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all) > 0
}

// tell tells of a state of the index, if it is another than the last.
func (s *subscriptions) tell(now revisionMark) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now == s.last {
		return
	}
	s.last = now
	for c := range s.all {
		select {
		case c <- struct{}{}:
		default: // it has a word already, and will see this change, too
		}
	}
}

// end closes all subscriptions.
func (s *subscriptions) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.all {
		close(c)
	}
	s.all = nil
}

// announce tells the subscriptions what the index has come to, by this process or another.
// The caller holds sync.
func (ix *Index) announce() {
	if ix.closed || ix.db == nil || !ix.subscribed.wanted() {
		return
	}
	build, rev, err := readBuildID(context.WithoutCancel(ix.life), ix.db.Read)
	if err != nil { // which the next call meets, too
		ix.log.Debug("read the index's state for those who subscribe to changes", "error", err)
		return
	}
	ix.subscribed.tell(revisionMark{build.generation, rev})
}
