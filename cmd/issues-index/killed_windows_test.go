package main

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// TestWindowsProgramKilled kills the program while it makes the index, writes, moves, ticks, takes
// back and serves. After each death the next commands do their work, no document is lost or half
// written, and nothing is left that is in their way.
func TestWindowsProgramKilled(t *testing.T) {
	rounds := 27
	if storetest.Long() {
		rounds = 270
	}
	killed := map[string]bool{
		"a first list": true, "a rebuild": true, "a new document": true, "a change": true, "an undo": true,
		"a closing": true, "a tick": true, "a claim": true, "a first server": true,
	}
	random := rand.New(rand.NewPCG(20261128, 1))
	c := newCrashSite(t, t.TempDir())
	var these []victim
	takes := map[string]time.Duration{} // of a victim that is not killed
	for _, v := range victims {
		if !killed[v.name] {
			continue
		}
		these = append(these, v)
		c.prepare(v)
		start := time.Now()
		if out, err := c.command(v).CombinedOutput(); err != nil && v.name != "an undo" {
			t.Fatalf("%s: %v\n%s", v.name, err, out)
		}
		takes[v.name] = time.Since(start)
	}
	deaths := 0
	for round := range rounds {
		v := these[round%len(these)]
		c.prepare(v)
		program := c.command(v)
		c.must(program.Start())
		time.Sleep(takes[v.name]/4 + time.Duration(random.Int64N(int64(takes[v.name]/2))))
		_ = program.Process.Kill() // it may have ended
		_ = program.Wait()         // it was killed
		if !program.ProcessState.Success() {
			deaths++
		}
		c.isWhole(t, round%10 == 0)
		if t.Failed() {
			t.Fatalf("in round %d, of %s", round, v.name)
		}
	}
	t.Logf("%d rounds, %d deaths", rounds, deaths)

	// A server removes what killed writers have left.
	a := startAgent(t, c.root)
	a.must(t, "issues_list", map[string]any{}, nil)
	a.end()
	for _, folder := range []string{"issues", "issues/archived", "cache"} {
		left, err := filepath.Glob(filepath.Join(c.root, ".wrangler", folder, ".issues-index-*.tmp"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// isWhole holds that all documents are there, that the commands work, and that no half index is left.
func (c *crashSite) isWhole(t *testing.T, all bool) {
	t.Helper()
	done := func(args ...string) printed {
		t.Helper()
		p := runIn(t, c.root, args...)
		if p.code != 0 || p.errOut != "" {
			t.Errorf("%v: exit code %d\n%s%s", args, p.code, p.out, p.errOut)
		}
		return p
	}
	listed := done("list", "--all", "--limit", "100").out
	documents := readAll(t, c.root)
	for id, doc := range documents {
		if !strings.Contains(listed, id) {
			t.Errorf("%s is not listed:\n%s", id, listed)
		}
		_, planted := c.documents[filepath.Join(c.root, ".wrangler", "issues", id+"-thing.md")]
		if planted && !strings.HasPrefix(doc.Body, "Text of ") {
			t.Errorf("%s has the text %q", id, doc.Body)
		}
	}
	for path := range c.documents {
		if id := filepath.Base(path)[:len("ISS-000001")]; documents[id] == nil {
			t.Errorf("%s is lost", id)
		}
	}
	done("set", "8", "project=after")
	if all {
		done("tick", "8", "1")
		done("done", "8")
		done("undo")
		done("claim", "8", "--as", "after")
		done("release", "8", "--as", "after")
	}
	if left, err := filepath.Glob(filepath.Join(c.root, ".wrangler", "cache", "*.new-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
