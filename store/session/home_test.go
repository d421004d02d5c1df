package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestASessionIsFoundFromEveryWorktree(t *testing.T) {
	main := gitRepository(t)
	linked := filepath.Join(realDir(t, t.TempDir()), "linked")
	gitIn(t, main.Root, "worktree", "add", "--quiet", "-b", "linked", linked)
	beside := openWorkspace(t, linked, nil)
	s := start(t, main)
	within := openWorkspace(t, s.WorktreePath, nil)
	later := start(t, main)
	other := start(t, beside)
	home := func(w Sessions, id, wantRoot, wantID string) {
		t.Helper()
		if root, found, err := w.Home(t.Context(), id); err != nil || root != wantRoot || found != wantID {
			t.Errorf("%q from %s has its home at %s as %q, %v", id, w.Root, root, found, err)
		}
	}
	for _, w := range []Sessions{main, beside, within} {
		home(w, s.ID, main.Root, s.ID)
		home(w, later.ID, main.Root, later.ID)
		home(w, other.ID, linked, other.ID)
		home(w, "2026-01-01-abcdef0-1234", w.Root, "2026-01-01-abcdef0-1234")
		for _, id := range []string{"../" + s.ID, ".", "a/b", "a\x00"} {
			home(w, id, w.Root, id)
		}
	}
	// Without an id it is the one that works there, though others were begun later.
	home(main, "", main.Root, "")
	home(beside, "", linked, "")
	home(within, "", main.Root, s.ID)
	if _, _, err := main.Complete(t.Context(), s.ID, "completed", "", 0, ""); err != nil {
		t.Fatal(err)
	}
	home(within, "", within.Root, "")
	home(within, s.ID, main.Root, s.ID)

	t.Run("but not in what a repository only claims to be one", func(t *testing.T) {
		stranger := realDir(t, t.TempDir())
		writeFiles(t, stranger, map[string]string{
			".wrangler/sessions/2026-02-02-abcdef0-0001/context.json": `{"id": "2026-02-02-abcdef0-0001", "status": "running", "worktreePath": "` + within.Root + `"}`,
		})
		writeFiles(t, main.Root, map[string]string{
			".git/worktrees/forged/gitdir":    filepath.Join(stranger, ".git") + "\n",
			".git/worktrees/forged/commondir": "../..\n",
		})
		home(within, "2026-02-02-abcdef0-0001", within.Root, "2026-02-02-abcdef0-0001")
		home(within, "", within.Root, "")
	})
	t.Run("and not after the call was given up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := within.Home(ctx, ""); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Run("also by its place below the top of the repository", func(t *testing.T) {
		writeFiles(t, main.Root, map[string]string{"sub/" + specPath: "x"})
		gitIn(t, main.Root, "add", "-A", "sub")
		commitIn(t, main.Root)
		sub := openWorkspace(t, filepath.Join(main.Root, "sub"), nil)
		s := start(t, sub)
		at := sub.WorkspaceOf(s.Session)
		if want := filepath.Join(s.WorktreePath, "sub"); at != want {
			t.Errorf("it works at %s, want %s", at, want)
		}
		if err := os.MkdirAll(filepath.Join(at, ".wrangler"), 0o755); err != nil {
			t.Fatal(err)
		}
		home(openWorkspace(t, at, nil), "", sub.Root, s.ID)

		moved := filepath.Join(t.TempDir(), "moved")
		if err := errors.Join(os.Rename(s.WorktreePath, moved), os.Symlink(moved, s.WorktreePath)); err != nil {
			t.Fatal(err)
		}
		if at := sub.WorkspaceOf(s.Session); at != "" {
			t.Errorf("a link stands in its place, and it works at %s", at)
		}
	})
}
