package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAWorktreeOfASessionThatNeverBeganIsNamedAtTheNextStart(t *testing.T) {
	w := gitRepository(t)
	start := func() StartedSession {
		t.Helper()
		s, err := w.StartSession(context.Background(), NewSession{SpecFile: specPath})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := start()
	if first.Note != "" {
		t.Errorf("the first session is told %q", first.Note)
	}
	// What a process leaves that is killed between the worktree and the session.
	if err := os.RemoveAll(filepath.Join(w.Root, sessionsDir, first.ID)); err != nil {
		t.Fatal(err)
	}
	second := start()
	for _, want := range []string{"git worktree remove " + filepath.ToSlash(strings.TrimPrefix(first.WorktreePath, w.Root+"/")), "git branch -d " + first.BranchName} {
		if !strings.Contains(second.Note, want) {
			t.Errorf("the note %q lacks %q", second.Note, want)
		}
	}
	if strings.Contains(second.Note, second.BranchName) {
		t.Errorf("the note names the session's own worktree: %q", second.Note)
	}
	if _, err := os.Stat(first.WorktreePath); err != nil {
		t.Errorf("the worktree is gone: %v", err)
	}
}
