package main

import (
	"flag"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"

	"issues-index/cmd/issues-index/headroom"
)

// long runs tests at full size: several servers, killed ones, hostile workspaces,
// strangers' repositories, clients from npm.
var long = flag.Bool("long", false, "run the tests at full size (minutes)")

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

// A short command has one collection, at its very beginning: when it begins there is little more
// than what package headroom has allocated.
func TestAShortCommandCollectsNoGarbage(t *testing.T) {
	t.Parallel()
	command := exec.CommandContext(t.Context(), "issues-index", "version")
	command.Env = append(os.Environ(), "GOGC=", "GODEBUG=gctrace=1")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	begin := regexp.MustCompile(`(?m)^gc \d+ .* (\d+)->\d+->\d+ MB`).FindAllSubmatch(out, -1)
	if len(begin) != 1 {
		t.Fatalf("%d collections: %s", len(begin), out)
	}
	if mb, err := strconv.Atoi(string(begin[0][1])); err != nil || mb<<20 != headroom.Bytes {
		t.Errorf("the collection begins with %s MB", begin[0][1])
	}
}
