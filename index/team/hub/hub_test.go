package hub_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"issues-index/index/team/hub"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store/mirror"
)

var (
	api      = mirror.Branch{Workspace: "api", Name: mirror.Main}
	web      = mirror.Branch{Workspace: "web", Name: mirror.Main}
	branch   = mirror.Branch{Workspace: "api", Name: "mac-7k2q"}
	manifest = `{"format":1,"collections":[{"type":"issue","dir":"a"}],"layout":{}}`
	all      = share.BranchSelection{}
)

// patience is how long a test waits for what happens soon.
const patience = 2 * time.Minute

func ok(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// A publisher publishes on top of what stands.
type publisher struct {
	t    testing.TB
	team share.Team
	rev  uint64
}

func publish(t testing.TB, engine *sharetest.Engine) *publisher {
	return &publisher{t: t, team: engine.Connect()}
}

func (p *publisher) put(l mirror.Branch, path, text string) uint64 {
	p.t.Helper()
	return p.send(share.DocumentVersion{Branch: l, Path: path, Data: []byte(text)})
}

func (p *publisher) remove(l mirror.Branch, path string) uint64 {
	p.t.Helper()
	return p.send(share.DocumentVersion{Branch: l, Path: path, Gone: true})
}

func (p *publisher) send(v share.DocumentVersion) uint64 {
	p.t.Helper()
	p.rev++
	v.Origin, v.Hash = share.Origin{Epoch: "test", Rev: p.rev}, share.HashOf(v.Data)
	for head, err := range p.team.Heads(p.t.Context(), share.BranchSelection{Workspaces: []string{v.Branch.Workspace}}) {
		ok(p.t, err)
		if head.Branch == v.Branch && head.Path == v.Path {
			v.Replaces = head.Position
		}
	}
	ack := p.team.Publish(p.t.Context(), []share.DocumentVersion{v})[0]
	ok(p.t, ack.Err)
	return ack.Position
}

// published is the files that stand in the engine, by their paths in a mirror.
func (p *publisher) published(of share.BranchSelection) map[string]string {
	ctx, end := context.WithCancel(p.t.Context())
	defer end()
	files := map[string]string{}
	for batch, err := range p.team.Follow(ctx, 0, of) {
		ok(p.t, err)
		if len(batch) == 0 {
			break
		}
		for _, v := range batch {
			if !v.Gone {
				files[v.Branch.String()+"/"+v.Path] = string(v.Data)
			}
		}
	}
	return files
}

// A runningHub is a hub that runs until it is stopped.
type runningHub struct {
	*hub.Hub
	dir  string
	team *sharetest.Machine
	stop func()
}

func start(t testing.TB, dir string, team *sharetest.Machine, of share.BranchSelection) *runningHub {
	t.Helper()
	return startOn(t, dir, team, of)
}

// startOn is start with a connection of any kind.
func startOn(t testing.TB, dir string, team share.Team, of share.BranchSelection) *runningHub {
	t.Helper()
	return startWith(t, hub.Options{Team: team, Dir: dir, Of: of})
}

// startWith is startOn with any options.
func startWith(t testing.TB, o hub.Options) *runningHub {
	t.Helper()
	h, err := hub.New(o)
	ok(t, err)
	ctx, end := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := h.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	stop := sync.OnceFunc(func() {
		end()
		running.Wait()
		ok(t, h.Close())
	})
	t.Cleanup(stop)
	machine, _ := o.Team.(*sharetest.Machine) // nil for another kind
	return &runningHub{Hub: h, dir: o.Dir, team: machine, stop: stop}
}

func (h *runningHub) await(t testing.TB, position uint64) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), patience)
	defer end()
	ok(t, h.Wait(ctx, position))
}

// until waits for a condition.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s does not happen", what)
		}
	}
}

// mirrored is the files of the lines of a mirror.
func mirrored(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	ok(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasPrefix(path, ".wrangler/") {
			var data []byte
			if data, err = os.ReadFile(filepath.Join(dir, path)); err == nil {
				files[path] = string(data)
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // a hub has removed it meanwhile
			return nil
		}
		return err
	}))
	return files
}

func same(t testing.TB, dir string, want map[string]string) {
	t.Helper()
	if got := mirrored(t, dir); !maps.Equal(got, want) {
		t.Errorf("the mirror has %q, want %q", got, want)
	}
}

func TestHubsShowWhatIsPublished(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	p := publish(t, engine)
	p.put(api, mirror.ManifestPath, manifest)
	p.put(api, "a/x.md", "before the hub")
	h := start(t, t.TempDir(), engine.Connect(), all)
	h.filled(t)
	same(t, h.dir, p.published(all))
	p.put(web, "a/y.md", "a manifest comes later")
	p.put(api, "a/x.md", "again")
	h.await(t, p.put(branch, "a/x.md", "on a branch"))
	same(t, h.dir, p.published(all))
	p.remove(api, "a/x.md")
	h.await(t, p.put(web, mirror.ManifestPath, manifest))
	same(t, h.dir, p.published(all))
	until(t, "catching up", func() bool { s := h.Status(); return s.Following && s.Behind == 0 && len(s.Branches) == 0 })
}

func TestHubsHoldTheLinesThatTheyAreFor(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	p := publish(t, engine)
	dir := t.TempDir()
	every := start(t, dir, engine.Connect(), all)
	p.put(branch, "a/x.md", "branch")
	p.put(web, "a/x.md", "web")
	every.await(t, p.put(api, "a/x.md", "api"))
	every.stop()
	only := share.BranchSelection{Workspaces: []string{"api"}, Branches: []string{mirror.Main}}
	h := start(t, dir, engine.Connect(), only)
	verified(t, h)
	same(t, dir, map[string]string{"api/a/x.md": "api"})
	p.put(web, "a/y.md", "web")
	h.await(t, p.put(api, "a/y.md", "api"))
	same(t, dir, p.published(only))
}

// verified has the hub verify its files, as it does after the engine was away.
func verified(t testing.TB, h *runningHub) hub.Verified {
	t.Helper()
	until(t, "the first verification", func() bool { return !h.Status().Verified.At.IsZero() })
	before := h.Status().Verified.At
	tries := 0
	until(t, "a verification", func() bool {
		if tries%200 == 0 { // a cut between two questions of the hub is not noticed
			h.team.Cut()
			h.team.Mend()
		}
		tries++
		return h.Status().Verified.At.After(before)
	})
	return h.Status().Verified
}

// filled waits until the mirror has had everything.
func (h *runningHub) filled(t testing.TB) {
	t.Helper()
	until(t, "filling", func() bool { return !h.Status().AsOf.IsZero() })
}

func TestUnusableVersionsAreNamedAndStopNothing(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	p := publish(t, engine)
	h := start(t, t.TempDir(), engine.Connect(), all)
	h.filled(t)
	p.put(api, mirror.ManifestPath, manifest)
	for _, path := range []string{"../x.md", ".wrangler/config.yaml", "a/.git/x.md", "a/" + strings.Repeat("x", 300) + ".md"} {
		p.put(api, path, "x")
	}
	p.put(web, mirror.ManifestPath, "{}")
	h.await(t, p.put(api, "elsewhere/x.md", "x"))
	h.await(t, p.put(api, "a/x.md", "x"))
	check := func(when string) {
		s := h.Status()
		if len(s.Branches) != 2 || len(s.Branches[0].Unused) != 5 || len(s.Branches[1].Unused) != 1 {
			t.Errorf("%s: %+v", when, s.Branches)
		}
		if data, err := os.ReadFile(filepath.Join(h.dir, "api/a/x.md")); err != nil || string(data) != "x" {
			t.Errorf("%s: what comes after them: %q, %v", when, data, err)
		}
	}
	check("as they came")
	verified(t, h)
	check("verified")
	h.await(t, p.remove(api, "../x.md")) // another fault, of the same document
	p.put(web, mirror.ManifestPath, manifest)
	h.await(t, p.remove(api, "elsewhere/x.md"))
	if s := h.Status(); len(s.Branches) != 1 || len(s.Branches[0].Unused) != 4 {
		t.Errorf("mended: %+v", s.Branches)
	}
}

func TestOneProcessKeepsAMirrorAndOthersLook(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	p := publish(t, engine)
	dir := t.TempDir()
	first := start(t, dir, engine.Connect(), all)
	first.filled(t)
	second := start(t, dir, engine.Connect(), all)
	position := p.put(api, "a/x.md", "x")
	second.await(t, position)
	same(t, dir, p.published(all))
	if second.Status().Following {
		t.Error("two keep the mirror")
	}
	first.stop()
	until(t, "taking over", func() bool { return second.Status().Following })
	second.await(t, p.put(api, "a/x.md", "y"))
	same(t, dir, p.published(all))
}

func TestHubsVerifyAfterTheEngineWasAway(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	p := publish(t, engine)
	h := start(t, t.TempDir(), engine.Connect(), all)
	for i := range 10 {
		h.await(t, p.put(api, "a/"+string(rune('a'+i))+".md", "old"))
	}
	h.team.Cut()
	until(t, "noticing", func() bool { s := h.Status(); return !s.Connection.Connected && s.Failure != nil })
	engine.Restore(4)
	for range 6 { // the positions that the hub knows already
		p.put(api, "a/x.md", "new")
	}
	h.team.Mend()
	until(t, "the repair", func() bool { return maps.Equal(mirrored(t, h.dir), p.published(all)) })
	p.put(api, "a/y.md", "on")
	until(t, "going on", func() bool { return maps.Equal(mirrored(t, h.dir), p.published(all)) })
}

func TestVerifyRepairsAndReports(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	p := publish(t, engine)
	h := start(t, t.TempDir(), engine.Connect(), all)
	p.put(api, mirror.ManifestPath, manifest)
	for _, name := range []string{"a", "b", "c"} {
		h.await(t, p.put(api, "a/"+name+".md", name))
	}
	if found := verified(t, h); found.Missed+found.Extra > 0 || found.Documents != 4 {
		t.Errorf("found in a sound mirror: %+v", found)
	}
	at := func(path string) string { return filepath.Join(h.dir, "api", path) }
	ok(t, os.Remove(at("a/a.md")), os.WriteFile(at("a/b.md"), nil, 0o600), os.WriteFile(at("a/d.md"), nil, 0o600), os.MkdirAll(at("../other/a"), 0o700), os.WriteFile(at("../other/a/x.md"), nil, 0o600))
	found := verified(t, h)
	if found.Missed != 2 || found.Extra != 2 || found.IsSetBack {
		t.Errorf("found: %+v", found)
	}
	same(t, h.dir, p.published(all))
	ok(t, os.RemoveAll(at("")))
	verified(t, h)
	same(t, h.dir, p.published(all))
}

func TestHubsTellWhenABranchWasHeard(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	p := publish(t, engine)
	ok(t, p.team.Announce(t.Context(), share.Presence{Branch: api, Machine: "mac"}))
	h := start(t, t.TempDir(), engine.Connect(), all)
	until(t, "hearing", func() bool {
		all := h.Status().Branches
		return !h.Heard(api).IsZero() && len(all) == 1 && all[0].Branch == api
	})
}
