//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/index/team/nats"
	"issues-index/index/team/natstest"
	"issues-index/store"
	"issues-index/store/mirror"
)

// A teamBench is a cluster of three nodes, each a process, and two processes of the program: a
// server with the files of the workspace api, and a hub.
type teamBench struct {
	*testing.T
	program string
	cluster *nodeProcesses
	corpus  *corpus
	hubDir  string
	rounds  int // of each call

	owner, hub *serverProcess
	result     sizeResult
}

// What a team waits for, with a real cluster on this machine: nodes, publisher and hub share
// its cores and its disk.
func TestTeamFigures(t *testing.T) {
	const rounds = 100
	all := sizes(t)
	program, err := buildProgram(t.Context(), t.TempDir())
	must(t, err)
	var results []sizeResult
	for _, size := range all {
		c, err := generate(filepath.Join(t.TempDir(), "api"), size, true)
		must(t, err)
		b := &teamBench{
			T: t, program: program, cluster: startNodes(t, 3), corpus: c, hubDir: filepath.Join(t.TempDir(), "hub"),
			rounds: rounds,
			result: sizeResult{Documents: size, CorpusBytes: c.bytes, Figures: map[string]float64{}},
		}
		for _, measure := range []func(){b.measurePublication, b.measureNewHub, b.measureLatency, b.measureClaims,
			b.measureAgreement, b.measureStops} {
			known := len(b.result.rows)
			measure()
			for _, name := range b.result.rows[known:] { // which are far between
				t.Logf("%s: %s", name, figure(b.result.Figures[name]))
			}
		}
		must(t, b.hub.stop(), b.owner.stop())
		b.measureRestarts()
		results = append(results, b.result)
	}
	must(t, writeTable(t.Output(), rounds, results))
}

// serve starts a process of the program for a user of the cluster.
func (b *teamBench) serve(user string, arguments ...string) *serverProcess {
	b.Helper()
	c := command(b.Context(), b.program, b.corpus.root, "serve")
	o := b.cluster.Options(user)
	c.Args = append([]string{b.program}, arguments...)
	c.Env = append(c.Env, "ISSUES_INDEX_TEAM_URL="+strings.Join(o.URLs, ","),
		"ISSUES_INDEX_TEAM_CREDENTIALS="+o.Credentials)
	if user != natstest.Hub {
		c.Env = append(c.Env, "ISSUES_INDEX_TEAM_WORKSPACE=api")
	}
	s, err := startServing(c)
	must(b.T, err)
	return s
}

func (b *teamBench) serveHub() *serverProcess { return b.serve(natstest.Hub, "hub", "--dir", b.hubDir) }

// call is a call that has to succeed.
func (b *teamBench) call(s *serverProcess, tool string, arguments map[string]any) json.RawMessage {
	b.Helper()
	answer, err := s.call(tool, arguments, false)
	must(b.T, err)
	return answer
}

// until waits for what may take long, and returns how long it took.
func (b *teamBench) until(what string, pause time.Duration, holds func() bool) time.Duration {
	b.Helper()
	began := time.Now()
	for !holds() {
		if time.Since(began) > 30*time.Minute {
			b.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(pause)
	}
	return time.Since(began)
}

// total is how many documents of something there are by a server's answer.
func (b *teamBench) total(s *serverProcess, tool string, arguments map[string]any) int {
	b.Helper()
	var answer struct{ Total, TotalCount int }
	must(b.T, json.Unmarshal(b.call(s, tool, arguments), &answer))
	return max(answer.Total, answer.TotalCount)
}

// measurePublication publishes all documents for the first time. Their index is there.
func (b *teamBench) measurePublication() {
	must(b.T, command(b.Context(), b.program, b.corpus.root, "rebuild").Run())
	team := b.connectTo(0, natstest.Hub)
	began := time.Now()
	b.owner = b.serve(natstest.API, "serve", "--workspace", b.corpus.root)
	b.until("the publication", 5*time.Millisecond, func() bool {
		state, err := team.LogState(b.Context())
		return err == nil && state.Last > uint64(b.corpus.documents) //nolint:gosec // and the manifest
	})
	took := time.Since(began)
	b.result.add("first publication, s", took.Seconds())
	b.result.add("first publication, documents a second", float64(b.corpus.documents)/took.Seconds())
	b.result.add("disk of a node, MB", float64(sizeBelow(b.T, b.cluster.Plan.Data))/1e6/float64(len(b.cluster.Plan.Nodes)))
	b.result.add("memory of a node, MB", b.cluster.memory())
	b.result.add("memory of the publisher, MB", megabytes(b.owner.process.Process.Pid, "VmRSS"))
	b.result.add("memory of the publisher at most, MB", megabytes(b.owner.process.Process.Pid, "VmHWM"))
}

// asOf is when the hub had everything last, zero for never.
func (b *teamBench) asOf() time.Time {
	data, err := os.ReadFile(filepath.Join(b.hubDir, filepath.FromSlash(mirror.CacheDir), "hub.json"))
	var state struct{ AsOf time.Time }
	if err != nil || json.Unmarshal(data, &state) != nil {
		return time.Time{}
	}
	return state.AsOf
}

// measureNewHub fills a hub from nothing: first its files, then its index.
func (b *teamBench) measureNewHub() {
	began := time.Now()
	b.hub = b.serveHub()
	b.until("the files of the hub", 5*time.Millisecond, func() bool { return !b.asOf().IsZero() })
	files := time.Since(began)
	b.until("the hub", 20*time.Millisecond, func() bool {
		return b.total(b.hub, "issues_stats", map[string]any{"groupBy": "status"}) == b.corpus.documents
	})
	took := time.Since(began)
	pid := b.hub.process.Process.Pid
	b.result.add("a new hub, s", took.Seconds())
	b.result.add("of which until its files are there, s", files.Seconds())
	b.result.add("a new hub, documents a second", float64(b.corpus.documents)/took.Seconds())
	b.result.add("memory of the hub, MB", megabytes(pid, "VmRSS"))
	b.result.add("memory of the hub at most, MB", megabytes(pid, "VmHWM"))
	cache := filepath.Join(b.hubDir, filepath.FromSlash(store.CacheDir))
	b.result.add("index of the hub, MB", float64(sizeBelow(b.T, cache))/1e6)
	b.result.add("files of the hub, MB", float64(sizeBelow(b.T, b.hubDir)-sizeBelow(b.T, cache))/1e6)
}

// measureLatency changes one document over and over.
func (b *teamBench) measureLatency() {
	file := filepath.Join(b.corpus.root, b.corpus.openPath)
	text, err := os.ReadFile(file)
	must(b.T, err)
	var seen, written []time.Duration
	for round := range warmRounds + b.rounds {
		word := fmt.Sprintf("changed%dx", round)
		began := time.Now()
		must(b.T, os.WriteFile(file, fmt.Appendf(nil, "%s\n%s\n", text, word), 0o600))
		b.until("the change", time.Millisecond, func() bool {
			return b.total(b.hub, "issues_search", map[string]any{"query": word}) == 1
		})
		if round >= warmRounds {
			seen = append(seen, time.Since(began))
		}
	}
	b.result.addTimes("from the change of a file to the answer of a hub", seen)
	for round := range warmRounds + b.rounds {
		b.call(b.hub, "issues_update", map[string]any{"id": "api:" + b.corpus.openIssue, "status": []string{"in_progress",
			"open"}[round%2]})
		if round >= warmRounds {
			written = append(written, b.hub.took)
		}
	}
	b.result.addTimes("an update through a hub, until the hub shows it", written)
	written = nil
	for round := range warmRounds + b.rounds {
		b.call(b.owner, "issues_update", map[string]any{"id": b.corpus.openIssue, "status": []string{"in_progress",
			"open"}[round%2]})
		if round >= warmRounds {
			written = append(written, b.owner.took)
		}
	}
	b.result.addTimes("an update on the machine with the files", written)
}

// measureRestarts starts a hub that has its documents.
func (b *teamBench) measureRestarts() {
	var listed, verified []time.Duration
	for range 3 {
		before := b.asOf()
		hub := b.serveHub()
		b.call(hub, "issues_list", map[string]any{"limit": 20})
		listed = append(listed, time.Since(hub.started))
		b.until("a verified hub", 5*time.Millisecond, func() bool { return b.asOf().After(before) })
		verified = append(verified, time.Since(hub.started))
		must(b.T, hub.stop())
	}
	b.result.addTimes("a hub that has its documents: start to first list", listed)
	b.result.addTimes("a hub that has its documents: start to verified", verified)
}

// sizeBelow is that of all files below a folder, in bytes.
func sizeBelow(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	}))
	return bytes
}

// megabytes is a figure of a process's memory, as /proc names it; 0 where that does not tell.
func megabytes(pid int, name string) float64 {
	var kilobytes float64
	_, _ = fmt.Sscanf(procField(fmt.Sprintf("/proc/%d/status", pid), name), "%f kB", &kilobytes)
	return kilobytes * 1024 / 1e6
}

// connectTo connects a machine to one of the nodes.
func (b *teamBench) connectTo(node int, user string) *nats.TeamConnection {
	b.Helper()
	o := b.cluster.Options(user)
	o.URLs = o.URLs[node%len(o.URLs) : node%len(o.URLs)+1]
	c, err := nats.Connect(b.Context(), o)
	must(b.T, err)
	b.Cleanup(func() { _ = c.Close() })
	return c
}
