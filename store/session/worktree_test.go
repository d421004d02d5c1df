package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"issues-index/store"
	"issues-index/store/cachedir"
)

func TestASessionWorksWithoutAWorktreeAndSaysWhy(t *testing.T) {
	current := func(t *testing.T, w Sessions, why string) {
		t.Helper()
		s := start(t, w)
		if s.WorktreeCreated || s.BranchName != "current" || s.WorktreePath != w.Root || !strings.Contains(s.Note, why) || !strings.Contains(s.ID, "-nogit-") {
			t.Errorf("%+v", s)
		}
		if _, err := os.Stat(filepath.Join(w.Root, ".worktrees")); err == nil {
			t.Error("a folder of worktrees was made")
		}
		if _, err := w.RecordPhase(t.Context(), s.ID, "plan", "started", nil); err != nil {
			t.Error(err)
		}
	}
	t.Run("outside a repository", func(t *testing.T) {
		w := specified(t)
		t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(w.Root))
		gitIn(t, w.Root, "version")
		current(t, w, "in no git repository")
	})
	t.Run("in a repository without a commit", func(t *testing.T) {
		w := specified(t)
		gitIn(t, w.Root, "init", "--quiet")
		current(t, w, "no commit yet")
	})
	t.Run("with git missing", func(t *testing.T) {
		w := gitRepository(t)
		t.Setenv("PATH", "")
		current(t, w, "git is not installed")
		_, err := w.Start(t.Context(), StartOptions{SpecFile: specPath, WorkingDirectory: t.TempDir()})
		var path *store.PathError
		if !errors.As(err, &path) {
			t.Error(err)
		}
	})
}

func TestWorktreesOfSessions(t *testing.T) {
	t.Run("a name that is taken gets a number", func(t *testing.T) {
		w := gitRepository(t)
		first := start(t, w)
		writeFiles(t, w.Root, map[string]string{".worktrees/big-feature-2": "a file in the way"})
		third := start(t, w)
		if filepath.Base(third.WorktreePath) != "big-feature-3" || third.BranchName != "wrangler/big-feature/"+third.ID {
			t.Errorf("%+v", third)
		}
		if err := os.RemoveAll(third.WorktreePath); err != nil { // git still has it
			t.Fatal(err)
		}
		if fourth := start(t, w); filepath.Base(fourth.WorktreePath) != "big-feature-4" {
			t.Errorf("%+v", fourth)
		}
		if got := gitIn(t, first.WorktreePath, "branch", "--show-current"); got != first.BranchName {
			t.Error("the first has", got)
		}
		if got := gitIn(t, w.Root, "status", "--porcelain", "-uall"); strings.Contains(got, ".worktrees") {
			t.Errorf("git lists them: %s", got)
		}
	})
	t.Run("a .gitignore of their folder's stays as it is", func(t *testing.T) {
		w := gitRepository(t)
		writeFiles(t, w.Root, map[string]string{".worktrees/.gitignore": "# mine"})
		start(t, w)
		if got := tree(t, w.Root)[".worktrees/.gitignore"]; got != "# mine" {
			t.Errorf("%q", got)
		}
	})
	t.Run("from a detached head", func(t *testing.T) {
		w := gitRepository(t)
		first := gitIn(t, w.Root, "rev-parse", "HEAD")
		commitIn(t, w.Root)
		gitIn(t, w.Root, "checkout", "--quiet", "--detach", first)
		s := start(t, w)
		if got := gitIn(t, s.WorktreePath, "rev-parse", "HEAD"); got != first || gitIn(t, s.WorktreePath, "branch", "--show-current") != s.BranchName {
			t.Errorf("%s, %+v", got, s)
		}
	})
	t.Run("from another worktree of the repository", func(t *testing.T) {
		w := gitRepository(t)
		other := filepath.Join(realDir(t, t.TempDir()), "other")
		gitIn(t, w.Root, "worktree", "add", "--quiet", "-b", "other", other)
		commitIn(t, other)
		s, err := w.Start(t.Context(), StartOptions{SpecFile: specPath, WorkingDirectory: other})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := gitIn(t, s.WorktreePath, "rev-parse", "HEAD"), gitIn(t, other, "rev-parse", "HEAD"); got != want || !cachedir.Inside(w.Root, s.WorktreePath) {
			t.Errorf("%s, want %s: %+v", got, want, s)
		}
	})
	t.Run("from a workspace that is itself a worktree, below the top of it", func(t *testing.T) {
		main := gitRepository(t)
		top := filepath.Join(realDir(t, t.TempDir()), "linked")
		gitIn(t, main.Root, "worktree", "add", "--quiet", "-b", "linked", top)
		writeFiles(t, top, map[string]string{"sub/" + specPath: "x"})
		w := openWorkspace(t, filepath.Join(top, "sub"), nil)
		s := start(t, w)
		if s.WorktreePath != filepath.Join(top, "sub/.worktrees/big-feature") {
			t.Errorf("%+v", s)
		}
		if got := gitIn(t, top, "status", "--porcelain", "-uall"); strings.Contains(got, ".worktrees") {
			t.Error(got)
		}
		_, err := w.Start(t.Context(), StartOptions{SpecFile: specPath, WorkingDirectory: top})
		var outside *store.PathError
		if !errors.As(err, &outside) {
			t.Error("the rest of its own worktree is outside, too:", err)
		}
	})
	t.Run("not from the folder of a bare repository, whatever its name is", func(t *testing.T) {
		project := realDir(t, t.TempDir())
		gitIn(t, project, "clone", "--quiet", "--bare", gitRepository(t).Root, ".git")
		gitIn(t, project, "worktree", "add", "--quiet", "-b", "one", "one")
		gitIn(t, project, "worktree", "add", "--quiet", "-b", "two", "two")
		writeFiles(t, project, map[string]string{"notes/a": ""})
		w := openWorkspace(t, filepath.Join(project, "one"), nil)
		var outside *store.PathError
		if _, err := w.workingDirectory(filepath.Join(project, "notes")); !errors.As(err, &outside) {
			t.Error(err)
		}
		if _, err := w.workingDirectory(filepath.Join(project, "two")); err != nil {
			t.Error(err)
		}
	})
	t.Run("several started at once have one each", func(t *testing.T) {
		w := gitRepository(t)
		var wg sync.WaitGroup
		for range 4 {
			other := openWorkspace(t, w.Root, nil)
			wg.Go(func() {
				if s, err := other.Start(t.Context(), StartOptions{SpecFile: specPath}); err != nil || !s.WorktreeCreated {
					t.Errorf("%+v %v", s, err)
				}
			})
		}
		wg.Wait()
		all, err := w.All(t.Context())
		trees := map[string]bool{}
		for _, s := range all {
			trees[filepath.Base(s.WorktreePath)] = true
		}
		if err != nil || len(all) != 4 || len(trees) != 4 || !trees["big-feature"] || !trees["big-feature-4"] {
			t.Errorf("%v %v", trees, err)
		}
	})
	t.Run("without running hooks, and in spite of variables that a hook has", func(t *testing.T) {
		w := gitRepository(t)
		hook := filepath.Join(w.Root, ".git/hooks/post-checkout")
		writeFiles(t, w.Root, map[string]string{".git/hooks/post-checkout": "#!/bin/sh\ntouch ran\nexit 1\n"})
		if err := os.Chmod(hook, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere"))
		if s := start(t, w); !s.WorktreeCreated || tree(t, s.WorktreePath)["ran"] != "" {
			t.Errorf("%+v", s)
		}
	})
	t.Run("what git refuses is said, and leaves neither folder nor branch", func(t *testing.T) {
		w := gitRepository(t)
		gitIn(t, w.Root, "branch", "wrangler") // no branch can lie below it
		_, err := w.Start(t.Context(), StartOptions{SpecFile: specPath})
		var refused *store.DiskError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "git says: ") {
			t.Error(err)
		}
		left, _ := os.ReadDir(filepath.Join(w.Root, ".worktrees"))
		if len(left) > 0 || gitIn(t, w.Root, "branch", "--format=%(refname:short)") != "main\nwrangler" {
			t.Errorf("left %v", left)
		}
		if all, err := w.All(t.Context()); err != nil || len(all) > 0 {
			t.Errorf("%v %v", all, err)
		}
	})
	t.Run("a session that cannot be written takes its worktree back", func(t *testing.T) {
		w := gitRepository(t)
		writeFiles(t, w.Root, map[string]string{".wrangler/sessions": "a file in the way"})
		if _, err := w.Start(t.Context(), StartOptions{SpecFile: specPath}); err == nil {
			t.Error("no error")
		}
		left, _ := os.ReadDir(filepath.Join(w.Root, ".worktrees"))
		if len(left) > 0 || gitIn(t, w.Root, "branch", "--format=%(refname:short)") != "main" {
			t.Errorf("left %v", left)
		}
	})
	t.Run("a caller who gives up gets no session", func(t *testing.T) {
		w := gitRepository(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := w.Start(ctx, StartOptions{SpecFile: specPath}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		ctx, cancel = context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		if _, err := w.Start(ctx, StartOptions{SpecFile: specPath}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// The files of a worktree come after it.
func TestACheckoutThatFailsLeavesNeitherFolderNorBranch(t *testing.T) {
	const required = "[filter \"mine\"]\nrequired = true\nsmudge = "
	for name, c := range map[string]struct{ users, repositorys, want string }{
		"by a filter of the user's":                   {required + "false\n", "", "external filter 'false' failed"},
		"by a key of the repository's on that branch": {"", "[filter \"a=b\"]\nsmudge = cat\n", "a key with = in it"},
		"by a configuration that git cannot read":     {"", "[filter\n", "bad config"},
		"by a caller who gives up":                    {required + "\"echo >>STARTED; sleep 1\"\n", "", "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			w := gitRepository(t)
			writeFiles(t, w.Root, map[string]string{".gitattributes": "* filter=mine\n", "code.txt": "text\n"})
			gitIn(t, w.Root, "add", ".")
			commitIn(t, w.Root)
			gitIn(t, w.Root, "config", "includeIf.onbranch:wrangler/**.path", "later")
			started := filepath.Join(t.TempDir(), "started")
			users := filepath.Join(t.TempDir(), "gitconfig")
			writeFiles(t, w.Root, map[string]string{".git/later": c.repositorys})
			writeFiles(t, filepath.Dir(users), map[string]string{"gitconfig": strings.ReplaceAll(c.users, "STARTED", started)})
			t.Setenv("GIT_CONFIG_GLOBAL", users)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				for ctx.Err() == nil {
					if _, err := os.Stat(started); err == nil {
						cancel()
					}
					time.Sleep(time.Millisecond)
				}
			}()
			if _, err := w.Start(ctx, StartOptions{SpecFile: specPath}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			left, _ := os.ReadDir(filepath.Join(w.Root, ".worktrees"))
			trees := gitIn(t, w.Root, "worktree", "list", "--porcelain")
			branches := gitIn(t, w.Root, "branch", "--format=%(refname:short)")
			if len(left) > 0 || strings.Count(trees, "worktree ") != 1 || branches != "main" {
				t.Errorf("left are %v, %s, %s", left, trees, branches)
			}
		})
	}
}

// A process that is killed between the worktree and the session leaves a worktree, which the next
// start names.
func TestTheWorktreeOfASessionThatNeverBeganIsNamed(t *testing.T) {
	w := gitRepository(t)
	first := start(t, w)
	if first.Note != "" {
		t.Errorf("the first session is told %q", first.Note)
	}
	if err := os.RemoveAll(filepath.Join(w.Root, store.SessionsDir, first.ID)); err != nil {
		t.Fatal(err)
	}
	second := start(t, w)
	if strings.Contains(second.Note, second.BranchName) || !strings.Contains(second.Note, "git branch -d "+first.BranchName) {
		t.Errorf("the note is %q", second.Note)
	}
	if _, err := os.Stat(first.WorktreePath); err != nil {
		t.Error(err)
	}
}
