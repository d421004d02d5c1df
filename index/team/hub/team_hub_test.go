package hub_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"issues-index/index"
	"issues-index/index/team/hub"
	"issues-index/index/team/nats"
	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/store"
	"issues-index/store/mirror"
)

// A simHub is a hub of the simulated team with an index of its own.
type simHub struct {
	*simulation
	number int
	dir    string
	of     share.BranchSelection
	wires  *wires

	hub     *hub.Hub
	team    *nats.TeamConnection
	current *index.Current
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func newSimHub(s *simulation, number int, of share.BranchSelection) *simHub {
	return &simHub{simulation: s, number: number, dir: s.TempDir(), of: of, wires: s.newWires()}
}

// indexPath is where the hub's index lies: where the checks find it.
func (h *simHub) indexPath() string { return filepath.Join(h.dir, mirror.CacheDir, "issues.db") }

func (h *simHub) open() *store.Workspace {
	ws, err := store.Open(store.Options{Root: h.dir, Getenv: func(string) string { return "" }})
	ok(h, err)
	return ws
}

// start starts the hub from its files.
func (h *simHub) start() {
	ctx, cancel := context.WithCancel(context.Background())
	h.cancel = cancel
	var err error
	options := h.cluster.Options(natstest.Hub)
	h.team, err = nats.Connect(ctx, h.wires.options(fmt.Sprint("hub", h.number), options.Credentials))
	ok(h, err, mirror.Make(h.dir))
	h.current, err = index.Serve(ctx, h.open(), index.Options{Path: h.indexPath()})
	ok(h, err)
	h.hub, err = hub.New(hub.Options{Team: h.team, Dir: h.dir, Of: h.of})
	ok(h, err)
	h.hub.UseIndex(h.current)
	h.running.Go(func() {
		if err := h.hub.Run(ctx); err != nil {
			h.Errorf("hub %d: %v", h.number, err)
		}
	})
}

func (h *simHub) stop() {
	h.cancel()
	err := h.team.Close()
	h.running.Wait()
	ok(h, err, h.hub.Close(), h.current.Close())
}

// kill ends the hub, perhaps before it has kept how far it has come, or between two files.
func (h *simHub) kill(random *rand.Rand) {
	state := filepath.Join(h.dir, mirror.CacheDir, "hub.json")
	before, err := os.ReadFile(state)
	cut := h.wires.cut
	h.wires.disconnect(false)
	h.stop()
	switch random.IntN(3) {
	case 0:
		if err == nil {
			ok(h, os.WriteFile(state, before, 0o600))
		}
	case 1:
		for path := range mirrored(h, h.dir) {
			ok(h, os.Remove(filepath.Join(h.dir, path)))
			break
		}
	}
	if !cut {
		h.wires.mend(true)
	}
}
