package telemetry

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
)

func TestCallsAreKeptForATime(t *testing.T) {
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
	for by, groups := range map[By]int{ByTool: 1, ByHour: 31, ByDay: 31} {
		if s := b.summary(Filter{}, by); s.Total.Calls != 31 || len(s.Groups) != groups {
			t.Errorf("by %s: %d calls in %d groups", by, s.Total.Calls, len(s.Groups))
		}
	}
	if n := b.count(`SELECT count(*) FROM rollup WHERE span = 60 AND series = 0`); n != 3 {
		t.Errorf("%d minutes are kept, of the last two days there are 3", n)
	}

	t.Run("and the settings may change", func(t *testing.T) {
		b.settings.MaxAge = 5*24*time.Hour + time.Minute
		b.clock.advance(pruneEvery)
		r.Record(b.call("issues_list"))
		b.flush(r)
		if s := b.summary(Filter{}, ByTool); s.Total.Calls != 6 {
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
		if s := b.summary(Filter{Tool: "issues_list"}, ByTool); s.Total.Calls != 2 {
			t.Errorf("%d calls", s.Total.Calls)
		}
	})
}

func TestTheFileStaysWithinItsSize(t *testing.T) {
	const most = 1_000_000
	size := func(b *bench) (size int64) {
		for _, suffix := range []string{"", "-wal"} {
			if info, err := os.Stat(b.path + suffix); err == nil {
				size += info.Size()
			}
		}
		return size
	}
	t.Run("the oldest calls go, and stay in the figures", func(t *testing.T) {
		b := newBench(t)
		b.settings.MaxSize = most
		r := b.record()
		const calls = 40_000
		for n := range calls {
			r.Record(b.call("issues_list"))
			if n%1000 == 999 {
				b.flush(r)
				b.clock.advance(time.Minute)
			}
		}
		b.end(r)
		if got := size(b); got > most {
			t.Errorf("the file has %d bytes, more than %d", got, most)
		}
		if kept := b.count(`SELECT count(*) FROM call`); kept >= calls || kept < calls/4 {
			t.Errorf("%d calls are kept of %d", kept, calls)
		}
		if s := b.summary(Filter{}, ByTool); s.Total.Calls != calls {
			t.Errorf("the figures are of %d calls", s.Total.Calls)
		}
	})
	t.Run("the oldest days go when single calls are not what fills it", func(t *testing.T) {
		b := newBench(t)
		b.settings.MaxSize = most
		r := b.record()
		const calls = 20_000
		for n := range calls {
			call := b.call("issues_list")
			call.Client = fmt.Sprintf("client %d", n%100)
			r.Record(call)
			if n%100 == 99 {
				b.clock.advance(time.Hour)
			}
			if n%1000 == 999 {
				b.flush(r)
			}
		}
		last := b.clock.Now()
		b.end(r)
		if got := size(b); got > most {
			t.Errorf("the file has %d bytes, more than %d", got, most)
		}
		all := b.summary(Filter{}, ByDay)
		if n := len(all.Groups); n == 0 || all.Total.Calls == calls || last.Sub(all.Groups[n-1].Start) > 24*time.Hour {
			t.Fatalf("kept are %+v", all)
		}
		if byHour := b.summary(Filter{}, ByHour); byHour.Total.Calls != all.Total.Calls {
			t.Errorf("%d calls by the hour, %d by the day", byHour.Total.Calls, all.Total.Calls)
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

func TestClientsWithManyNamesAreCountedAsOne(t *testing.T) {
	b := newBench(t)
	f, err := openFile(t.Context(), databaseOf(t, b.path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var n int64
	var entries []entry
	for i := range maxSeries + 100 {
		call := b.call("issues_list")
		call.Outcome, call.Client = "plain", fmt.Sprintf("client %d", i)
		entries = append(entries, entry{Call: call})
	}
	if err := f.write(context.Background(), entries, func() int64 { n++; return n }); err != nil {
		t.Fatal(err)
	}
	s := b.summary(Filter{}, ByClient)
	if len(s.Groups) != maxSeries+1 || s.Groups[0].Key != otherClient || s.Groups[0].Calls != 100 || s.Total.Calls != maxSeries+100 {
		t.Errorf("%d calls in %d groups, first %+v", s.Total.Calls, len(s.Groups), s.Groups[0])
	}
}
