//go:build linux

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// A start is what it takes from an empty folder to the answers of an MCP server that npx brings.
type start struct {
	initialize, list time.Duration // to the answers of initialize and of tools/list
	downloaded       int           // bytes that the registry has sent
}

// The server that npx starts is measured beside Backlog.md's, from one registry of this machine:
// with an empty cache of npm, and again with what the first start has left in it. The network does
// not count.
func TestStartWithNPX(t *testing.T) {
	r := givenRelease(t)
	needs(t, "npx", "npm")
	if !storetest.Long() {
		t.Skip("this takes long: -long")
	}
	registry := serveRegistry(t, r.dist)
	registry.upstream = strings.TrimSuffix(strings.TrimSpace(runs(t, "npm", "config", "get", "registry")), "/")
	t.Logf(
		"node %s, npm %s",
		strings.TrimSpace(runs(t, "node", "--version")),
		strings.TrimSpace(runs(t, "npm", "--version")),
	)
	const rounds = 5
	commands := []string{"issues-index serve", "backlog.md@1.52.0 mcp start"}
	first, second, unpacked := map[string][]start{}, map[string][]start{}, map[string]int64{}
	for round := range rounds + 1 { // in turn, and once so that the registry has all of it
		for _, command := range commands {
			home := t.TempDir()
			cold, warm := startWithNPX(t, registry, home, command), startWithNPX(t, registry, home, command)
			if round > 0 {
				first[command], second[command] = append(first[command], cold), append(second[command], warm)
			}
			unpacked[command] = size(t, filepath.Join(home, "npm", "_npx"))
		}
	}
	for _, command := range commands {
		t.Logf("npx -y %s: %.1f MB downloaded, %.1f MB unpacked", command, float64(first[command][0].downloaded)/1e6,
			float64(unpacked[command])/1e6)
		for _, starts := range []struct {
			name string
			all  []start
		}{{"empty cache", first[command]}, {"again", second[command]}} {
			t.Logf("  %-12s initialize %v, tools/list %v", starts.name,
				median(starts.all, func(s start) time.Duration { return s.initialize }),
				median(starts.all, func(s start) time.Duration { return s.list }))
		}
	}
}

// startWithNPX starts a server in an empty folder.
func startWithNPX(t *testing.T, registry *registry, home, command string) (s start) {
	t.Helper()
	registry.reset()
	c := started("npx", append([]string{"-y"}, strings.Fields(command)...)...)(t.TempDir())
	c.Env = append(os.Environ(), registry.environment(home)...)
	began := time.Now()
	server := startServer(t, c)
	defer server.stop()
	s.initialize = time.Since(began)
	server.asks(t, `"method":"tools/list"`)
	s.list = time.Since(began)
	s.downloaded = registry.reset()
	return s
}

func median(starts []start, of func(start) time.Duration) time.Duration {
	var all []time.Duration
	for _, s := range starts {
		all = append(all, of(s))
	}
	slices.Sort(all)
	return all[len(all)/2].Round(time.Millisecond)
}
