package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func gcPercent() int {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64()) //nolint:gosec // a percentage
}

// collectUntil collects garbage, at least twice, until the percentage is as wanted.
func collectUntil(t *testing.T, want int, when string) {
	t.Helper()
	began := time.Now()
	for rounds := 0; rounds < 2 || gcPercent() != want; rounds++ {
		if time.Since(began) > time.Minute {
			t.Fatalf("%s it is %d, not %d", when, gcPercent(), want)
		}
		runtime.GC()
	}
}

// TestCollectLater is not parallel to others: the percentage is the process's.
func TestCollectLater(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualGCPercent))
	t.Setenv("GOGC", "")

	collectLater()
	if got := gcPercent(); got != startGCPercent {
		t.Errorf("at the start it is %d", got)
	}
	collectUntil(t, usualGCPercent, "after a collection")

	collectLater()
	debug.SetGCPercent(50) // as a build does
	collectUntil(t, 50, "while an index is built")

	t.Setenv("GOGC", "75")
	collectLater()
	if got := gcPercent(); got != 50 {
		t.Errorf("with GOGC set it is %d", got)
	}
}
