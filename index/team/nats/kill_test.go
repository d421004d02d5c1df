package nats_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/team/nats"
	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/store/storetest"
)

func TestMain(m *testing.M) {
	natstest.ServeIfAsked()
	os.Exit(m.Run())
}

// A pace knows how long something stood still.
type pace struct {
	mu      sync.Mutex
	last    time.Time
	longest time.Duration
	done    int
}

func (p *pace) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.longest = max(p.longest, now.Sub(p.last))
	p.last = now
	p.done++
}

func (p *pace) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last, p.longest, p.done = time.Now(), 0, 0
}

func (p *pace) state() (longest time.Duration, done int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.longest, p.done
}

// A killing is a cluster in use, whose nodes are killed.
type killing struct {
	t       *testing.T
	cluster *natstest.ProcessCluster
	admin   *nats.TeamConnection
	end     chan struct{}

	published, claimed, followed pace

	acked map[string]share.DocumentVersion // of the publisher: the newest by path
	count uint64

	mu   sync.Mutex
	seen map[string]share.DocumentVersion // of the follower
}

func (k *killing) ended() bool {
	select {
	case <-k.end:
		return true
	default:
		return false
	}
}

// publish publishes until the end, each version until it is acknowledged.
func (k *killing) publish() {
	machine := k.cluster.Connect(natstest.API)
	for rev := uint64(1); !k.ended(); rev++ {
		v := version(fmt.Sprintf("%d.md", rev%50), rev, strconv.FormatUint(rev, 10))
		v.Replaces = k.acked[v.Path].Position
		for {
			ack := machine.Publish(context.Background(), []share.DocumentVersion{v})[0]
			if ack.Err == nil {
				v.Position = ack.Position
				break
			}
			if !errors.Is(ack.Err, share.ErrAway) {
				k.t.Errorf("version %d in place of %d: %v", rev, v.Replaces, ack.Err)
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		k.acked[v.Path] = v
		k.count++
		k.published.step()
	}
}

// claim takes a lease and gives it back until the end.
func (k *killing) claim() {
	machine := k.cluster.Connect(natstest.API)
	fence := uint64(0)
	for n := 0; !k.ended(); n++ {
		l := share.TeamLease{Workspace: "api", Key: "iss-1", Holder: "claimer", Nonce: strconv.Itoa(n)}
		for {
			taken, err := machine.Take(context.Background(), l, time.Minute)
			if err == nil {
				l = taken
				break
			}
			if !errors.Is(err, share.ErrAway) {
				k.t.Errorf("claim %d: %v", n, err)
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		if l.Fence <= fence {
			k.t.Errorf("the fence %d comes after %d", l.Fence, fence)
		}
		fence = l.Fence
		for machine.Release(context.Background(), l) != nil {
			time.Sleep(20 * time.Millisecond)
		}
		k.claimed.step()
	}
}

// follow follows until the context ends, and begins again where it was after each error.
func (k *killing) follow(ctx context.Context) {
	hub := k.cluster.Connect(natstest.Hub)
	after := uint64(0)
	for ctx.Err() == nil {
		for batch, err := range hub.Follow(ctx, after, share.BranchSelection{}) {
			if err != nil {
				break
			}
			for _, v := range batch {
				if v.Position <= after {
					k.t.Errorf("version %d comes after %d", v.Position, after)
				}
				after = v.Position
				k.mu.Lock()
				k.seen[v.Path] = v
				k.mu.Unlock()
				k.followed.step()
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// leader is the number of the node that leads the documents, once all copies are current.
func (k *killing) leader() (leader int) {
	k.t.Helper()
	until(k.t, "all copies", func() bool {
		status, err := k.admin.Status(k.t.Context())
		if err != nil {
			return false
		}
		for _, s := range status.Streams {
			if s.Cluster.Leader == "" || len(s.Cluster.Replicas) != 2 || slices.ContainsFunc(s.Cluster.Replicas, func(r *jetstream.PeerInfo) bool { return r.Offline || !r.Current }) {
				return false
			}
		}
		_, err = fmt.Sscanf(status.Streams[0].Cluster.Leader, "node%d", &leader)
		return err == nil
	})
	return leader - 1
}

// kill kills nodes while all is in use, and starts them again: after all goes on, or, where
// that is not possible without them, after three seconds.
func (k *killing) kill(name string, nodes ...int) {
	k.t.Helper()
	paces := []*pace{&k.published, &k.claimed, &k.followed}
	for _, p := range paces {
		p.begin()
	}
	for _, i := range nodes {
		k.cluster.Kill(i)
	}
	if len(nodes) > 1 {
		time.Sleep(3 * time.Second) // the time that they are away, in which nothing can be waited for
		for _, i := range nodes {
			k.cluster.Restart(i)
		}
	}
	until(k.t, "all to go on after "+name, func() bool {
		for _, p := range paces {
			if _, done := p.state(); done < 300 {
				return false
			}
		}
		return true
	})
	published, n := k.published.state()
	claimed, _ := k.claimed.state()
	followed, _ := k.followed.state()
	k.t.Logf("kill -9 of %s: publishing stood still for %.2f s, claiming for %.2f s, following for %.2f s (%d published)", name, published.Seconds(), claimed.Seconds(), followed.Seconds(), n)
	if len(nodes) == 1 {
		k.cluster.Restart(nodes[0])
	}
}

func TestKilledNodesLoseNothingThatWasAcknowledged(t *testing.T) {
	if !storetest.Long() {
		t.Skip("with -long only")
	}
	cluster := natstest.StartProcesses(t)
	k := &killing{t: t, cluster: cluster, admin: cluster.Connect(natstest.Administrator), end: make(chan struct{}), acked: map[string]share.DocumentVersion{}, seen: map[string]share.DocumentVersion{}}
	ctx, cancel := context.WithCancel(context.Background())
	var writers, follower sync.WaitGroup
	writers.Go(k.publish)
	writers.Go(k.claim)
	follower.Go(func() { k.follow(ctx) })
	defer follower.Wait()
	defer cancel()

	leader := k.leader()
	k.kill("a follower", (leader+1)%3)
	leader = k.leader()
	k.kill("the leader of the documents", leader)
	leader = k.leader()
	k.kill("two of three", leader, (leader+1)%3)
	k.leader()
	close(k.end)
	writers.Wait()

	until(t, "the follower", func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		for path, v := range k.acked {
			if got := k.seen[path]; got.Position != v.Position || got.Origin != v.Origin || !bytes.Equal(got.Data, v.Data) {
				return false
			}
		}
		return len(k.seen) == len(k.acked)
	})
	state, err := k.admin.LogState(t.Context())
	if err != nil || state.Last != k.count {
		t.Errorf("%d were acknowledged and %d are stored: %v", k.count, state.Last, err)
	}
	stand := map[string]share.DocumentVersion{}
	for h, err := range k.admin.Heads(t.Context(), share.BranchSelection{}) {
		if err != nil {
			t.Fatal(err)
		}
		stand[h.Path] = h
	}
	for path, v := range k.acked {
		if stand[path].Position != v.Position || stand[path].Hash != share.HashOf(v.Data) {
			t.Errorf("%s was acknowledged at %d and stands at %d", path, v.Position, stand[path].Position)
		}
	}
	claimsOfMany(t, cluster.Cluster)
}

// claimsOfMany has 12 clients, each at one of the nodes, claim the same keys.
func claimsOfMany(t *testing.T, cluster *natstest.Cluster) {
	t.Helper()
	const clients, keys = 12, 100
	var mu sync.Mutex
	winners := map[string]int{}
	var times []time.Duration
	var running sync.WaitGroup
	for client := range clients {
		o := cluster.Options(natstest.API)
		o.URLs = []string{o.URLs[client%len(o.URLs)]}
		machine, err := nats.Connect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = machine.Close() })
		until(t, "the connection", func() bool { return machine.Connection().Connected })
		running.Go(func() {
			for i := range keys {
				l := share.TeamLease{Workspace: "api", Key: "many-" + strconv.Itoa(i), Holder: "client", Nonce: strconv.Itoa(client)}
				begin := time.Now()
				_, err := machine.Take(t.Context(), l, time.Hour)
				took := time.Since(begin)
				held := new(share.HeldError)
				mu.Lock()
				times = append(times, took)
				if err == nil {
					winners[l.Key]++
				} else if !errors.As(err, &held) {
					t.Errorf("claim %s: %v", l.Key, err)
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	for i := range keys {
		if key := "many-" + strconv.Itoa(i); winners[key] != 1 {
			t.Errorf("%s has %d holders", key, winners[key])
		}
	}
	slices.Sort(times)
	t.Logf("%d claims of %d clients over three nodes: p50 %s, p99 %s", len(times), clients, times[len(times)/2], times[len(times)*99/100])
}
