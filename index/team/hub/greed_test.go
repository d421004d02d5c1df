package hub_test

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	natsgo "github.com/nats-io/nats.go"

	"issues-index/index/team/hub"
	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store/mirror"
)

// A watchedTeam tells of what a hub asks for.
type watchedTeam struct {
	share.Team
	follows func()                              // before each Follow, nil for nothing
	batch   func(batch []share.DocumentVersion) // with each batch, before it is used, nil for nothing
}

func (w *watchedTeam) Follow(ctx context.Context, after uint64, of share.BranchSelection) iter.Seq2[[]share.DocumentVersion, error] {
	if w.follows != nil {
		w.follows()
	}
	return func(yield func([]share.DocumentVersion, error) bool) {
		for batch, err := range w.Team.Follow(ctx, after, of) {
			if w.batch != nil {
				w.batch(batch)
			}
			if !yield(batch, err) {
				return
			}
		}
	}
}

// stored is how many bytes the files of a workspace have in a mirror, each counted with at least a
// block of the disk.
func stored(t testing.TB, dir, workspace string) (bytes int64) {
	t.Helper()
	ok(t, fs.WalkDir(os.DirFS(dir), workspace, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			bytes += max(info.Size(), 4<<10)
		}
		return err
	}))
	return bytes
}

// Few bytes become gigabytes when they are unpacked. A hub holds some of them at once, when it
// starts and when it follows, and writes all of them.
func TestAHubHoldsFewDocumentsAtOnce(t *testing.T) {
	const documents, size, most = 8, 15 << 20, 96 << 20
	cluster := natstest.Start(t, 1)
	p := &publisher{t: t, team: cluster.Connect(natstest.API)}
	text := strings.Repeat("\n", size)
	put := func(name string) (last uint64) {
		for i := range documents {
			last = p.put(api, fmt.Sprintf("a/%s-%d.md", name, i), text)
		}
		return last
	}
	before := heap()
	held := uint64(0)
	team := &watchedTeam{Team: cluster.Connect(natstest.Hub), batch: func(batch []share.DocumentVersion) {
		if len(batch) > 0 {
			held = max(held, heap()-min(before, heap()))
		}
	}}
	last := put("before")
	h := startOn(t, t.TempDir(), team, all)
	h.await(t, last)
	h.await(t, put("after"))
	h.stop()
	if got := stored(t, h.dir, "api"); got != 2*documents*size {
		t.Errorf("%d bytes are in the mirror", got)
	}
	if held > most {
		t.Errorf("%d MiB were held at once, more than %d", held>>20, most>>20)
	}
	t.Logf("at most %d MiB were held", held>>20)
}

// heap is how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// What a workspace may have on the disk of a hub has a bound, whatever it publishes: large
// documents, or very many small ones. The hub says so of its line, and has all of the others.
func TestAWorkspaceFillsNoHub(t *testing.T) {
	const most = 256 << 10
	for name, text := range map[string]string{"large documents": strings.Repeat("x", 50<<10), "small documents": "x", "empty documents": ""} {
		t.Run(name, func(t *testing.T) {
			engine := sharetest.NewEngine(nil)
			p := publish(t, engine)
			o := hub.Options{Team: engine.Connect(), Dir: t.TempDir(), Of: all, MostBytes: most}
			check := func(when string, h *runningHub) {
				t.Helper()
				if got := stored(t, h.dir, "api"); got > most || got < most/4 {
					t.Errorf("%s: %d bytes are kept of it, and may be %d", when, got, most)
				}
				lines := h.Status().Branches
				if h.Status().Failure != nil || len(lines) != 1 || lines[0].Branch != api || !strings.Contains(lines[0].Unused[0].Reason, "256 KiB together") {
					t.Errorf("%s: %+v", when, lines)
				}
				if got := mirrored(t, h.dir)["web/a/x.md"]; got != "web" {
					t.Errorf("%s: the other workspace has %q", when, got)
				}
			}
			for _, l := range []mirror.Branch{api, web} {
				p.put(l, mirror.ManifestPath, manifest)
			}
			for i := range 50 {
				p.put(api, fmt.Sprintf("a/%d.md", i), text)
			}
			last := p.put(web, "a/x.md", "web")
			h := startWith(t, o)
			h.await(t, last)
			check("when it starts", h)
			for i := range 50 {
				p.put(api, fmt.Sprintf("a/%d.md", 50+i), text)
			}
			h.await(t, p.put(web, "a/y.md", "web"))
			check("when it follows", h)
			verified(t, h)
			check("verified", h)
			p.put(api, "a/0.md", text+"y")
			for i := range 97 {
				p.remove(api, fmt.Sprintf("a/%d.md", 3+i))
			}
			h.await(t, p.put(api, "a/again.md", "again"))
			verified(t, h)
			same(t, h.dir, p.published(all))
			if lines := h.Status().Branches; len(lines) != 0 {
				t.Errorf("with room again: %+v", lines)
			}
		})
	}
}

// A message that comes in the place of a document between two looks of a hub, of no version or of a
// newer one, stops it neither at its start nor later.
func TestWhatIsReplacedWhileAHubVerifiesStopsNothing(t *testing.T) {
	cluster := natstest.Start(t, 1)
	ofAPI, ofWeb := &publisher{t: t, team: cluster.Connect(natstest.API)}, &publisher{t: t, team: cluster.Connect(natstest.Web)}
	ofAPI.put(api, mirror.ManifestPath, manifest)
	for _, name := range []string{"junk", "body", "gone", "newer"} {
		ofAPI.put(api, "a/"+name+".md", "old")
	}
	ofWeb.put(web, "a/x.md", "web")
	replace := func() {
		for name, body := range map[string][]byte{"junk": []byte("junk"), "body": nil} {
			v := share.DocumentVersion{Branch: api, Path: "a/" + name + ".md", Origin: share.Origin{Epoch: "e", Rev: 1}, Hash: share.HashOf([]byte("text"))}
			for head, err := range ofAPI.team.Heads(t.Context(), share.BranchSelection{Workspaces: []string{"api"}}) {
				ok(t, err)
				if head.Path == v.Path {
					v.Replaces = head.Position
				}
			}
			m := &natsgo.Msg{Subject: share.DocumentSubject(v.Branch, v.Path), Data: body}
			if body == nil {
				m.Header, m.Data = natsgo.Header(v.Header()), []byte("no body")
			}
			cluster.Send(natstest.API, m)
		}
		ofAPI.remove(api, "a/gone.md")
		ofAPI.put(api, "a/newer.md", "newer")
	}
	replaced := make(chan struct{})
	follows := sync.OnceFunc(func() {
		replace()
		close(replaced)
	})
	h := startOn(t, t.TempDir(), &watchedTeam{Team: cluster.Connect(natstest.Hub), follows: follows}, all)
	<-replaced
	h.await(t, ofWeb.put(web, "a/y.md", "web"))
	same(t, h.dir, map[string]string{"api/" + mirror.ManifestPath: manifest, "api/a/newer.md": "newer", "web/a/x.md": "web", "web/a/y.md": "web"})
	lines := h.Status().Branches
	if len(lines) != 1 || lines[0].Branch != api || len(lines[0].Unused) != 2 {
		t.Errorf("%+v", lines)
	}
}

// A deafTeam has no presences before it is told to listen.
type deafTeam struct {
	share.Team
	listen chan struct{}
}

func (d *deafTeam) Presences(ctx context.Context) ([]share.Presence, error) {
	<-d.listen
	return d.Team.Presences(ctx)
}

// What cannot be used of very many lines takes no places of machines that are heard later.
func TestJunkOnManyLinesHidesNoMachine(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	p := publish(t, engine)
	var last uint64
	for i := range 500 {
		p.rev++
		v := share.DocumentVersion{Branch: mirror.Branch{Workspace: "api", Name: fmt.Sprint("line-", i)}, Path: "../x.md", Data: []byte("x"), Origin: share.Origin{Epoch: "test", Rev: p.rev}, Hash: share.HashOf([]byte("x"))}
		ack := p.team.Publish(t.Context(), []share.DocumentVersion{v})[0]
		ok(t, ack.Err)
		last = ack.Position
	}
	team := &deafTeam{engine.Connect(), make(chan struct{})}
	h := startOn(t, t.TempDir(), team, all)
	h.await(t, last)
	ok(t, p.team.Announce(t.Context(), share.Presence{Branch: api, Machine: "mac"}))
	close(team.listen)
	until(t, "the machine is heard", func() bool { return !h.Heard(api).IsZero() })
}
