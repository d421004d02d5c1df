package telemetry

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestClientsSayWhatEachHasCalledLately(t *testing.T) {
	b := newBench(t)
	r := b.record()
	now := b.clock.Now()
	random := rand.New(rand.NewPCG(1, 2))
	for _, dawn := range []time.Time{now.Truncate(24 * time.Hour), now.Add(-10 * time.Minute)} { // the hour began yesterday
		want := map[string]ClientActivity{}
		for range 1000 {
			call := b.call(fmt.Sprintf("tool_%d", random.IntN(4)))
			call.Client = fmt.Sprintf("client %v %d", dawn.Hour(), random.IntN(3))
			call.Time = now.Add(-time.Duration(random.IntN(20*60*60*1000)+1) * time.Millisecond / 20 * time.Duration(random.IntN(20)+1))
			call.Tokens = random.IntN(5000)
			r.Record(call)
			hour := now.Add(-time.Hour)
			if call.Time.Before(dawn) && call.Time.Before(hour) {
				continue
			}
			a := want[call.Client]
			a.Client = call.Client
			if called := call.Time.Truncate(time.Millisecond); called.After(a.Last) {
				a.Last = called
			}
			if !call.Time.Before(dawn) {
				a.Calls, a.Tokens = a.Calls+1, a.Tokens+int64(call.Tokens)
			}
			if !call.Time.Before(hour) {
				a.LastHour[call.Time.Sub(hour)/ActivityStep]++
			}
			want[call.Client] = a
		}
		b.flush(r)
		got, err := (&Log{Paths: []string{b.path}}).Clients(t.Context(), dawn, now)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(got, func(a, b ClientActivity) int { return b.Last.Compare(a.Last) }) {
			t.Error("the client that has called last does not come first")
		}
		found := 0
		for _, a := range got {
			if w, ok := want[a.Client]; ok {
				if found++; a != w {
					t.Errorf("from %v: %+v, want %+v", dawn, a, w)
				}
			}
		}
		if found != 3 || len(want) != 3 {
			t.Errorf("from %v: %d of %d clients", dawn, found, len(want))
		}
	}
}
