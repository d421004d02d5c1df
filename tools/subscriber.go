package tools

import (
	"context"
	"sync"

	"issues-index/index"
	"issues-index/tools/auth"
)

// How many resources one client, and all clients together, can subscribe to. Each costs a
// look at its document whenever something changes.
const (
	maxSubscriptions    = 1000
	maxAllSubscriptions = 10_000
)

// A subscriber tells one client which of the resources that it has subscribed to have
// changed. It waits for the client alone: what changes meanwhile is told once. It is safe for
// concurrent use.
type subscriber struct {
	life context.Context // of the subscriptions
	send func(uri string)

	mu      sync.Mutex
	watched map[string]*watchedResource // by URI
	follows map[*index.Index]*followedIndex
}

// A watchedResource is a resource that is subscribed to.
type watchedResource struct {
	uri, id string
	state   string // of its document, as the client was last told
	find    func() (FoundResource, error)
	in      *followedIndex // nil while it is being looked for
	ended   func()
}

// A followedIndex is an index with resources that are subscribed to. It is held for as long.
type followedIndex struct {
	ix      *index.Index
	of      map[string]*watchedResource
	release func() // of the workspace
	stop    chan struct{}
}

// newSubscriber returns a subscriber whose subscriptions end with the context. send may wait
// for the client.
func newSubscriber(ctx context.Context, send func(uri string)) *subscriber {
	return &subscriber{
		life: ctx, send: send,
		watched: make(map[string]*watchedResource), follows: make(map[*index.Index]*followedIndex),
	}
}

// tooMany says that a client has as many subscriptions as it may have, or all have.
func tooMany(most int) *Error {
	return Errorf(CodeLocked, "There are %d subscriptions, which is the maximum.", most).
		Try("End some of them, or look at the documents with issues_list from time to time.")
}

// add subscribes to a resource. The same one again is one subscription.
func (s *subscriber) add(ctx context.Context, r *ResourceRequest) error {
	all := &r.server.subscribed
	s.mu.Lock()
	_, known := s.watched[r.URI]
	full := len(s.watched) >= maxSubscriptions
	s.mu.Unlock()
	switch {
	case known:
		return nil
	case full:
		return tooMany(maxSubscriptions)
	case all.Add(1) > maxAllSubscriptions:
		all.Add(-1)
		return tooMany(maxAllSubscriptions)
	}
	find := r.server.resources.Find
	// A subscription outlives its request, and keeps of it nothing but who has sent it: over HTTP the
	// rest would keep the buffers of a connection.
	lasting := auth.With(context.Background(), auth.PrincipalOf(ctx))
	w := &watchedResource{
		uri: r.URI, ended: sync.OnceFunc(func() { all.Add(-1) }),
		find: func() (FoundResource, error) { return find(lasting, r) },
	}
	found, err := find(ctx, r)
	if err != nil {
		w.ended()
		return err
	}
	if !s.attach(w, found) {
		w.ended()
	}
	return nil
}

// attach has a resource followed where it was found. It returns false where there is nothing
// to follow any more, or already.
func (s *subscriber) attach(w *watchedResource, found FoundResource) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.watched[w.uri]; other != nil && other != w || s.life.Err() != nil {
		found.Release()
		return false
	}
	w.id, w.state = found.ID, stateOf(found.Row, nil)
	s.watched[w.uri] = w
	f := s.follows[found.Index]
	if f == nil {
		f = &followedIndex{
			ix: found.Index, of: make(map[string]*watchedResource), release: found.Release, stop: make(chan struct{}),
		}
		s.follows[found.Index] = f
		changed, done := found.Index.Subscribe()
		go s.follow(f, changed, done)
	} else {
		found.Release() // one hold is enough
	}
	w.in, f.of[w.uri] = f, w
	return true
}

// remove ends a subscription, if there is one.
func (s *subscriber) remove(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.watched[uri]
	if w == nil {
		return
	}
	delete(s.watched, uri)
	w.ended()
	if f := w.in; f != nil {
		delete(f.of, uri)
		if len(f.of) == 0 && s.follows[f.ix] == f {
			delete(s.follows, f.ix)
			close(f.stop)
		}
	}
}

// follow tells of changes in an index until nothing of it is subscribed to any more.
func (s *subscriber) follow(f *followedIndex, changed <-chan struct{}, done func()) {
	defer f.release()
	defer done()
	s.look(f) // at what has changed since it was found
	for {
		select {
		case _, open := <-changed:
			if !open {
				s.findAgain(f)
				return
			}
			s.look(f)
		case <-f.stop:
			return
		case <-s.life.Done():
			s.end(f)
			return
		}
	}
}

// look tells of the resources that are not as the client knows them.
func (s *subscriber) look(f *followedIndex) {
	s.mu.Lock()
	var all []*watchedResource
	var ids []string
	for _, w := range f.of {
		all, ids = append(all, w), append(ids, w.id)
	}
	s.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	found, err := f.ix.GetBatch(s.life, ids)
	if err != nil {
		return // the next change is looked at again, and calls say what is wrong
	}
	for i, w := range all {
		s.noteState(w, stateOf(found[i].Row, found[i].Err))
	}
}

// noteState tells the client of a state that it does not know.
func (s *subscriber) noteState(w *watchedResource, state string) {
	s.mu.Lock()
	isNew := s.watched[w.uri] == w && w.state != state && s.life.Err() == nil
	w.state = state
	s.mu.Unlock()
	if isNew {
		s.send(w.uri)
	}
}

// stateOf is what tells the states of a document apart.
func stateOf(row index.Row, err error) string {
	if err != nil {
		return "gone"
	}
	return row.Path + " " + row.Version
}

// findAgain looks for the resources of an index that is served no more. What is not found
// has changed for the last time.
func (s *subscriber) findAgain(f *followedIndex) {
	s.mu.Lock()
	if s.follows[f.ix] == f {
		delete(s.follows, f.ix)
	}
	var all []*watchedResource
	for _, w := range f.of {
		w.in = nil
		all = append(all, w)
	}
	s.mu.Unlock()
	for _, w := range all {
		before := w.state
		found, err := w.find()
		if err != nil {
			s.noteState(w, stateOf(index.Row{}, err))
			s.remove(w.uri)
			continue
		}
		if !s.attach(w, found) {
			s.remove(w.uri)
		} else if stateOf(found.Row, nil) != before {
			s.send(w.uri)
		}
	}
}

// end forgets the resources of an index.
func (s *subscriber) end(f *followedIndex) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.follows, f.ix)
	for uri, w := range f.of {
		delete(s.watched, uri)
		w.ended()
	}
}
