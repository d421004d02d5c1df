package tools

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/index/workspaces"
)

// RootsPatience is how long calls wait for a client to say which folders it has open. Most
// clients say it at once, and before the first call.
const RootsPatience = time.Second

// What is taken of a client's answer.
const (
	maxRoots    = 100
	maxRootPath = 4096 // bytes
)

// clientRoots are the folders that a client has open. A client that says in its handshake that it
// offers them is asked once, and again when they change. Until it answers it has none, and one that
// never answers is waited for once.
type clientRoots struct {
	mu      sync.Mutex
	offered bool
	silent  bool      // it has let a question wait for too long, and answered none since
	asked   *rootsAsk // the last question, nil before the first
}

// A rootsAsk is one question to the client.
type rootsAsk struct {
	began time.Time
	done  chan struct{} // closed when paths is set
	paths []string
}

// begin starts anew with a handshake.
func (r *clientRoots) begin(offered bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.offered, r.silent, r.asked = offered, false, nil
}

// rootsChanged asks a client that has shaken hands, or opened other folders.
func (s *Server) rootsChanged(_ context.Context, r *request) (any, error) {
	s.askAgain(r, true)
	return nil, nil
}

// askRoots asks a client that was not asked yet, though its handshake offers roots.
func (s *Server) askRoots(r *request) { s.askAgain(r, false) }

func (s *Server) askAgain(r *request, again bool) {
	roots := &r.conn.Client().roots
	roots.mu.Lock()
	defer roots.mu.Unlock()
	if s.rootsPatience == 0 || r.modern || !roots.offered || roots.asked != nil && !again {
		return
	}
	a := &rootsAsk{began: time.Now(), done: make(chan struct{})}
	roots.asked = a
	answer := r.conn.Ask(context.Background(), string(mcp.MethodListRoots), nil)
	go func() { // it ends with the connection
		defer close(a.done)
		result, ok := <-answer
		if !ok {
			s.log.Info("the client did not say which folders it has open; " +
				"calls without a workspace go to the one where the server was started")
			return
		}
		roots.mu.Lock()
		roots.silent = false
		roots.mu.Unlock()
		a.paths = s.readRoots(result)
	}()
}

// rootsOf returns a function that returns the folders that the client of a request has open, nil for
// a client that has none.
func (s *Server) rootsOf(r *request) func(context.Context) []string {
	if r.modern { // which has no roots
		return nil
	}
	client := r.conn.Client()
	return func(ctx context.Context) []string { return s.openRoots(ctx, &client.roots) }
}

// openRoots returns the folders as the client has last said.
func (s *Server) openRoots(ctx context.Context, roots *clientRoots) []string {
	roots.mu.Lock()
	a, silent := roots.asked, roots.silent
	roots.mu.Unlock()
	if a == nil {
		return nil
	}
	if !silent {
		timer := time.NewTimer(time.Until(a.began.Add(s.rootsPatience)))
		defer timer.Stop()
		select {
		case <-a.done:
		case <-ctx.Done():
		case <-timer.C:
			s.giveUp(roots, a)
		}
	}
	select {
	case <-a.done:
		return a.paths
	default:
		return nil
	}
}

// giveUp notes that the client has not answered in time. Its answer counts when it comes.
func (s *Server) giveUp(roots *clientRoots, a *rootsAsk) {
	roots.mu.Lock()
	defer roots.mu.Unlock()
	if roots.asked == a && !roots.silent {
		roots.silent = true
		s.log.Warn("the client has not said yet which folders it has open; until it does, "+
			"calls without a workspace go to the one where the server was started", "waited", s.rootsPatience)
	}
}

// readRoots returns the paths in an answer. Whatever is not a folder of this machine is left out.
func (s *Server) readRoots(result json.RawMessage) (paths []string) {
	var list struct {
		Roots []json.RawMessage `json:"roots"`
	}
	if err := json.Unmarshal(result, &list); err != nil {
		s.log.Warn("the client's list of open folders is not understood and left out")
		return nil
	}
	ignored := max(0, len(list.Roots)-maxRoots)
	for _, raw := range list.Roots[:min(len(list.Roots), maxRoots)] {
		var root struct {
			URI string `json:"uri"`
		}
		err := json.Unmarshal(raw, &root)
		path, notPath := workspaces.PathOf(root.URI)
		switch {
		case err != nil || notPath != nil || len(path) > maxRootPath:
			ignored++
		case !slices.Contains(paths, path):
			paths = append(paths, path)
		}
	}
	if ignored > 0 {
		s.log.Warn("some of the folders that the client has open are no file:// URIs of this machine and left out",
			"count", ignored)
	}
	return paths
}
