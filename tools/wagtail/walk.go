package wagtail

import (
	"time"

	"issues-index/tools"
)

// walkTime is how long a call that goes through many pages begins further requests.
const walkTime = 20 * time.Second

// A walk bounds what one call asks of a site when it goes through many pages.
type walk struct {
	left  int // requests
	until time.Time
}

func (s *Site) walk() *walk { return &walk{left: s.walkRequests, until: time.Now().Add(walkTime)} }

// over reports whether the time for further requests is over.
func (w *walk) over() bool { return time.Now().After(w.until) }

// take reports whether so many further requests may be made, and counts them.
func (w *walk) take(requests int) bool {
	if w.left < requests || w.over() {
		return false
	}
	w.left -= requests
	return true
}

// An oversized answer is one that the site began and that has more than is read. Fewer
// objects at a time may have less.
type oversized struct{ worded *tools.Error }

func (o *oversized) Error() string { return o.worded.Error() }

func (o *oversized) Unwrap() error { return o.worded }
