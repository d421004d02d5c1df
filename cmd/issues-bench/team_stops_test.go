//go:build !windows

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// A standstill is how long something at most did not go on.
type standstill struct {
	mu      sync.Mutex
	last    time.Time
	longest time.Duration
	done    int
}

// goesOn notes that it has gone on.
func (s *standstill) goesOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.done++; !s.last.IsZero() {
		s.longest = max(s.longest, now.Sub(s.last))
	}
	s.last = now
}

// count is how often it has gone on.
func (s *standstill) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

// measureStops kills nodes, and measures for how long publishing, claiming and the hub stand
// still at most.
func (b *teamBench) measureStops() {
	documents, claims := b.cluster.leader("DOCS"), b.cluster.leader("KV_claims")
	follower := 0
	for follower == documents || follower == claims {
		follower++
	}
	b.measureStop("a node that leads neither", follower)
	b.measureStop("the leader of the documents", b.cluster.leader("DOCS"))
	b.measureStop("the leader of the claims", b.cluster.leader("KV_claims"))
}

func (b *teamBench) measureStop(name string, node int) {
	ctx, end := context.WithCancel(b.Context())
	var running sync.WaitGroup
	publishing, claiming, following := &standstill{}, &standstill{}, &standstill{}
	publisher, claimer := b.connectTo(0, natstest.Web), b.connectTo(1, natstest.Both)
	line := mirror.Branch{Workspace: "web", Name: mirror.Main}
	running.Go(func() {
		for n := uint64(1); ctx.Err() == nil; n++ {
			data := fmt.Appendf(nil, "---\ntitle: %d\n---\n", n)
			v := share.DocumentVersion{Branch: line, Path: fmt.Sprintf(".wrangler/issues/%s-%d.md", name, n), Data: data,
				Hash: share.HashOf(data), Origin: share.Origin{Epoch: name, Rev: n}}
			for ctx.Err() == nil {
				if publisher.Publish(ctx, []share.DocumentVersion{v})[0].Err == nil {
					publishing.goesOn()
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	running.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			l := share.TeamLease{Workspace: "web", Key: fmt.Sprintf("%s-%d", name, n), Holder: "figures", Nonce: "figures"}
			for ctx.Err() == nil {
				if _, err := claimer.Take(ctx, l, time.Minute); err == nil {
					claiming.goesOn()
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	running.Go(func() {
		for before := b.applied(); ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
			if now := b.applied(); now != before {
				before = now
				following.goesOn()
			}
		}
	})
	all := []*standstill{publishing, claiming, following}
	goOn := func(more int) {
		for _, s := range all {
			reached := s.count() + more
			b.until("the team to go on", time.Millisecond, func() bool { return s.count() >= reached })
		}
	}
	goOn(50)
	b.cluster.kill(node)
	goOn(200)
	b.cluster.start(node)
	b.cluster.waitReady()
	goOn(50)
	end()
	running.Wait()
	for i, what := range []string{"publishing", "claiming", "the hub"} {
		b.result.add(fmt.Sprintf("%s is killed: %s stands still, s", name, what), all[i].longest.Seconds())
	}
}

// applied is how far the hub has come.
func (b *teamBench) applied() uint64 {
	data, err := os.ReadFile(filepath.Join(b.hubDir, filepath.FromSlash(mirror.CacheDir), "hub.json"))
	var state struct{ Applied uint64 }
	if err != nil || json.Unmarshal(data, &state) != nil {
		return 0
	}
	return state.Applied
}
