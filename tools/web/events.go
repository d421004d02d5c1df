package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	// stillHereTime is how often a reader of events without news hears that there are none,
	// so that the connection is not taken for dead.
	stillHereTime = 20 * time.Second
	// slowTime is how long a reader may take for one message.
	slowTime = 10 * time.Second
	// maxReaders is how many readers of events there may be, and maxReadersEach how many of one
	// subject. All pages of a browser have one.
	maxReaders, maxReadersEach = 64, 8
)

// events sends the news of the feed as server-sent events, until the reader or the server
// goes.
func (s *Pages) events(w http.ResponseWriter, r *http.Request) {
	end, ok := s.readers.Begin(r.Context())
	if !ok {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "As many pages as may be are told of changes. Load this page again to see what has changed, or close "+
			"others.", http.StatusTooManyRequests)
		return
	}
	defer end()
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Time{}); err != nil { // that of requests would end this one
		http.Error(w, "Events cannot be sent over this connection.", http.StatusHTTPVersionNotSupported)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy must not hold messages back
	reader := s.feed.read()
	defer reader.done()
	quiet := time.NewTicker(stillHereTime)
	defer quiet.Stop()
	for {
		message := ": nothing new\n\n"
		select {
		case <-r.Context().Done():
			return
		case <-s.ended:
			return
		case <-quiet.C:
		case <-reader.ready:
			n, ok := reader.take()
			if !ok {
				continue
			}
			data, err := json.Marshal(n)
			if err != nil {
				s.Log.Error("write an event", "error", err)
				return
			}
			message = fmt.Sprintf("data: %s\n\n", data)
		}
		_ = control.SetWriteDeadline(time.Now().Add(slowTime)) // as that for reading
		if _, err := w.Write([]byte(message)); err != nil {
			return
		}
		if err := control.Flush(); err != nil {
			return
		}
	}
}

// End ends the events of all open pages, so that the server can end. Pages ask again.
func (s *Pages) End() { s.end() }
