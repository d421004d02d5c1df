//go:build !windows

package main

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"issues-index/store/storetest"
)

const (
	loadShared = 100 // documents that all clients change
	loadPool   = 40  // documents that all clients claim
)

// maxGrowth is how much more memory the server may have in use after the second half of the
// load than after the first, in KiB. The documents grow meanwhile.
const maxGrowth = 48 << 10

// TestLoadOverHTTP has many clients of one server read, write and claim documents over HTTP,
// half of them in revision 2026-07-28, while each also changes a file behind the server's back.
// Every answer is a success, a conflict that the tools know, or a 429 that says when to come
// again. In the end the files are what was acknowledged, no id was given out twice, no document
// had two holders, and the server has not grown.
func TestLoadOverHTTP(t *testing.T) {
	clients, calls, withTokens := 12, 120, 60
	if storetest.Long() {
		clients, calls, withTokens = 200, 50_000, 5_000
	}
	t.Run("without tokens", func(t *testing.T) { holdsUnderLoad(t, make([]string, clients), calls) })
	t.Run("each with a token of its own", func(t *testing.T) {
		newTokenFile(t)
		tokens := make([]string, clients)
		for i := range tokens {
			tokens[i] = newToken(t, fmt.Sprint("client-", i), "--scopes", "read,write,delete")
		}
		holdsUnderLoad(t, tokens, withTokens)
	})
}

// holdsUnderLoad has one client for each token make its part of so many calls. A token that is "" is none.
func holdsUnderLoad(t *testing.T, tokens []string, calls int) {
	t.Helper()
	l := newLoad(t, tokens)
	growth := make([]int, 0, 2)
	for half := range 2 {
		began := time.Now()
		l.run(int64(calls * (half + 1) / 2))
		growth = append(growth, residentKiB(l.served.process.Process.Pid))
		t.Logf("half %d: %d calls in all, %.0f a second, %d KiB in use", half+1, l.made.Load(), float64(calls)/2/time.Since(began).Seconds(), growth[half])
		if t.Failed() {
			return
		}
	}
	if growth[1]-growth[0] > maxGrowth {
		t.Errorf("the second half of the load took %d KiB", growth[1]-growth[0])
	}
	refused := int64(0)
	for _, a := range l.agents {
		refused += a.refused.Load()
	}
	t.Logf("%d clients, %d times without a place, %d claims", len(tokens), refused, l.claims.Load())
	for _, kind := range slices.Sorted(maps.Keys(l.times)) {
		took := slices.Sorted(slices.Values(l.times[kind]))
		t.Logf("%-12s %6d, p50 %v, p99 %v", kind, len(took), took[len(took)/2].Round(time.Microsecond), took[len(took)*99/100].Round(time.Microsecond))
	}

	documents := settle(t, l.root, l.planted, l.models())
	var list struct{ TotalCount int }
	mustCall(t, l.agents[0], "issues_list", map[string]any{"limit": 1}, &list)
	if list.TotalCount != len(documents) {
		t.Errorf("the server lists %d documents, there are %d", list.TotalCount, len(documents))
	}
	for _, u := range l.users {
		if doc := documents[u.outside]; !strings.Contains(doc.Body, u.written) {
			t.Errorf("%s had %q written from outside, and has %s", u.outside, u.written, doc.Body)
		}
	}
	for id, holder := range l.held {
		t.Errorf("%s is held by %s still", id, holder)
	}
	l.served.end(t)
	if said, err := exec.CommandContext(t.Context(), "issues-index", "check", "--workspace", l.root).CombinedOutput(); err != nil {
		t.Errorf("check: %v\n%s", err, said)
	}
}

// A httpLoad is a server with many clients.
type httpLoad struct {
	t       *testing.T
	root    string
	planted []string
	served  *servedHTTP
	agents  []*httpAgent
	users   []*loadUser
	made    atomic.Int64 // calls
	claims  atomic.Int64

	mu    sync.Mutex
	held  map[string]string          // who holds a document, by what was acknowledged
	times map[string][]time.Duration // by kind of call
}

// A loadUser is a user who reads and claims too, and changes a file by hand.
type loadUser struct {
	*user
	outside string // the id of a document that only this user changes, and only by hand
	written string // in that document
}

func newLoad(t *testing.T, tokens []string) *httpLoad {
	t.Helper()
	l := &httpLoad{t: t, root: t.TempDir(), held: map[string]string{}, times: map[string][]time.Duration{}}
	next := func() string {
		l.planted = append(l.planted, fmt.Sprintf("ISS-%06d", len(l.planted)+1))
		plant(t, l.root, l.planted[len(l.planted)-1])
		return l.planted[len(l.planted)-1]
	}
	for range loadShared {
		next()
	}
	shared := slices.Clone(l.planted)
	for range loadPool {
		writeByHand(t, l.root, next(), "project: pool\n", "")
	}
	for range tokens {
		l.users = append(l.users, &loadUser{outside: next()})
	}
	l.served = serveOverHTTP(t, l.root)
	callers := make([]toolCaller, len(tokens))
	for i, u := range l.users {
		a := l.served.modernAgent(fmt.Sprint("client-", i), tokens[i])
		if i%2 == 0 {
			a = l.served.agent(t, fmt.Sprint("client-", i), tokens[i])
		}
		a.spent = l.note
		l.agents, callers[i] = append(l.agents, a), a
		u.user = &user{t: t, number: i, agents: callers, shared: shared, random: rand.New(rand.NewPCG(20261123, uint64(i))), model: newModel()}
	}
	return l
}

// note counts a call that was answered.
func (l *httpLoad) note(tool string, took time.Duration) {
	kind := "write"
	switch tool {
	case "issues_get", "issues_list", "issues_search", "issues_stats":
		kind = strings.TrimPrefix(tool, "issues_")
	case "issues_claim":
		kind = "claim"
	}
	l.made.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times[kind] = append(l.times[kind], took)
}

func (l *httpLoad) models() []*user {
	all := make([]*user, 0, len(l.users))
	for _, u := range l.users {
		all = append(all, u.user)
	}
	return all
}

// run has all clients at work until so many calls were made.
func (l *httpLoad) run(until int64) {
	var group sync.WaitGroup
	for _, u := range l.users {
		group.Go(func() {
			for n := l.made.Load(); n < until && !l.t.Failed(); n = l.made.Load() {
				u.work(l, int(n))
			}
		})
	}
	group.Wait()
}

// work does one thing. n makes what is written differ from what was before.
func (u *loadUser) work(l *httpLoad, n int) {
	switch dice := u.random.IntN(100); {
	case dice < 15:
		mustCall(u.t, u.agent(), "issues_list", map[string]any{"limit": 20, "status": []string{"open"}}, nil)
	case dice < 25:
		mustCall(u.t, u.agent(), "issues_search", map[string]any{"query": fmt.Sprint("shared u", u.random.IntN(len(l.users)))}, nil)
	case dice < 30:
		mustCall(u.t, u.agent(), "issues_stats", map[string]any{"groupBy": "status"}, nil)
	case dice < 45:
		mustCall(u.t, u.agent(), "issues_get", map[string]any{"id": l.planted[u.random.IntN(len(l.planted))]}, nil)
	case dice < 85:
		u.operate(n)
	case dice < 93:
		u.claim(l)
	default:
		u.written = fmt.Sprintf("Written by hand: %d-%d.", u.number, n)
		writeByHand(u.t, l.root, u.outside, "", u.written)
		if text := mustCall(u.t, u.agent(), "issues_get", map[string]any{"id": u.outside}, nil); !strings.Contains(text, u.written) {
			u.t.Errorf("the file of %s has %q, and the server shows %s", u.outside, u.written, text)
		}
	}
}

// claim takes a document of the pool, if there is one, and gives it back.
func (u *loadUser) claim(l *httpLoad) {
	var taken struct{ ID, Holder string }
	mustCall(u.t, u.agent(), "issues_claim", map[string]any{"operation": "next", "filters": map[string]any{"project": "pool"}}, &taken)
	if taken.ID == "" {
		return
	}
	l.claims.Add(1)
	l.mu.Lock()
	if other := l.held[taken.ID]; other != "" {
		u.t.Errorf("%s was given to %s while %s held it", taken.ID, taken.Holder, other)
	}
	l.held[taken.ID] = taken.Holder
	l.mu.Unlock()
	mustCall(u.t, u.agent(), "issues_get", map[string]any{"id": taken.ID}, nil)
	l.mu.Lock()
	delete(l.held, taken.ID)
	l.mu.Unlock()
	mustCall(u.t, u.agent(), "issues_claim", map[string]any{"operation": "release", "id": taken.ID, "reason": "for others"}, nil)
}

// writeByHand writes a document's file as an editor does: a new file takes the place of the
// old one.
func writeByHand(t *testing.T, root, id, keys, text string) {
	t.Helper()
	name := filepath.Join(root, ".wrangler", "issues", id+"-shared.md")
	content := fmt.Sprintf("---\nid: %s\ntitle: Shared %s\nstatus: open\n%s---\n%s\n", id, id, keys, text)
	if err := errors.Join(os.WriteFile(name+"~", []byte(content), 0o644), os.Rename(name+"~", name)); err != nil {
		t.Error(err)
	}
}

// residentKiB returns how much memory a process has in use, 0 where the system has no /proc.
func residentKiB(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	found := residentSize.FindSubmatch(status)
	kib, _ := strconv.Atoi(string(found[1]))
	return kib
}

var residentSize = regexp.MustCompile(`(?m)^VmRSS:\s*(\d+) kB$`)
