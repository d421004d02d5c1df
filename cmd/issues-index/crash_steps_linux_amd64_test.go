package main

import (
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
