//go:build !windows

package main

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
)

// measureClaims measures whole claims, with their files, on a machine of the team.
func (b *teamBench) measureClaims() {
	var took []time.Duration
	for range b.rounds {
		b.call(b.owner, "issues_claim", map[string]any{"operation": "next"})
		took = append(took, b.owner.took)
	}
	b.addWithP99("claim next (with fsync), agreed with the team", took)
}

// measureAgreement has 12 clients on all nodes take the same leases and numbers at once.
func (b *teamBench) measureAgreement() {
	const clients = 12
	leases, numbers := 2*b.rounds, 2*b.rounds
	teams := make([]share.Team, clients)
	for i := range teams {
		teams[i] = b.connectTo(i, natstest.Both)
	}
	var mu sync.Mutex
	var won, refused []time.Duration
	winners := map[string]int{}
	b.atOnce(teams, func(client int, team share.Team) error {
		for n := range leases {
			key := fmt.Sprint("figures-", n)
			began := time.Now()
			_, err := team.Take(b.Context(), share.TeamLease{Workspace: "web", Key: key, Holder: fmt.Sprint(client),
				Nonce: fmt.Sprint(client)}, time.Hour)
			took := time.Since(began)
			mu.Lock()
			if held := (*share.HeldError)(nil); errors.As(err, &held) {
				refused, err = append(refused, took), nil
			} else if err == nil {
				won = append(won, took)
				winners[key]++
			}
			mu.Unlock()
			if err != nil {
				return err
			}
		}
		return nil
	})
	for key, n := range winners {
		if n != 1 {
			b.Errorf("%s has %d holders", key, n)
		}
	}
	if len(winners) != leases {
		b.Errorf("%d of %d leases are held", len(winners), leases)
	}
	b.addWithP99("a lease taken, 12 clients at once", won)
	b.addWithP99("a lease refused, 12 clients at once", refused)

	given := map[int]bool{}
	began := time.Now()
	b.atOnce(teams, func(_ int, team share.Team) error {
		for range numbers {
			n, err := team.NextNumber(b.Context(), "web", "FIG", 1)
			if err != nil {
				return err
			}
			mu.Lock()
			if given[n] {
				b.Errorf("the number %d was given out twice", n)
			}
			given[n] = true
			mu.Unlock()
		}
		return nil
	})
	b.result.add("numbers a second, 12 clients at once", float64(clients*numbers)/time.Since(began).Seconds())
}

// atOnce runs something for all clients at once.
func (b *teamBench) atOnce(teams []share.Team, do func(client int, team share.Team) error) {
	b.Helper()
	var running sync.WaitGroup
	failed := make([]error, len(teams))
	for i, team := range teams {
		running.Go(func() { failed[i] = do(i, team) })
	}
	running.Wait()
	must(b.T, failed...)
}

// addWithP99 adds the median and the 99th percentile of times in rows of their own.
func (b *teamBench) addWithP99(name string, took []time.Duration) {
	b.result.addTimes(name, took) // sorts them
	b.result.add(name+": p99, ms", float64(took[(len(took)*99+99)/100-1].Microseconds())/1000)
}
