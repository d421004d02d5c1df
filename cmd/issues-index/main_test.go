package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// TestCollectLater is not parallel to others: the percentage is the process's.
func TestCollectLater(t *testing.T) {
	const usual = 100
	set := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(usual))

	t.Setenv("GOGC", "75")
	tuneGC()
	if got := set(); got != usual {
		t.Errorf("where GOGC is set it becomes %d", got)
	}

	t.Setenv("GOGC", "")
	tuneGC()
	if got := set(); got != startGCPercent {
		t.Errorf("at the start it is %d", got)
	}
	for began := time.Now(); set() != gcPercent; runtime.GC() {
		if time.Since(began) > time.Minute {
			t.Fatalf("after a collection it is %d", set())
		}
	}
}
