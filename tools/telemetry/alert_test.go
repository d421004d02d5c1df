package telemetry

import (
	"testing"
	"time"
)

func TestAlertFiresAboveFivePercent(t *testing.T) {
	for _, c := range []struct {
		name             string
		calls, oversized int
		firing           bool
	}{
		{"none", 100, 0, false},
		{"below", 1000, 49, false},
		{"exactly five", 1000, 50, false},
		{"above", 1000, 51, true},
		{"exactly five of the fewest", 20, 1, false},
		{"above, of the fewest", 20, 2, true},
		{"above, of too few", 19, 19, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			r := b.record()
			for n := range c.calls {
				call := b.call("issues_list")
				call.Oversized = (n+1)*c.oversized/c.calls > n*c.oversized/c.calls // spread evenly
				r.Record(call)
			}
			b.flush(r)
			b.clock.advance(checkEvery) // of as many calls as had come by then, it has looked at the share
			b.flush(r)
			alert := b.lastHour()
			if alert.Firing != c.firing || alert.Calls != c.calls || alert.Oversized != c.oversized {
				t.Errorf("%+v", alert)
			}
			if warned := len(b.log.lines("larger than their budget")); warned > 0 != c.firing {
				t.Errorf("%d warnings", warned)
			}
		})
	}

	t.Run("it looks at the last hour, and warns once an hour", func(t *testing.T) {
		b := newBench(t)
		r := b.record()
		over := func(n int) {
			for range n {
				call := b.call("issues_list")
				call.Over = true
				r.Record(call)
			}
			b.flush(r)
		}
		warnings := func(want int) {
			t.Helper()
			if lines := b.log.lines("larger than their budget"); len(lines) != want {
				t.Errorf("at %v: %q", b.clock.Now(), lines)
			}
		}
		over(30)
		warnings(1)
		for range 5 {
			b.clock.advance(10 * time.Minute)
			over(1)
			warnings(1)
		}
		b.clock.advance(10 * time.Minute)
		over(1)
		warnings(2)
		b.clock.advance(3 * time.Hour)
		over(1) // too few to tell
		warnings(2)
		if alert := b.lastHour(); alert.Firing || alert.Calls != 1 {
			t.Errorf("%+v", alert)
		}
	})
}

func (b *bench) lastHour() Alert {
	b.Helper()
	return b.summary(CallFilter{Since: b.clock.Now().Add(-time.Hour)}, ByTool).Total.Alert()
}
