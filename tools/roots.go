package tools

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"issues-index/index/workspaces"
)

// rootsPatience is how long calls wait for a client to say which folders it has open. Most
// clients say it at once, and before the first call.
const rootsPatience = time.Second

// What is taken of a client's answer.
const (
	maxRoots    = 100
	maxRootPath = 4096 // bytes
)

type rootsKey struct{}

// WithRoots returns a context whose calls know the folders that the client has open: roots
// returns their absolute paths, nil for a client that offers none.
func WithRoots(ctx context.Context, roots func(context.Context) []string) context.Context {
	return context.WithValue(ctx, rootsKey{}, roots)
}

// rootsOf returns the folders that the client has open, nil when it offers none.
func rootsOf(ctx context.Context) []string {
	roots, _ := ctx.Value(rootsKey{}).(func(context.Context) []string)
	if roots == nil {
		return nil
	}
	return roots(ctx)
}

// A Requester sends a request to the client, and does not wait: the result arrives in the
// channel, which is closed without one when there will be none. Without parameters params is
// nil.
type Requester func(method string, params any) <-chan json.RawMessage

// ClientRoots are the folders that the client of one connection has open. A client that says
// in its handshake that it offers them is asked once, and again when they change. Until it
// answers it has none, and one that never answers is waited for once. It is safe for
// concurrent use.
type ClientRoots struct {
	log      *slog.Logger
	patience time.Duration

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

// NewClientRoots returns the roots of a connection that begins. Calls wait this long for an
// answer; 0 is one second.
func NewClientRoots(patience time.Duration, log *slog.Logger) *ClientRoots {
	if patience == 0 {
		patience = rootsPatience
	}
	return &ClientRoots{log: log, patience: patience}
}

type clientRootsKey struct{}

// A rootsConnection is what a message needs to ask its client.
type rootsConnection struct {
	roots   *ClientRoots
	request Requester
}

// With returns the context of a message of the connection.
func (r *ClientRoots) With(ctx context.Context, request Requester) context.Context {
	ctx = context.WithValue(ctx, clientRootsKey{}, rootsConnection{r, request})
	return WithRoots(ctx, func(ctx context.Context) []string { return r.paths(ctx, request) })
}

// followRoots has the server keep the roots of the connections that have them.
func followRoots(s *server.MCPServer, hooks *server.Hooks) {
	connection := func(ctx context.Context) (c rootsConnection) {
		c, _ = ctx.Value(clientRootsKey{}).(rootsConnection)
		return c
	}
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, request *mcp.InitializeRequest, _ *mcp.InitializeResult) {
		if c := connection(ctx); c.roots != nil {
			c.roots.begin(request.Params.Capabilities.Roots != nil)
		}
	})
	ask := func(ctx context.Context, _ mcp.JSONRPCNotification) {
		if c := connection(ctx); c.roots != nil {
			c.roots.ask(c.request)
		}
	}
	s.AddNotificationHandler("notifications/initialized", ask)
	s.AddNotificationHandler(mcp.MethodNotificationRootsListChanged, ask)
}

// begin starts anew with a handshake.
func (r *ClientRoots) begin(offered bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.offered, r.silent, r.asked = offered, false, nil
}

// ask asks the client, if it offers roots.
func (r *ClientRoots) ask(request Requester) *rootsAsk {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.askLocked(request)
}

func (r *ClientRoots) askLocked(request Requester) *rootsAsk {
	if !r.offered || request == nil {
		return nil
	}
	a := &rootsAsk{began: time.Now(), done: make(chan struct{})}
	r.asked = a
	answer := request(string(mcp.MethodListRoots), nil)
	go func() { // it ends with the connection
		defer close(a.done)
		result, ok := <-answer
		if !ok {
			r.log.Info("the client did not say which folders it has open; calls without a workspace go to the one where the server was started")
			return
		}
		r.mu.Lock()
		r.silent = false
		r.mu.Unlock()
		a.paths = r.read(result)
	}()
	return a
}

// paths returns the folders that the client has open, as it has last said.
func (r *ClientRoots) paths(ctx context.Context, request Requester) []string {
	if mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) { // which has no roots
		return nil
	}
	r.mu.Lock()
	a, silent := r.asked, r.silent
	if a == nil {
		a = r.askLocked(request)
	}
	r.mu.Unlock()
	if a == nil {
		return nil
	}
	if !silent {
		timer := time.NewTimer(time.Until(a.began.Add(r.patience)))
		defer timer.Stop()
		select {
		case <-a.done:
		case <-ctx.Done():
		case <-timer.C:
			r.giveUp(a)
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
func (r *ClientRoots) giveUp(a *rootsAsk) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked == a && !r.silent {
		r.silent = true
		r.log.Warn("the client has not said yet which folders it has open; until it does, calls without a workspace go to the one where the server was started", "waited", r.patience)
	}
}

// read returns the paths in an answer. Whatever is not a folder of this machine is left out.
func (r *ClientRoots) read(result json.RawMessage) (paths []string) {
	var list struct {
		Roots []json.RawMessage `json:"roots"`
	}
	if err := json.Unmarshal(result, &list); err != nil {
		r.log.Warn("the client's list of open folders is not understood and left out")
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
		r.log.Warn("some of the folders that the client has open are no file:// URIs of this machine and left out", "count", ignored)
	}
	return paths
}
