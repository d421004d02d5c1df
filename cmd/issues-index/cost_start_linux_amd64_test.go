package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/toolstest"
)

// The tree of commands is built at each start, whatever the command is. What only a shell asks
// for, the completion of flags, is as much again, and no part of it.
func TestTheTreeOfCommandsIsBuiltWithFewAllocations(t *testing.T) {
	p := &program{out: io.Discard, errOut: io.Discard, getenv: func(string) string { return "" }}
	const most = 2200 // 1,968 on 28 November 2026
	if n := testing.AllocsPerRun(5, func() { newRootCommand(p) }); n > most {
		t.Errorf("%v allocations, want at most %d", n, most)
	}
}

// TestPackagesInitialisedAtStart holds which packages beside Go's own cost something at each start
// of the program, whatever it is started for: those that allocate 200 times or more, or
// 100 kB.
func TestPackagesInitialisedAtStart(t *testing.T) {
	t.Parallel()
	if testing.CoverMode() != "" {
		t.Skip("the counters of coverage initialise more")
	}
	listed, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(listed))
	if err := buildProgram(); err != nil { // that of the tests initialises more
		t.Fatal(err)
	}
	program := exec.Command("issues-index", "version")
	program.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	traced, err := program.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, traced)
	}
	golden := filepath.Join("testdata", "initialised.golden")
	recorded, _ := os.ReadFile(golden)
	var counted strings.Builder
	packages := 0
	for line := range strings.Lines(string(traced)) {
		var name string
		var at, clock float64
		var allocated, allocations int
		n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &clock, &allocated, &allocations)
		if n < 5 || !slices.Contains(deps, name) {
			continue
		}
		packages++
		if allocations < 200 && allocated < 100_000 {
			continue
		}
		// Maps are made with a few allocations more or less.
		if _, after, found := strings.Cut(string(recorded), name+" "); found && os.Getenv("UPDATE_GOLDEN") == "" {
			var before int
			if _, err := fmt.Sscan(after, &before); err == nil && 50*max(before-allocations, allocations-before) <= before {
				allocations = before
			}
		}
		fmt.Fprintf(&counted, "%s %d\n", name, allocations)
	}
	fmt.Fprintf(&counted, "%d packages initialise something\n", packages)
	toolstest.Same(t, golden, []byte(counted.String()))
}
