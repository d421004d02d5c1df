package publish

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store"
	"issues-index/store/mirror"
	"issues-index/store/storetest"
)

// modelChecks has a model checked with few histories, or with -long with hundreds.
func modelChecks(t *testing.T) {
	t.Helper()
	storetest.Checks(t, 3, 300)
}

// A clock stands still until a test moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)} }

// tb is what *testing.T and *rapid.T have in common.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// A site is one checkout of the workspace api, on one machine.
type site struct {
	tb
	root    string
	index   *index.Current
	machine *sharetest.Machine
	wire    *wire
	*Publisher
	loop *publishLoop
}

const issues = ".wrangler/issues/"

// databaseName is the file of what was published, in the cache folder.
var databaseName = path.Base(Path)

// newSite makes a checkout in a folder, or serves the one that is there.
func newSite(t tb, root string, engine *sharetest.Engine, now func() time.Time, mode index.Mode) *site {
	t.Helper()
	machine := engine.Connect()
	s := newSiteOn(t, root, machine, now, mode)
	s.machine = machine
	return s
}

// newSiteOn is newSite with a connection of any kind.
func newSiteOn(t tb, root string, team share.Team, now func() time.Time, mode index.Mode) *site {
	t.Helper()
	s := &site{tb: t, root: root}
	s.must(os.MkdirAll(filepath.Join(root, issues), 0o777))
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	s.must(err)
	s.index, err = index.Serve(context.Background(), ws, index.Options{Mode: mode, Deferred: true})
	s.must(err)
	s.wire = &wire{Team: team, tb: t}
	s.Publisher = New(Options{Team: s.wire, Index: s.index, Workspace: "api", Version: "1", Now: now})
	s.intervals = intervals{tick: 20 * time.Second, reconcile: time.Hour, retry: time.Millisecond, maxRetry: 10 * time.Millisecond, reopen: time.Millisecond, abandoned: usual.abandoned}
	return s
}

// end closes what is open.
func (s *site) end() {
	if s.loop != nil {
		s.loop.close()
		s.loop = nil
	}
	s.must(s.index.Close())
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) write(name, text string) {
	s.Helper()
	s.must(os.WriteFile(filepath.Join(s.root, issues, name), []byte(text), 0o666))
}

func (s *site) remove(name string) {
	s.Helper()
	s.must(os.Remove(filepath.Join(s.root, issues, name)))
}

// document is the text of a document.
func document(title string) string { return "---\ntitle: " + title + "\nstatus: open\n---\nText\n" }

// publish publishes what is to be published, in a loop that lives on.
func (s *site) publish() error {
	if s.loop == nil {
		opened, err := s.open(context.Background())
		if err != nil {
			return err
		}
		s.loop = opened
	}
	return s.loop.publish(context.Background())
}

// publishUntilKilled is publish by a process that may be killed on the way.
func (s *site) publishUntilKilled() (err error) {
	killed := true
	var done sync.WaitGroup
	done.Go(func() {
		defer func() {
			if killed && s.loop != nil { // nothing is written any more: the system frees the lock
				s.loop.close()
				s.loop = nil
			}
		}()
		err = s.publish()
		killed = false
	})
	done.Wait()
	return err
}

// files are the documents that are there, by path.
func (s *site) files() map[string]string {
	s.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(filepath.Join(s.root, issues))
	s.must(err)
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".md") {
			data, err := os.ReadFile(filepath.Join(s.root, issues, entry.Name()))
			s.must(err)
			all[issues+entry.Name()] = string(data)
		}
	}
	return all
}

// standing are the documents of a line that stand at the engine, by path, without the manifest.
func standing(t tb, engine *sharetest.Engine, line string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for batch, err := range engine.Connect().Follow(context.Background(), 0, share.BranchSelection{Workspaces: []string{"api"}, Branches: []string{line}}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(batch) == 0 {
			break
		}
		for _, v := range batch {
			if !v.Gone && v.Path != mirror.ManifestPath {
				all[v.Path] = string(v.Data)
			}
		}
	}
	return all
}

// expect compares what stands on a line with documents.
func expect(t tb, what string, got, want map[string]string) {
	t.Helper()
	for path, text := range want {
		if found, ok := got[path]; !ok || found != text {
			t.Errorf("%s: %s is %q at the engine, want %q", what, path, found, text)
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("%s: %s stands at the engine and has no file", what, path)
		}
	}
}

// A wire is a connection on which a test sees what is published, and kills the process.
type wire struct {
	share.Team
	tb

	mu       sync.Mutex
	versions []share.DocumentVersion // that were published
	heads    int                     // how often all of a line were read
	killAt   int                     // operations until the process is killed, 0 for never
	partly   int                     // versions of the last batch that are published before
	before   func()                  // is called once before the next versions are published
	again    bool                    // what stands already is meant to be published
	deaf     bool                    // the next acknowledgements are lost
}

// step counts an operation, and reports whether the process dies in it.
func (w *wire) step() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.killAt == 0 {
		return false
	}
	w.killAt--
	return w.killAt == 0
}

func (w *wire) Publish(ctx context.Context, versions []share.DocumentVersion) []share.Ack {
	w.mu.Lock()
	before := w.before
	w.before = nil
	w.mu.Unlock()
	if before != nil {
		before()
	}
	dies := w.step()
	if dies {
		versions = versions[:min(w.partly, len(versions))]
	}
	stands := map[string]share.DocumentVersion{}
	if len(versions) > 0 {
		line := versions[0].Branch
		for h, err := range w.Team.Heads(ctx, share.BranchSelection{Workspaces: []string{line.Workspace}, Branches: []string{line.Name}}) {
			if err == nil {
				stands[h.Path] = h
			}
		}
	}
	acks := w.Team.Publish(ctx, versions)
	for i, v := range versions {
		if acks[i].Err != nil {
			continue
		}
		if !v.Gone && !isMain(v.Branch.Name) && !w.signed(ctx, v.Branch.Name) {
			w.Errorf("%s of %s was published without a sign of life", v.Path, v.Branch)
		}
		if h, there := stands[v.Path]; !w.again && (v.Gone && (!there || h.Gone) || !v.Gone && there && !h.Gone && h.Hash == v.Hash) {
			w.Errorf("%s of %s was published in vain", v.Path, v.Branch)
		}
		if v.Hash != share.HashOf(v.Data) && !v.Gone {
			w.Errorf("%s goes with the hash of other bytes", v.Path)
		}
		w.mu.Lock()
		w.versions = append(w.versions, v)
		w.mu.Unlock()
	}
	if dies {
		runtime.Goexit()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range acks {
		if w.deaf {
			acks[i] = share.Ack{Err: share.ErrAway}
		}
	}
	w.deaf = false
	return acks
}

// signed reports whether the sign of life of a line stands.
func (w *wire) signed(ctx context.Context, line string) bool {
	l, err := w.Lease(ctx, "api", heartbeatKey(line))
	return err == nil && l.Nonce == heartbeatNonce
}

func (w *wire) Take(ctx context.Context, l share.TeamLease, lasts time.Duration) (share.TeamLease, error) {
	taken, err := w.Team.Take(ctx, l, lasts)
	if w.step() {
		runtime.Goexit()
	}
	return taken, err
}

func (w *wire) Heads(ctx context.Context, of share.BranchSelection) iter.Seq2[share.DocumentVersion, error] {
	if w.step() {
		runtime.Goexit()
	}
	w.mu.Lock()
	w.heads++
	w.mu.Unlock()
	return w.Team.Heads(ctx, of)
}

// published are the paths of what was published since the last call, without the manifest.
func (w *wire) published() (paths []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, v := range w.versions {
		if v.Path != mirror.ManifestPath {
			gone := ""
			if v.Gone {
				gone = " gone"
			}
			paths = append(paths, fmt.Sprintf("%s %s%s", v.Branch, strings.TrimPrefix(v.Path, issues), gone))
		}
	}
	w.versions = nil
	return paths
}

// newSiteIn is a site of its own for a test.
func newSiteIn(t *testing.T, engine *sharetest.Engine, now func() time.Time, mode index.Mode) *site {
	t.Helper()
	s := newSite(t, t.TempDir(), engine, now, mode)
	t.Cleanup(s.end)
	return s
}

// intrude has another machine publish a version of a document on the main line.
func intrude(t *testing.T, engine *sharetest.Engine, name string) {
	t.Helper()
	other := engine.Connect()
	var replaces uint64
	for h := range other.Heads(t.Context(), share.BranchSelection{}) {
		if h.Path == issues+name {
			replaces = h.Position
		}
	}
	v := share.DocumentVersion{Branch: mirror.Branch{Workspace: "api", Name: mirror.Main}, Path: issues + name, Data: []byte("theirs"), Origin: share.Origin{Epoch: "x", Rev: replaces}, Replaces: replaces}
	if acks := other.Publish(t.Context(), []share.DocumentVersion{v}); acks[0].Err != nil {
		t.Fatal(acks[0].Err)
	}
}

// farPast has the next round compare everything with the engine.
var farPast time.Time
