//go:build !windows

package workspaces

import "testing"

// BenchmarkAcquire is what a call costs to find its workspace: without a word, as the client's
// open folders say, by a path in the start workspace, and by one in a worktree beside it.
func BenchmarkAcquire(b *testing.B) {
	w := newWorld(b, false)
	w.repository(w.start)
	tree := w.base + "/tree"
	w.git(w.start, "worktree", "add", "-q", tree)
	for _, bench := range []struct {
		name string
		ask  Ask
	}{
		{"the start workspace", Ask{}},
		{"an open folder", rooted(w.start)},
		{"a path", named(w.start + "/.wrangler/issues")},
		{"a worktree", named(tree)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				_, release, err := w.pool.Acquire(b.Context(), bench.ask)
				w.must(err)
				release()
			}
		})
	}
}
