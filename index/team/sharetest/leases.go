package sharetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"issues-index/index/team/share"
)

// claim is a lease with a key of its own test.
func claim(t *testing.T, nonce string) share.TeamLease {
	t.Helper()
	return share.TeamLease{Workspace: "api", Key: fmt.Sprintf("iss-%x ß.*>", share.HashOf([]byte(t.Name())))[:12] + " ß.*>", Holder: nonce, Nonce: nonce, Since: time.Now().UTC()}
}

func take(t *testing.T, team share.Team, l share.TeamLease, lasts time.Duration) share.TeamLease {
	t.Helper()
	taken, err := team.Take(t.Context(), l, lasts)
	if err != nil {
		t.Fatalf("take %s: %v", l.Key, err)
	}
	return taken
}

func oneHolder(t *testing.T, s suite) {
	first, second := s.connect(t), s.connect(t)
	taken := take(t, first, claim(t, "one"), time.Minute)
	_, err := second.Take(t.Context(), claim(t, "two"), time.Minute)
	held := new(share.HeldError)
	if !errors.As(err, &held) || held.Lease.Holder != "one" || held.Lease.Key != taken.Key || held.Lease.Fence != taken.Fence {
		t.Fatalf("%v", err)
	}
	if _, err := second.Renew(t.Context(), claim(t, "two"), time.Minute); !errors.Is(err, share.ErrLost) {
		t.Errorf("renewed by another: %v", err)
	}
	if err := second.Release(t.Context(), claim(t, "two")); err != nil {
		t.Errorf("released by another: %v", err)
	}
	eventually(t, "the lease", func() bool {
		l, err := second.Lease(t.Context(), "api", taken.Key)
		if err != nil {
			t.Fatal(err)
		}
		return l.Holder == "one" && l.Workspace == "api" && l.Fence == taken.Fence && l.Nonce == "one"
	})
}

func takenAgain(t *testing.T, s suite) {
	machine := s.connect(t)
	first := take(t, machine, claim(t, "one"), time.Minute)
	again := take(t, machine, claim(t, "one"), time.Minute)
	if again.Nonce != first.Nonce {
		t.Errorf("%+v", again)
	}
	if _, err := machine.Renew(t.Context(), first, time.Minute); err != nil {
		t.Errorf("renew with the fence of before: %v", err)
	}
}

func released(t *testing.T, s suite) {
	first, second := s.connect(t), s.connect(t)
	taken := take(t, first, claim(t, "one"), time.Minute)
	if err := first.Release(t.Context(), taken); err != nil {
		t.Fatal(err)
	}
	if err := first.Release(t.Context(), taken); err != nil {
		t.Errorf("released twice: %v", err)
	}
	take(t, second, claim(t, "two"), time.Minute)
	if _, err := first.Renew(t.Context(), taken, time.Minute); !errors.Is(err, share.ErrLost) {
		t.Errorf("renewed after that: %v", err)
	}
}

func lapses(t *testing.T, s suite) {
	first, second := s.connect(t), s.connect(t)
	taken := take(t, first, claim(t, "one"), time.Second)
	taken, err := first.Renew(t.Context(), taken, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the lease", func() bool {
		_, err := second.Take(t.Context(), claim(t, "two"), time.Minute)
		held := new(share.HeldError)
		if err != nil && !errors.As(err, &held) {
			t.Fatal(err)
		}
		return err == nil
	})
	if _, err := first.Renew(t.Context(), taken, time.Second); !errors.Is(err, share.ErrLost) {
		t.Errorf("renewed after that: %v", err)
	}
}

// lastsLong takes leases and does not wait for their end: that the engine takes such times, and
// does not mistake them for short ones, is all that a test can see.
func lastsLong(t *testing.T, s suite) {
	machine := s.connect(t)
	for _, lasts := range []time.Duration{14 * 24 * time.Hour, 365 * 24 * time.Hour} {
		wanted := claim(t, "one")
		wanted.Key += lasts.String()
		taken := take(t, machine, wanted, lasts)
		if again := take(t, machine, wanted, lasts); again.Fence <= taken.Fence || again.Until.Before(time.Now().Add(lasts-time.Minute)) {
			t.Errorf("%+v after %+v", again, taken)
		}
		other := wanted
		other.Nonce = "two"
		if _, err := machine.Take(t.Context(), other, lasts); !errors.As(err, new(*share.HeldError)) {
			t.Errorf("taken by another one: %v", err)
		}
	}
}

func fencesGrow(t *testing.T, s suite) {
	machine := s.connect(t)
	var fence uint64
	for range 3 {
		taken := take(t, machine, claim(t, "one"), time.Minute)
		renewed, err := machine.Renew(t.Context(), taken, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if taken.Fence <= fence || renewed.Fence < taken.Fence {
			t.Errorf("%d after %d, renewed %d", taken.Fence, fence, renewed.Fence)
		}
		fence = renewed.Fence
		if err := machine.Release(t.Context(), renewed); err != nil {
			t.Fatal(err)
		}
	}
}

func race(t *testing.T, s suite) {
	const machines, keys = 12, 8
	winners := make([][]string, keys)
	var mu sync.Mutex
	var running sync.WaitGroup
	for m := range machines {
		team := s.connect(t)
		running.Go(func() {
			for k := range keys {
				l := claim(t, fmt.Sprintf("machine %d", m))
				l.Key += fmt.Sprint(k)
				_, err := team.Take(t.Context(), l, time.Minute)
				held := new(share.HeldError)
				switch {
				case err == nil:
					mu.Lock()
					winners[k] = append(winners[k], l.Holder)
					mu.Unlock()
				case !errors.As(err, &held):
					t.Errorf("%s: %v", l.Key, err)
				}
			}
		})
	}
	running.Wait()
	for k, w := range winners {
		if len(w) != 1 {
			t.Errorf("key %d was won by %v", k, w)
		}
	}
}

func numbers(t *testing.T, s suite) {
	const machines, each = 8, 20
	var mu sync.Mutex
	given := map[int]int{}
	var running sync.WaitGroup
	for range machines {
		team := s.connect(t)
		running.Go(func() {
			for range each {
				n, err := team.NextNumber(t.Context(), "api", "ISS", 100)
				if err != nil || n < 100 {
					t.Errorf("%d %v", n, err)
				}
				mu.Lock()
				given[n]++
				mu.Unlock()
			}
		})
	}
	running.Wait()
	for n, times := range given {
		if times > 1 {
			t.Errorf("%d was given %d times", n, times)
		}
	}
	if n, err := s.connect(t).NextNumber(t.Context(), "web", "ISS", 3); n != 3 || err != nil {
		t.Errorf("the first of another workspace is %d %v", n, err)
	}
	if n, err := s.connect(t).NextNumber(t.Context(), "web", "ISS", 1); n != 4 || err != nil {
		t.Errorf("the second is %d %v", n, err)
	}
}
