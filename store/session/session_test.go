package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"issues-index/store"
)

const specPath = ".wrangler/specifications/SPEC-000007-big-feature.md"

// committed is the folder .git of the first gitRepository: the others are copies.
var committed fstest.MapFS

// gitRepository is a workspace with a specification in a new git repository,
// in which everything is committed unless files say otherwise.
func gitRepository(t *testing.T) Sessions {
	t.Helper()
	withGit(t)
	root := realDir(t, t.TempDir())
	writeFiles(t, root, map[string]string{specPath: "---\nid: SPEC-000007\n---\n"})
	at := filepath.Join(root, ".git")
	if committed != nil {
		if err := os.CopyFS(at, committed); err != nil {
			t.Fatal(err)
		}
		return openWorkspace(t, root, nil)
	}
	gitIn(t, root, "init", "--quiet", "--initial-branch=main")
	gitIn(t, root, "add", ".")
	commitIn(t, root)
	committed = filesBelow(t, at)
	return openWorkspace(t, root, nil)
}

// filesBelow reads a folder, the samples of hooks excepted.
func filesBelow(t *testing.T, dir string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || strings.HasSuffix(p, ".sample"):
			return err
		case e.IsDir():
			files[p] = &fstest.MapFile{Mode: fs.ModeDir | 0o777}
			return nil
		}
		data, err := os.ReadFile(filepath.Join(dir, p))
		files[p] = &fstest.MapFile{Data: data, Mode: 0o666}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// withGit has the test and what it tests run git away from the settings of this machine.
func withGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed here:", err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

// gitIn runs git as the tests use it.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	withGit(t)
	c := exec.CommandContext(t.Context(), "git", append([]string{"-c", "maintenance.auto=false"}, args...)...)
	c.Dir, c.Env = dir, slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_DIR=") })
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func commitIn(t *testing.T, dir string) {
	t.Helper()
	gitIn(t, dir, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--allow-empty", "-m", "x")
}

// start starts a session for the specification.
func start(t testing.TB, w Sessions) Started {
	t.Helper()
	s, err := w.Start(context.Background(), StartOptions{SpecFile: specPath})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// specified is a workspace with a specification and no git.
func specified(t testing.TB) Sessions {
	t.Helper()
	return newWorkspace(t, map[string]string{specPath: "x"})
}

func TestAnIDIsDrawnUntilNoSessionHasIt(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		sessionFile("2026-01-02-abcdef0-0001", contextFile): "{}",
		store.SessionsDir + "/2026-01-02-abcdef0-0002":      "a file in the way",
	})
	drawn := 0
	id := w.untaken(func() string {
		drawn++
		return fmt.Sprintf("2026-01-02-abcdef0-%04x", drawn)
	})
	if id != "2026-01-02-abcdef0-0003" {
		t.Errorf("drawn is %s", id)
	}
}

func TestASessionLivesInItsGitRepository(t *testing.T) {
	w := gitRepository(t)
	ctx := t.Context()
	s := start(t, w)
	short := gitIn(t, w.Root, "rev-parse", "--short=7", "HEAD")
	day := time.Now().UTC().Format("2006-01-02")
	if !strings.HasPrefix(s.ID, day[:8]) || !strings.Contains(s.ID, "-"+short+"-") || len(s.ID) != len(day)+len(short)+6 {
		t.Errorf("id %s", s.ID)
	}
	if s.Status != "running" || s.CurrentPhase != "init" || !s.WorktreeCreated || s.Note != "" || len(s.Problems) > 0 {
		t.Errorf("%+v", s)
	}
	if want := filepath.Join(w.Root, ".worktrees", "big-feature"); s.WorktreePath != want {
		t.Errorf("worktree %s, want %s", s.WorktreePath, want)
	}
	if got := gitIn(t, s.WorktreePath, "branch", "--show-current"); got != s.BranchName || got != "wrangler/big-feature/"+s.ID {
		t.Errorf("branch %s, %s", got, s.BranchName)
	}
	t.Run("git does not list the worktree as untracked", func(t *testing.T) {
		if got := gitIn(t, w.Root, "status", "--porcelain"); got != "?? .wrangler/sessions/" {
			t.Error(got)
		}
		if _, err := os.Stat(filepath.Join(w.Root, ".gitignore")); err == nil {
			t.Error(".gitignore was written")
		}
	})
	for _, phase := range []string{"plan", "plan", "execute"} {
		if _, err := w.RecordPhase(ctx, s.ID, phase, "complete", json.RawMessage(`{"total_tasks": 3, "phase": "forged"}`)); err != nil {
			t.Fatal(err)
		}
	}
	for _, last := range []string{"one", "two", "three"} {
		if _, _, err := w.SaveCheckpoint(ctx, s.ID, Checkpoint{TasksCompleted: []string{last}, LastAction: last}); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("another process finds it with its checkpoint", func(t *testing.T) {
		found, c, err := openWorkspace(t, w.Root, nil).Find(ctx, "")
		if err != nil || found.ID != s.ID || c == nil || c.LastAction != "three" || c.CurrentPhase != "execute" {
			t.Fatalf("%+v %+v %v", found, c, err)
		}
		if !slices.Equal(found.PhasesCompleted, []string{"init", "plan", "execute"}) || !slices.Equal(found.TasksCompleted, []string{"three"}) {
			t.Errorf("%+v", found)
		}
	})
	done, took, err := w.Complete(ctx, s.ID, "completed", "https://example.org/pull/3", 3, "All done.")
	if err != nil || done.Status != "completed" || done.PRNumber != 3 || took != done.CompletedAt.Sub(done.StartedAt) {
		t.Fatalf("%+v %v %v", done, took, err)
	}
	t.Run("the audit file reads back line by line", func(t *testing.T) {
		entries, skipped, err := w.Audit(ctx, s.ID)
		var phases []string
		for _, e := range entries {
			phases = append(phases, e.Phase+" "+e.Status)
		}
		want := "init complete,plan complete,plan complete,execute complete,checkpoint complete,checkpoint complete,checkpoint complete,complete complete"
		if strings.Join(phases, ",") != want || skipped != 0 || err != nil {
			t.Errorf("%v %d %v", phases, skipped, err)
		}
	})
	if _, _, err := w.Find(ctx, ""); !errors.Is(err, ErrNotFound) {
		t.Error("an ended session is found as one that could go on:", err)
	}
}
