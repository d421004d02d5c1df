package hub_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/store/mirror"
	"issues-index/store/storetest"
)

var (
	teamSeed = flag.Uint64("seed", 21, "of what the machines of the simulated team choose to do")
	teamWork = flag.Int("operations", 50_000, "of the simulated team, with -long")
)

// A teamSize says how much is simulated.
type teamSize struct {
	workspaces, machines, documents int // documents of each workspace at the beginning
	nodes, operations, rounds       int
	hubs                            []share.BranchSelection
	faultEvery                      int           // operations between two faults of hubs or nodes
	killOneIn, cutOneIn             int           // operations of one machine
	timeout                         time.Duration // of a request to the engine
}

// Machines with clones of several workspaces create, change, claim, finish and delete documents,
// with the tools and by hand, by clocks that disagree, while servers, hubs and nodes are killed
// and connections are cut. While the engine can be reached, nobody gets what another one has,
// and no number is given out twice. At quiet, every hub has the files of all machines, and its
// index is what one built anew would be; what was acknowledged is there; and what was done
// twice without the engine is named.
func TestSimulatedTeam(t *testing.T) {
	mains := share.BranchSelection{Branches: []string{mirror.Main}}
	size := teamSize{
		workspaces: 2, machines: 3, documents: 8, nodes: 1, operations: 200, rounds: 1,
		hubs: []share.BranchSelection{all}, faultEvery: 60, killOneIn: 60, cutOneIn: 40, timeout: 300 * time.Millisecond,
	}
	if storetest.Long() {
		size = teamSize{
			workspaces: 5, machines: 20, documents: 30, nodes: 3, operations: *teamWork, rounds: 10,
			hubs: []share.BranchSelection{all, mains}, faultEvery: 250, killOneIn: 250, cutOneIn: 120, timeout: time.Second,
		}
	}
	t.Logf("seed %d, %+v", *teamSeed, size)
	s := newSimulation(t, size)
	for round := range size.rounds {
		began := time.Now()
		s.twoNodesDown = size.nodes > 2 && round == 1
		s.work(size.operations / size.rounds)
		worked := time.Since(began)
		s.heal()
		s.checkQuiet()
		t.Logf("round %d: %d operations, %.1f a second, quiet after %.1f s; %+v", round, s.done.Load(), float64(size.operations/size.rounds)/worked.Seconds(), (time.Since(began) - worked).Seconds(), s.met.counts())
		if t.Failed() {
			return
		}
	}
	// A short run may be too slow to meet anything in particular.
	if met := s.met.counts(); storetest.Long() && slices.Contains([]int{met.refused, met.agreed, met.unagreed, met.kills, met.cuts, met.hubKills, met.hubCuts, met.nodeStops}, 0) {
		t.Errorf("the simulation has not met everything: %+v", met)
	}
}

// A simulation is a team of machines and hubs around one cluster.
type simulation struct {
	*testing.T
	size     teamSize
	random   *rand.Rand // of the faults of hubs and nodes
	cluster  *natstest.Cluster
	keys     string // the folder of the machines' credentials
	machines []*simMachine
	hubs     []*simHub
	referee  *referee
	met      meetings

	done   atomic.Int64 // operations
	strike chan struct{}

	down         []int // nodes that are stopped
	twoNodesDown bool  // once in this round
}

func newSimulation(t *testing.T, size teamSize) *simulation {
	s := &simulation{
		T: t, size: size, random: rand.New(rand.NewPCG(*teamSeed, 0)), keys: t.TempDir(),
		referee: newReferee(), strike: make(chan struct{}, 1),
	}
	s.startCluster()
	for i := range size.machines {
		s.machines = append(s.machines, newSimMachine(s, i))
	}
	for i, of := range size.hubs {
		s.hubs = append(s.hubs, newSimHub(s, i, of))
	}
	for _, m := range s.machines {
		ok(t, m.start())
	}
	for _, h := range s.hubs {
		h.start()
	}
	t.Cleanup(func() {
		for _, m := range s.machines {
			m.stop()
		}
		for _, h := range s.hubs {
			h.stop()
		}
	})
	return s
}

// work has the machines do some operations, while hubs and nodes fail.
func (s *simulation) work(operations int) {
	var working sync.WaitGroup
	for _, m := range s.machines {
		working.Go(func() {
			for range operations / len(s.machines) {
				m.step()
				if s.done.Add(1)%int64(s.size.faultEvery) == 0 {
					select {
					case s.strike <- struct{}{}:
					default: // the last fault is not done yet
					}
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		working.Wait()
	}()
	for {
		select {
		case <-s.strike:
			s.fault()
		case <-done:
			return
		}
	}
}

// meetings count what the simulation has met, to show that it meets it.
type meetings struct {
	mu sync.Mutex
	n  meetingCounts
}

type meetingCounts struct {
	agreed, unagreed, refused, numbers, offlineNumbers int
	kills, cuts, hubKills, hubCuts, nodeStops          int
}

func (m *meetings) add(change func(n *meetingCounts)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.n)
}

func (m *meetings) counts() meetingCounts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n
}

// workspaceName is the name of a workspace of the team.
func workspaceName(i int) string { return fmt.Sprint("ws", i) }
