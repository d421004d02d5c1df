//go:build !windows

package main

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"issues-index/index/claims"
	"issues-index/store"
	"issues-index/store/storetest"
)

// The agents of the test: processes, and callers in each.
const (
	claimProcesses = 4
	claimCallers   = 3
)

// TestClaimsAgainstModel has twelve callers in four processes take work, finish some of it,
// give some back and forget about some, while processes are killed at random. No document
// has two holders at once, no finished one is handed out again, every grant has a larger
// fence than those known before it was asked for, and in the end all the work is done: what
// the dead and the forgetful held is handed out again once their leases have lapsed.
func TestClaimsAgainstModel(t *testing.T) {
	t.Parallel()
	operations, every := 40, 10
	if storetest.Long() {
		operations, every = 10_000, 150
	}
	const present = "issues-index"
	claimsAgainstModel(t, operations, every, [claimProcesses]string{present, present, present, present})
}

// claimsAgainstModel makes a number of claims with servers of some programs, and kills a server
// after every so many of them.
func claimsAgainstModel(t *testing.T, operations, every int, programs [claimProcesses]string) {
	documents := operations * 3 / 5
	root := t.TempDir()
	for i := range documents {
		plant(t, root, fmt.Sprintf("ISS-%06d", i+1))
	}
	w := &claimWorld{t: t, root: root, programs: programs, held: map[string]string{}, done: map[string]bool{}}
	for i := range w.agents {
		w.agents[i] = w.start(i)
	}
	var group sync.WaitGroup
	for i := range claimProcesses * claimCallers {
		random := rand.New(rand.NewPCG(20260310, uint64(i)))
		group.Go(func() {
			for more := true; more && !t.Failed(); {
				var n int
				n, more = w.work(i%claimProcesses, fmt.Sprint("caller-", i/claimProcesses), random)
				if n > 0 && n%every == 0 {
					w.kill(random.IntN(claimProcesses))
				}
				more = more && n < operations
			}
		})
	}
	group.Wait()
	claimed, killed, finished := w.claims, w.kills, len(w.done)
	for _, a := range w.agents {
		if logged := a.end(); strings.Contains(logged, "level=ERROR") {
			t.Error(logged)
		}
	}
	w.age("%") // whoever has something has forgotten it
	w.held = map[string]string{}
	w.agents[0] = w.start(0)
	for range documents {
		if !w.finishOne() {
			break
		}
	}
	w.agents[0].end()
	left := 0
	for id, doc := range readAll(t, root) {
		if doc.Status != "closed" {
			left++
			t.Logf("%s is %s, of %q, with the leases%s", doc.Path, doc.Status, doc.Assignee, w.leasesOf(id))
		}
	}
	if left > 0 {
		t.Errorf("%d of %d documents are lost", left, documents)
	}
	t.Logf("%d claims of %d documents, %d finished, %d kills, then %d more claims", claimed, documents, finished, killed, w.claims-claimed)
}

// A claimWorld is what the callers know together.
type claimWorld struct {
	t        *testing.T
	root     string
	programs [claimProcesses]string
	agents   [claimProcesses]*claimAgent

	mu     sync.Mutex
	held   map[string]string // holders of documents, as long as nobody else may have them
	done   map[string]bool
	fence  int64 // the largest that is known
	claims int
	kills  int

	killing sync.Mutex // of one server at a time: the next one has the session of the dead
}

// A claimAgent is a server, with the holders that it claims for.
type claimAgent struct {
	*agent
	session string // the part of its holders' names that no other server has
	dead    bool
	buried  chan struct{} // closed when another has taken its place
}

// start starts the server of a place.
func (w *claimWorld) start(process int) *claimAgent {
	return &claimAgent{agent: startAgentOf(w.t, w.programs[process], w.root), buried: make(chan struct{})}
}

// living is the server in a place, once there is one.
func (w *claimWorld) living(process int) *claimAgent {
	for {
		w.mu.Lock()
		a, dead := w.agents[process], w.agents[process].dead
		w.mu.Unlock()
		if !dead {
			return a
		}
		<-a.buried
	}
}

// work claims the next document and does something with it. It returns the number of the
// claim, 0 without one, and whether there may be more to do.
func (w *claimWorld) work(process int, caller string, random *rand.Rand) (n int, more bool) {
	a := w.living(process)
	id, more := w.next(a, caller)
	if id == "" {
		return 0, more
	}
	w.mu.Lock()
	n = w.claims
	switch dice := random.IntN(10); {
	case dice < 6: // another may have it from now on, or it is done
		delete(w.held, id)
		w.mu.Unlock()
		if w.call(a, "issues_mark_complete", map[string]any{"id": id}, nil) {
			w.mu.Lock()
			w.done[id] = true
			w.mu.Unlock()
		}
	case dice < 9:
		delete(w.held, id)
		w.mu.Unlock()
		w.call(a, "issues_claim", map[string]any{"operation": "release", "id": id, "agentId": caller}, nil)
	default:
		w.mu.Unlock()
	}
	return n, true
}

// next claims a document. There is none when the server died, or when no more are ready.
func (w *claimWorld) next(a *claimAgent, caller string) (id string, more bool) {
	w.mu.Lock()
	known := w.fence
	w.mu.Unlock()
	var got struct {
		ID, Holder string
		Fence      int64
	}
	if !w.call(a, "issues_claim", map[string]any{"operation": "next", "agentId": caller}, &got) {
		return "", true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.session == "" {
		a.session = strings.TrimSuffix(got.Holder, "/"+caller)
	}
	if a.dead || got.ID == "" {
		return "", a.dead
	}
	if other := w.held[got.ID]; other != "" {
		w.t.Errorf("%s went to %s while %s held it", got.ID, got.Holder, other)
	}
	if w.done[got.ID] {
		w.t.Errorf("%s went to %s when it was done", got.ID, got.Holder)
	}
	if got.Fence <= known {
		w.t.Errorf("%s has the fence %d, %d was known before", got.ID, got.Fence, known)
	}
	w.held[got.ID] = got.Holder
	w.fence = max(w.fence, got.Fence)
	w.claims++
	return got.ID, true
}

// call calls a tool, and reports whether it was done. A server that dies is no failure.
func (w *claimWorld) call(a *claimAgent, tool string, arguments map[string]any, into any) bool {
	answer, err := a.call(tool, arguments)
	for err == nil && answer.IsError && answer.Meta.Error.Code == "RESOURCE_LOCKED" { // nothing was changed
		answer, err = a.call(tool, arguments)
	}
	switch {
	case errors.Is(err, errDied):
		return false
	case err != nil:
		w.t.Error(err)
		return false
	case answer.IsError:
		w.t.Errorf("%s %v: %s", tool, arguments, answer.text())
		return false
	}
	if into != nil {
		if err := answer.decode(into); err != nil {
			w.t.Error(err)
			return false
		}
	}
	return true
}

// kill kills a server and starts another one in its place. The leases of the dead lapse.
func (w *claimWorld) kill(process int) {
	w.killing.Lock()
	defer w.killing.Unlock()
	w.mu.Lock()
	a := w.agents[process]
	if a.dead { // by another caller
		w.mu.Unlock()
		return
	}
	a.dead = true
	w.kills++
	for id, holder := range w.held {
		if a.session != "" && strings.HasPrefix(holder, a.session+"/") {
			delete(w.held, id)
		}
	}
	w.mu.Unlock()
	_ = a.process.Process.Kill() // SIGKILL
	a.end()
	if a.session != "" {
		w.age(a.session + "/%")
	}
	started := w.start(process)
	started.must(w.t, "issues_list", map[string]any{"claimedBy": "me"}, nil) // which chooses its session
	w.mu.Lock()
	defer w.mu.Unlock()
	w.agents[process] = started
	close(a.buried)
}

// age makes the leases of holders a day older.
func (w *claimWorld) age(holders string) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.root, filepath.FromSlash(claims.Path))+"?_pragma=busy_timeout(10000)")
	if err == nil {
		const day = 24 * 60 * 60 * 1000
		_, err = db.Exec(`UPDATE lease SET granted = granted - ?1, renewed = renewed - ?1, expires = expires - ?1 WHERE holder LIKE ?2`, day, holders)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		w.t.Error(err)
	}
}

// leasesOf are all leases of a document, whether they count or not.
func (w *claimWorld) leasesOf(id string) (all string) {
	ws, err := store.Open(store.Options{Root: w.root})
	if err != nil {
		return err.Error()
	}
	defer ws.Close()
	leases := claims.In(ws, claims.TeamOptions{})
	defer leases.Close()
	known, err := leases.All(w.t.Context())
	for _, one := range known {
		if one.ID == id {
			all += fmt.Sprintf("\n%+v", one)
		}
	}
	return fmt.Sprint(all, "\n", err)
}

// finishOne finishes the next document, and reports whether there was one.
func (w *claimWorld) finishOne() bool {
	id, _ := w.next(w.agents[0], "last")
	return id != "" && w.call(w.agents[0], "issues_mark_complete", map[string]any{"id": id}, nil)
}
