package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// mostStale bounds the worktrees that a note names.
const mostStale = 3

// staleWorktrees says which worktrees were made for sessions that never got a file, since
// the program was killed in between, and how to remove them; "" when there are none.
// They are not removed here: another process may be starting such a session now.
func (w *Workspace) staleWorktrees(ctx context.Context) string {
	out, err := git(ctx, w.Root, "worktree", "list", "--porcelain")
	if err != nil {
		return "" // the session has begun all the same
	}
	home := w.absolute(worktreesDir)
	var commands []string
	for about := range strings.SplitSeq(out, "\n\n") {
		var dir, branch string
		for line := range strings.SplitSeq(about, "\n") {
			if value, ok := strings.CutPrefix(line, "worktree "); ok {
				dir = filepath.FromSlash(value)
			}
			if value, ok := strings.CutPrefix(line, "branch refs/heads/"); ok {
				branch = value
			}
		}
		if !strings.HasPrefix(branch, "wrangler/") || !inside(home, dir) {
			continue
		}
		if _, err := w.resolve(path.Join(sessionsDir, path.Base(branch))); errors.Is(err, fs.ErrNotExist) {
			rel := filepath.ToSlash(strings.TrimPrefix(dir, w.Root+string(filepath.Separator)))
			commands = append(commands, fmt.Sprintf("git worktree remove %s && git branch -d %s", rel, branch))
		}
	}
	if len(commands) == 0 {
		return ""
	}
	shown := commands[:min(len(commands), mostStale)]
	note := "worktrees of sessions that never began are left over: " + strings.Join(shown, "; ")
	if left := len(commands) - len(shown); left > 0 {
		note += fmt.Sprintf("; and %d more", left)
	}
	return note + " removes what has no changes"
}
