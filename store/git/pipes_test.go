//go:build linux || darwin

package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"issues-index/store/storetest"
)

// Any file in a .git can be a pipe that nobody writes to: an archive has it so. git waits for
// ever where it reads one, and what asks git does not.
func TestNobodyWaitsForAPipeInARepository(t *testing.T) {
	answerTime = time.Second / 10
	t.Cleanup(func() { answerTime = 10 * time.Second })
	whole := ""
	repositoryOf(t, "[include]\n\tpath = included\n[log]\n\tmailmap = true\n", func(git func(args ...string) string, at string) {
		whole = at
		write(t, whole, "a.md", "a")
		git("add", "--all")
		git("commit", "--quiet", "-m", "Fixes ISS-000001")
	})
	names := []string{
		".git/HEAD", ".git/config", ".git/included", ".git/commondir", ".git/packed-refs", ".git/refs/heads/main", ".git/shallow",
		".git/index", ".git/info/grafts", ".git/info/exclude", ".git/info/attributes", ".git/refs/replace/x",
		".git/objects/info/alternates", ".git/objects/info/commit-graph", ".gitattributes", ".gitignore", ".mailmap",
	}
	for _, name := range storetest.FewOf(names, 6) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			r, err := OpenRepository(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			pipe := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.RemoveAll(pipe), os.MkdirAll(filepath.Dir(pipe), 0o777), unix.Mkfifo(pipe, 0o666)); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // half of what a long run has
			defer cancel()
			if _, err := OpenRepository(ctx, dir); err != nil && !errors.As(err, new(*UnreadableError)) {
				t.Errorf("open: %v", err)
			}
			if err := r.Messages(ctx, []string{r.Head}, 10, func(Commit) {}); err != nil && !errors.As(err, new(*UnreadableError)) && !errors.As(err, new(*Error)) {
				t.Errorf("messages: %v", err)
			}
			_ = Ignores(ctx, dir, "a.md")
			_, _ = MissingSettings(ctx, dir, DriverSettings())
			_ = Worktrees(dir)
			_, _ = r.Resolve(ctx, "main")
			_ = HeadStamp(dir)
			if ctx.Err() != nil {
				t.Error("it waits for the pipe")
			}
		})
	}
}
