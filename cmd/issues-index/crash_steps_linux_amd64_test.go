package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCrashAtEveryStep kills each victim before each of its steps. Without -long it takes
// some of them.
func TestCrashAtEveryStep(t *testing.T) {
	t.Parallel()
	for at, v := range victims {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			c := newCrashSite(t, t.TempDir())
			input := filepath.Join(t.TempDir(), "input") // a file: nothing feeds the input of a traced program
			c.must(os.WriteFile(input, []byte(v.input), 0o600))
			for n, killed := 1, true; killed; n++ {
				if !*long {
					n = 2*n + 40 + at
				}
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
			}
		})
	}
}
