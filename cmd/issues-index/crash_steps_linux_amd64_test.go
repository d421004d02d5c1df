package main

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestCrashAtEveryStep kills each victim before each of its steps. Without -long it takes one
// of the first.
func TestCrashAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, v := range victims {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			c := newCrashSite(t, t.TempDir())
			input := filepath.Join(t.TempDir(), "input") // a file: nothing feeds the input of a traced program
			c.must(os.WriteFile(input, []byte(v.input), 0o600))
			step := 1
			if v.state == changed {
				step = 23 // most write one page of thousands, which are all alike
			}
			first := 1
			if !*long {
				first = 1 + rand.IntN(300)
			}
			for n, killed := first, true; killed; n += step {
				c.prepare(v)
				program := c.command(v)
				stdin, err := os.Open(input)
				c.must(err)
				program.Stdin = stdin
				killed = killedAtStep(t, program, n)
				c.must(stdin.Close())
				c.recovers(v)
				if t.Failed() {
					t.Fatalf("after a death at step %d", n)
				}
				if !*long {
					return
				}
			}
		})
	}
}

// TestCrashIsTakenBackWhole kills commands that change several documents before each of their
// steps: undo then gives all documents what they had before, or says that it cannot, and never
// takes an earlier command back instead. Without -long it takes some of the steps.
func TestCrashIsTakenBackWhole(t *testing.T) {
	t.Parallel()
	ids := "ISS-000002\nISS-000003\nISS-000004\n"
	for _, v := range []victim{
		{"changes", warm, []string{"set", "-", "priority=high"}, ids},
		{"moves", warm, []string{"set", "-", "status=closed"}, ids},
		{"deletions", warm, []string{"delete", "ISS-000002", "ISS-000003", "--yes"}, ""},
		{"a new document", warm, []string{"new", "One more"}, ""},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			c := newCrashSite(t, t.TempDir())
			input := filepath.Join(t.TempDir(), "input")
			c.must(os.WriteFile(input, []byte(v.input), 0o600))
			first, step := 1, 1
			if !*long {
				first, step = 1+rand.IntN(60), 60
			}
			for n, killed := first, true; killed; n += step {
				c.must(os.RemoveAll(c.cache()))
				c.prepare(v)
				original := c.texts()
				c.works(victim{args: []string{"set", "ISS-000001", "priority=low"}})
				before := c.texts()
				program := c.command(v)
				stdin, err := os.Open(input)
				c.must(err)
				program.Stdin = stdin
				killed = killedAtStep(t, program, n)
				c.must(stdin.Close())
				after := c.texts()
				want := before
				if maps.Equal(after, before) {
					want = original
				}
				said, err := c.command(victim{args: []string{"undo"}}).CombinedOutput()
				if bytes.Contains(said, []byte("damaged")) && err != nil && maps.Equal(after, before) {
					want = before
				}
				if now := c.texts(); !maps.Equal(now, want) {
					t.Fatalf("after a death at step %d the documents are %q, want %q\n%s", n, now, want, said)
				}
			}
		})
	}
}

// texts are the documents.
func (c *crashSite) texts() map[string]string {
	c.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.md", "archived/*.md"} {
		paths, err := filepath.Glob(filepath.Join(c.root, ".wrangler", "issues", pattern))
		c.must(err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			c.must(err)
			all[path] = string(text)
		}
	}
	return all
}
