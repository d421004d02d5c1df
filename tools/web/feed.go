package web

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"issues-index/index"
)

const (
	// lookTime is how often a feed that has readers looks for changes that nobody reports: of
	// claims, and of files where the system does not tell of changes.
	lookTime = time.Second
	// gatherTime is how long changes that follow each other are gathered.
	gatherTime = 100 * time.Millisecond
	// mostNews is how many documents one message names.
	mostNews = 200
)

// A feed tells open pages what has changed. While nobody reads it, it does nothing. It looks
// once for all readers, and each of them has one message waiting at most: whatever happens
// until it is read is added to it.
type feed struct {
	acquire func(context.Context) (ix *index.Index, release func(), err error)
	log     *slog.Logger

	mu      sync.Mutex
	readers map[*feedReader]bool
	come    chan struct{} // has a word when there is a new reader
	stop    func()        // ends the looking; nil while nobody reads
}

// A feedReader is a page that is told of changes.
type feedReader struct {
	feed    *feed
	ready   chan struct{} // has a word while a message waits
	greeted bool          // it was told in which state it began
	waiting news
	ids     map[string]bool // of waiting
}

// News are what has changed since the message before.
type news struct {
	Rev     string   `json:"rev"`               // names the state that they lead to
	Changed []string `json:"changed,omitempty"` // ids of documents
	Many    bool     `json:"many,omitempty"`    // others may have changed, too
}

func newFeed(o Options) *feed {
	return &feed{acquire: o.Acquire, log: o.Log, readers: map[*feedReader]bool{}, come: make(chan struct{}, 1)}
}

// read begins to tell a reader of changes. The first message names the state that it begins
// with.
func (f *feed) read() *feedReader {
	r := &feedReader{feed: f, ready: make(chan struct{}, 1), ids: map[string]bool{}}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers[r] = true
	if f.stop == nil {
		ctx, cancel := context.WithCancel(context.Background())
		f.stop = cancel
		go f.look(ctx)
	}
	put(f.come)
	return r
}

// done ends the reading.
func (r *feedReader) done() {
	f := r.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.readers, r)
	if len(f.readers) == 0 && f.stop != nil {
		f.stop()
		f.stop = nil
	}
}

// take returns the message that waits, and reports whether there is one.
func (r *feedReader) take() (n news, ok bool) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	n = r.waiting
	n.Changed = slices.Sorted(maps.Keys(r.ids))
	r.waiting = news{}
	clear(r.ids)
	return n, n.Rev != ""
}

// put leaves a word in a channel that has room for one.
func put(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// look tells the readers of changes until ctx ends.
func (f *feed) look(ctx context.Context) {
	var last index.Moment
	for ctx.Err() == nil {
		last = f.follow(ctx, last)
	}
}

// follow looks into one index, until that ends.
func (f *feed) follow(ctx context.Context, last index.Moment) index.Moment {
	ix, release, err := f.acquire(ctx)
	if err != nil {
		pause(ctx, lookTime) // there is no workspace at this moment
		return last
	}
	defer release()
	changed, done := ix.Subscribe()
	defer done()
	again := time.NewTicker(lookTime)
	defer again.Stop()
	for {
		c, err := ix.Differences(ctx, last)
		switch {
		case ctx.Err() != nil:
			return last
		case err != nil:
			f.log.Debug("look for changes, for open pages", "error", err)
		case c.Now.String() == last.String():
			f.tell(c, false)
		default:
			f.tell(c, true)
			last = c.Now
			pause(ctx, gatherTime)
		}
		select {
		case <-ctx.Done():
			return last
		case _, open := <-changed:
			if !open {
				return last
			}
		case <-again.C:
		case <-f.come:
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// tell adds changes to what waits for the readers.
func (f *feed) tell(c index.Differences, changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for r := range f.readers {
		if r.greeted && !changed {
			continue
		}
		r.waiting.Rev = c.Now.String()
		if r.greeted {
			r.waiting.Many = r.waiting.Many || c.Many
			for _, id := range c.IDs {
				r.ids[id] = true
			}
			if len(r.ids) > mostNews {
				r.waiting.Many = true
				clear(r.ids)
			}
		}
		r.greeted = true
		put(r.ready)
	}
}
