package telemetry

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestOldCallsAreDeleted(t *testing.T) {
	b := newBench(t)
	r := b.record()
	const days = 40
	for range days {
		r.Record(b.call("issues_list"))
		b.flush(r)
		b.clock.advance(24 * time.Hour)
	}
	r.Record(b.call("issues_list")) // the last prune was when this one was written
	b.flush(r)

	if n := b.count(`SELECT count(*) FROM call`); n != 31 {
		t.Errorf("%d calls one by one", n)
	}
	for by, groups := range map[Grouping]int{ByTool: 1, ByHour: 31, ByDay: 31} {
		if s := b.summary(CallFilter{}, by); s.Total.Calls != 31 || len(s.Groups) != groups {
			t.Errorf("by %s: %d calls in %d groups", by, s.Total.Calls, len(s.Groups))
		}
	}

	t.Run("and the settings may change", func(t *testing.T) {
		b.settings.MaxAge = 5*24*time.Hour + time.Minute
		b.clock.advance(pruneEvery)
		r.Record(b.call("issues_list"))
		b.flush(r)
		if s := b.summary(CallFilter{}, ByTool); s.Total.Calls != 6 {
			t.Errorf("%d calls", s.Total.Calls)
		}
	})
	t.Run("a series without calls goes", func(t *testing.T) {
		b.clock.advance(365 * 24 * time.Hour)
		r.Record(b.call("issues_search"))
		b.flush(r)
		if n := b.count(`SELECT count(*) FROM series`); n != 1 {
			t.Errorf("%d series", n)
		}
	})
	t.Run("a clock that was wrong hides nothing for good", func(t *testing.T) {
		b.clock.advance(-200 * 24 * time.Hour)
		for range 2 { // the first one finds the file of the future
			r.Record(b.call("issues_list"))
			b.flush(r)
		}
		if s := b.summary(CallFilter{Tool: "issues_list"}, ByTool); s.Total.Calls != 2 {
			t.Errorf("%d calls", s.Total.Calls)
		}
	})
}

func TestFileStaysWithinMaxSize(t *testing.T) {
	const most = 1_000_000
	size := func(b *bench) (size int64) {
		for _, suffix := range []string{"", "-wal"} {
			if info, err := os.Stat(b.path + suffix); err == nil {
				size += info.Size()
			}
		}
		return size
	}
	t.Run("the oldest calls go", func(t *testing.T) {
		b := newBench(t)
		b.settings.MaxSize = most
		r := b.record()
		const calls = 40_000
		for n := range calls {
			call := b.call("issues_list")
			call.Client = fmt.Sprintf("client %d", n/100) // series go with their calls
			r.Record(call)
			if n%1000 == 999 {
				b.flush(r)
				b.clock.advance(time.Hour)
			}
		}
		last := b.clock.Now()
		b.end(r)
		if got := size(b); got > most {
			t.Errorf("the file has %d bytes, more than %d", got, most)
		}
		byHour := b.summary(CallFilter{}, ByHour)
		if kept := byHour.Total.Calls; kept >= calls || kept < calls/4 || int64(kept) != b.count(`SELECT count(*) FROM call`) {
			t.Errorf("%d calls are kept of %d", kept, calls)
		}
		if n := len(byHour.Groups); last.Sub(byHour.Groups[n-1].Start) > 2*time.Hour || byHour.Groups[n-1].Calls != 1000 {
			t.Errorf("the last hour is %+v", byHour.Groups[n-1])
		}
		if series, used := b.count(`SELECT count(*) FROM series`), b.count(`SELECT count(DISTINCT series) FROM call`); series > used+100 {
			t.Errorf("%d series are kept, %d are in use", series, used)
		}
	})
	t.Run("however large it was", func(t *testing.T) {
		b := newBench(t)
		r := b.record()
		for range 20 {
			for range 1000 {
				r.Record(b.call("issues_list"))
			}
			b.flush(r)
		}
		before := size(b)
		b.end(r)
		b.clock.advance(60 * 24 * time.Hour)
		r = b.record()
		r.Record(b.call("issues_list"))
		b.flush(r)
		if after := size(b); after > before/4 {
			t.Errorf("the file had %d bytes, and has %d", before, after)
		}
	})
}
