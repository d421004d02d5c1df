package hub_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store/mirror"
	"issues-index/store/storetest"
)

// A modelHub is a hub that is started and killed.
type modelHub struct {
	dir     string
	of      share.BranchSelection
	team    *sharetest.Machine
	running *runningHub
	state   []byte // how far it had come at some time
}

func (m *modelHub) statePath() string {
	return filepath.Join(m.dir, mirror.CacheDir, "hub.json")
}

// kill ends the hub as kill -9 does between the files and the position, or between two files:
// what it knew of how far it had come may be old, and files may lack.
func (m *modelHub) kill(t testing.TB, r *rapid.T) {
	m.running.stop()
	switch rapid.IntRange(0, 3).Draw(r, "killed") {
	case 0:
		if m.state != nil {
			ok(t, os.WriteFile(m.statePath(), m.state, 0o600))
		}
	case 1:
		ok(t, os.WriteFile(filepath.Join(m.dir, mirror.CacheDir, "mirror.tmp"), []byte("half"), 0o600))
		for path := range mirrored(t, m.dir) {
			ok(t, os.Remove(filepath.Join(m.dir, path)))
			break
		}
	case 2:
		ok(t, os.WriteFile(m.statePath(), nil, 0o600)) // after a power cut
		for path := range mirrored(t, m.dir) {
			ok(t, os.WriteFile(filepath.Join(m.dir, path), nil, 0o600))
		}
	}
	m.state, _ = os.ReadFile(m.statePath())
}

// Whatever happens to hubs and to the engine, in the end each hub has the newest version of
// every document that it is for, and nothing else.
func TestHubsComeToHaveTheNewestVersions(t *testing.T) {
	storetest.Checks(t, 15, 1000)
	lines := []mirror.Branch{api, web, branch}
	rapid.Check(t, func(r *rapid.T) {
		engine := sharetest.NewEngine(nil)
		p := publish(t, engine)
		hubs := []*modelHub{{of: all}, {of: share.BranchSelection{Branches: []string{mirror.Main}}}}
		for _, m := range hubs {
			dir, err := os.MkdirTemp(t.TempDir(), "")
			ok(t, err)
			m.dir, m.team = dir, engine.Connect()
			m.running = start(t, m.dir, m.team, m.of)
		}
		restored := false
		drawHub := func() *modelHub { return hubs[rapid.IntRange(0, len(hubs)-1).Draw(r, "hub")] }
		settle := func(when string) {
			for _, m := range hubs {
				m.team.Mend()
				position := p.put(api, "a/last.md", when)
				if m.running.await(t, position); restored { // it may have known such a position before
					verified(t, m.running)
				}
				want := p.published(m.of)
				if got := mirrored(t, m.dir); !maps.Equal(got, want) {
					r.Fatalf("%s: the mirror has %q, want %q", when, got, want)
				}
			}
			restored = false
		}
		for i := range rapid.IntRange(1, 25).Draw(r, "steps") {
			line := rapid.SampledFrom(lines).Draw(r, "line")
			path := rapid.SampledFrom([]string{"a/x.md", "a/y.md", "a/b/z.md", mirror.ManifestPath}).Draw(r, "path")
			switch step := rapid.IntRange(0, 19).Draw(r, "step"); {
			case step == 0:
				settle(fmt.Sprint("step ", i))
			case step <= 2:
				drawHub().team.Cut()
			case step <= 4:
				drawHub().team.Mend()
			case step <= 7:
				m := drawHub()
				m.kill(t, r)
				m.running = start(t, m.dir, m.team, m.of)
			case step == 8: // hubs lose their connections where the engine is restored
				state, err := p.team.LogState(t.Context())
				ok(t, err)
				for _, m := range hubs {
					m.team.Cut()
				}
				engine.Restore(uint64(rapid.IntRange(0, int(state.Last)).Draw(r, "restored to")))
				restored = true
			case step <= 12:
				p.remove(line, path)
			case path == mirror.ManifestPath:
				p.put(line, path, fmt.Sprintf(`{"format":1,"collections":[{"type":"issue","dir":"a%d"}],"layout":{}}`, i%3))
			default:
				p.put(line, path, fmt.Sprint(i))
			}
		}
		settle("at the end")
		for _, m := range hubs {
			m.running.stop()
		}
	})
}
