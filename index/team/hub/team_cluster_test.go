package hub_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"issues-index/index/team/nats"
	"issues-index/index/team/natstest"
)

// teamPatience is how long a test waits for what a team comes to: a line is free a minute after
// the machine that published it was killed, and others look for it every 20 seconds.
const teamPatience = 3 * time.Minute

// startCluster starts the cluster, with a user for each workspace.
func (s *simulation) startCluster() {
	s.cluster = natstest.New(s.T, s.size.nodes)
	for i := range s.size.workspaces {
		name := workspaceName(i)
		seed, public, err := nats.NewKey()
		ok(s, err, os.WriteFile(s.key(name), seed, 0o600),
			s.cluster.Plan.Add(nats.ClusterUser{Name: name, Public: public, Role: nats.RoleWorkspaces, Workspaces: []string{name}}))
	}
	for i := range s.size.nodes {
		s.cluster.Restart(i)
	}
	s.cluster.WaitReady()
	admin := s.cluster.Connect(natstest.Administrator)
	ok(s, admin.Init(s.Context(), s.size.nodes))
}

func (s *simulation) key(user string) string { return filepath.Join(s.keys, user+".nk") }

// wires are the ways from one machine to all nodes.
type wires struct {
	proxies []*natstest.Proxy
	timeout time.Duration
	cut     bool
}

func (s *simulation) newWires() *wires {
	w := &wires{timeout: s.size.timeout}
	for _, node := range s.cluster.Plan.Nodes {
		w.proxies = append(w.proxies, natstest.NewProxy(s.T, node.Client))
	}
	return w
}

// options are those of a connection over the wires.
func (w *wires) options(name, credentials string) nats.Options {
	o := nats.Options{Name: name, Credentials: credentials, Timeout: w.timeout}
	for _, p := range w.proxies {
		o.URLs = append(o.URLs, p.URL())
	}
	return o
}

// disconnect has the wires carry nothing. Nobody is told, unless told is set.
func (w *wires) disconnect(told bool) {
	for _, p := range w.proxies {
		if !w.cut {
			p.Cut()
		}
		if told {
			p.Reset()
		}
	}
	w.cut = true
}

// mend has the wires carry again: what was on the way, unless it was lost.
func (w *wires) mend(lost bool) {
	for _, p := range w.proxies {
		if lost {
			p.Reset()
		}
		p.Mend()
	}
	w.cut = false
}

// fault is one fault of a hub or a node, or the end of one.
func (s *simulation) fault() {
	h := s.hubs[s.random.IntN(len(s.hubs))]
	switch what := s.random.IntN(6); {
	case what == 0:
		s.met.add(func(n *meetingCounts) { n.hubKills++ })
		h.kill(s.random)
		h.start()
	case what == 1 && !h.wires.cut:
		s.met.add(func(n *meetingCounts) { n.hubCuts++ })
		h.wires.disconnect(s.random.IntN(2) == 0)
	case h.wires.cut && what < 4:
		h.wires.mend(false)
	case len(s.down) > 0:
		s.startNodes()
	default:
		s.stopNodes()
	}
}

// stopNodes stops a node, and once in some rounds two, after which no change is acknowledged.
func (s *simulation) stopNodes() {
	first := s.random.IntN(s.size.nodes)
	s.down = []int{first}
	if s.twoNodesDown {
		s.down = append(s.down, (first+1)%s.size.nodes)
		s.twoNodesDown = false
	}
	for _, i := range s.down {
		s.met.add(func(n *meetingCounts) { n.nodeStops++ })
		s.cluster.Kill(i)
	}
}

func (s *simulation) startNodes() {
	for _, i := range s.down {
		s.cluster.Restart(i)
	}
	s.down = nil
	s.cluster.WaitReady()
}

// heal ends all faults.
func (s *simulation) heal() {
	s.startNodes()
	for _, m := range s.machines {
		m.mend()
	}
	for _, h := range s.hubs {
		h.wires.mend(false)
	}
}

// eventually waits until a condition holds, and says why it does not.
func (s *simulation) eventually(what string, holds func() error) {
	s.Helper()
	var err error
	for deadline := time.Now().Add(teamPatience); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if err = holds(); err == nil {
			return
		}
	}
	s.Fatal(fmt.Errorf("%s: %w", what, err))
}
