package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"issues-index/store/storetest"
)

// TestCrashAtEveryStep kills each victim before each of its steps. Without -long it takes a few of
// the victims, and one of their first steps.
func TestCrashAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, v := range storetest.FewOf(victims, 8) {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			c := newCrashSite(t, t.TempDir())
			input := filepath.Join(t.TempDir(), "input")
			c.must(os.WriteFile(input, []byte(v.input), 0o600))
			step := 1
			if v.state == changed {
				step = 23 // most write one page of thousands, which are all alike
			}
			first := 1
			if !storetest.Long() {
				first = 1 + rand.IntN(300)
			}
			for n, killed := first, true; killed; n += step {
				c.prepare(v)
				killed = c.diesAt(t, v, input, n)
				c.recovers(v)
				if t.Failed() {
					t.Fatalf("after a death at step %d", n)
				}
				if !storetest.Long() {
					return
				}
			}
		})
	}
}

// TestCrashIsTakenBackWhole kills commands that change several documents before each of their
// steps: undo then gives all documents what they had before, or says that it cannot, and never
// takes an earlier command back instead. Without -long it takes two of the commands, and some of
// their steps.
func TestCrashIsTakenBackWhole(t *testing.T) {
	t.Parallel()
	ids := "ISS-000002\nISS-000003\nISS-000004\n"
	for _, v := range storetest.FewOf([]victim{
		{"changes", warm, []string{"set", "-", "priority=high"}, ids},
		{"moves", warm, []string{"set", "-", "status=closed"}, ids},
		{"deletions", warm, []string{"delete", "ISS-000002", "ISS-000003", "--yes"}, ""},
		{"a new document", warm, []string{"new", "One more"}, ""},
	}, 2) {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			c := newCrashSite(t, t.TempDir())
			input := filepath.Join(t.TempDir(), "input")
			c.must(os.WriteFile(input, []byte(v.input), 0o600))
			first, step := 1, 1
			if !storetest.Long() {
				first, step = 1+rand.IntN(60), 60
			}
			for n, killed := first, true; killed; n += step {
				c.must(os.RemoveAll(c.cache()))
				c.prepare(v)
				original := documentBytes(t, c.root)
				c.works(victim{args: []string{"set", "ISS-000001", "priority=low"}})
				before := documentBytes(t, c.root)
				killed = c.diesAt(t, v, input, n)
				after := documentBytes(t, c.root)
				want := before
				if after == before {
					want = original
				}
				said, err := c.command(victim{args: []string{"undo"}}).CombinedOutput()
				if bytes.Contains(said, []byte("damaged")) && err != nil && after == before {
					want = before
				}
				if now := documentBytes(t, c.root); now != want {
					t.Fatalf("after a death at step %d the documents are\n%swant\n%s%s", n, now, want, said)
				}
			}
		})
	}
}

// diesAt kills a victim before a step, and reports whether it got that far. Its input is in a
// file: nothing feeds the input of a traced program.
func (c *crashSite) diesAt(t *testing.T, v victim, input string, n int) bool {
	t.Helper()
	program := c.command(v)
	stdin, err := os.Open(input)
	c.must(err)
	program.Stdin = stdin
	killed := killedAtStep(t, program, n)
	c.must(stdin.Close())
	return killed
}
