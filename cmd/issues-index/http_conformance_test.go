//go:build !windows

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// suite is what the conformance suite is called where it cannot be had.
const suite = "the official conformance suite"

// TestConformance has the official conformance suite of MCP ask a server with fixtures for what
// a revision requires. What comes of each scenario is listed in testdata/conformance: one more,
// one less and any other count of checks is an error.
func TestConformance(t *testing.T) {
	node, directory := installPackages(t, suite, "conformance")
	node = newerNode(t, node)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			url := serveSuite(t, suiteWorkspace(t))
			results := t.TempDir()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			run := exec.CommandContext(ctx, node, filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"),
				"server", "--url", url, "--requirements", revision, "--output-dir", results)
			run.Dir = directory
			said, failed := run.CombinedOutput() // which it has for a failure, too
			got := readScenarios(t, results)
			if len(got) == 0 {
				t.Fatalf("%v\n%s", failed, said)
			}
			want := listedScenarios(t, revision)
			for _, name := range slices.Sorted(maps.Keys(want)) {
				if got[name] == nil {
					t.Errorf("%s is listed, but was not run", name)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(got)) {
				if line := got[name].String(); line != want[name] {
					t.Errorf("%s: %s, the list has %q\n%s", name, line, want[name], strings.Join(got[name].complaints, "\n"))
				}
			}
		})
	}
}

// A scenario is what came of one: how many of its checks had each outcome, and what was wrong.
type scenario struct {
	outcomes   map[string]int
	complaints []string
}

// String says what came of the scenario as the list has it.
func (s *scenario) String() string {
	var parts []string
	for _, outcome := range []string{"success", "failure", "warning", "skipped"} {
		if n := s.outcomes[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing checked")
}

// scenarioDirectory is the name of a directory of results: that of the scenario and the time.
var scenarioDirectory = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT.*$`)

// readScenarios reads the results of the suite by the name of the scenario.
func readScenarios(t *testing.T, directory string) map[string]*scenario {
	t.Helper()
	all := make(map[string]*scenario)
	files, err := filepath.Glob(filepath.Join(directory, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := scenarioDirectory.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		content, err := os.ReadFile(file)
		if err != nil || name == nil {
			t.Fatalf("%s: %v", file, err)
		}
		var checks []struct{ ID, Status, ErrorMessage string }
		if err := json.Unmarshal(content, &checks); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		s := &scenario{outcomes: make(map[string]int)}
		for _, check := range checks {
			s.outcomes[strings.ToLower(check.Status)]++
			if check.ErrorMessage != "" {
				s.complaints = append(s.complaints, "\t"+check.ID+": "+check.ErrorMessage)
			}
		}
		all[name[1]] = s
	}
	return all
}

// listedScenarios are those of the list of a revision. Its comments say why one fails.
func listedScenarios(t *testing.T, revision string) map[string]string {
	t.Helper()
	list, err := os.ReadFile(filepath.Join("testdata", "conformance", revision+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	listed := make(map[string]string)
	for line := range strings.Lines(string(list)) {
		line = strings.TrimSpace(line)
		if name, outcome, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			listed[name] = strings.TrimSpace(outcome)
		}
	}
	return listed
}

// newerNode returns a node that runs the suite: this one, unless it is too old.
func newerNode(t *testing.T, node string) string {
	t.Helper()
	const least, version = 22, "22.23.3"
	said, err := exec.CommandContext(t.Context(), node, "-p", "process.versions.node + ' ' + process.platform + '-' + process.arch").Output()
	if err != nil {
		t.Fatal(err)
	}
	has, platform, _ := strings.Cut(strings.TrimSpace(string(said)), " ")
	if major, err := strconv.Atoi(strings.Split(has, ".")[0]); err == nil && major >= least {
		return node
	}
	directory := t.TempDir()
	runNPM(t, suite, directory, "install", "--no-save", "node-"+platform+"@"+version)
	return filepath.Join(directory, "node_modules", "node-"+platform, "bin", "node")
}
