package store

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"issues-index/store/git"
)

// gitFiles are a repository with two linked worktrees, as git lays it out. The
// second worktree has relative paths, as newer versions write on request.
func gitFiles(base string) map[string]string {
	return map[string]string{
		"main/.git/HEAD":                    "ref: refs/heads/main\n",
		"main/.git/worktrees/one/gitdir":    filepath.Join(base, "one", ".git") + "\n",
		"main/.git/worktrees/one/commondir": "../..\n",
		"main/.git/worktrees/two/gitdir":    "../../../../two/.git\n",
		"main/.git/worktrees/two/commondir": "../..\n",
		"main/.git/worktrees/gone/gitdir":   filepath.Join(base, "gone", ".git") + "\n",
		"main/.git/worktrees/odd/gitdir":    "",
		"one/.git":                          "gitdir: " + filepath.Join(base, "main/.git/worktrees/one") + "\n",
		"two/.git":                          "gitdir: ../main/.git/worktrees/two\n",
	}
}

func TestIdsSeenInOtherWorktreesAreNotGivenOutAgain(t *testing.T) {
	repository := func(t *testing.T, files map[string]string) string {
		base := realDir(t, t.TempDir())
		writeFiles(t, base, gitFiles(base))
		writeFiles(t, base, files)
		return base
	}
	files := map[string]string{
		"main/.wrangler/issues/ISS-000010-x.md":         "",
		"one/.wrangler/issues/archived/ISS-000020-x.md": "",
		"two/.wrangler/issues/deep/er/ISS-000030-x.md":  "",
	}
	for _, top := range []string{"main", "one", "two"} {
		t.Run("from "+top, func(t *testing.T) {
			w := openWorkspace(t, filepath.Join(repository(t, files), top), nil)
			if got := nextID(t, w, TypeIssue, CreateOptions{}); got != "ISS-000031" {
				t.Error(got)
			}
		})
	}
	t.Run("from a workspace that is not the repository's top", func(t *testing.T) {
		base := repository(t, map[string]string{
			"main/sub/.wrangler/ideas/x.md":            "",
			"one/sub/.wrangler/ideas/IDEA-000005-x.md": "",
			"one/.wrangler/ideas/IDEA-000009-x.md":     "",
		})
		w := openWorkspace(t, filepath.Join(base, "main/sub"), nil)
		if got := nextID(t, w, TypeIdea, floor(0)); got != "IDEA-000006" {
			t.Error(got)
		}
	})
	t.Run("that came since the last look", func(t *testing.T) {
		base := repository(t, files)
		w := openWorkspace(t, filepath.Join(base, "main"), nil)
		nextID(t, w, TypeIssue, floor(0))
		for _, name := range []string{"ISS-000040-x.md", "new/ISS-000050-x.md", "new/ISS-000060-x.md"} {
			writeFiles(t, base, map[string]string{"one/.wrangler/issues/" + name: ""})
			want := numberOf(w, filepath.Base(name)) + 1
			if got := numberOf(w, nextID(t, w, TypeIssue, floor(0))); got != want {
				t.Errorf("%d, want %d", got, want)
			}
		}
	})
	t.Run("and a directory that has not changed is not listed again", func(t *testing.T) {
		base := repository(t, files)
		dir := filepath.Join(base, "two/.wrangler/issues/deep/er")
		fresh := filepath.Join(base, "one/.wrangler/issues/archived")
		long, soon := tick().AddDate(-1, 0, 0), time.Now().Add(time.Hour)
		if err := errors.Join(os.Chtimes(dir, long, long), os.Chtimes(fresh, soon, soon)); err != nil {
			t.Fatal(err)
		}
		w := openWorkspace(t, filepath.Join(base, "main"), nil)
		nextID(t, w, TypeIssue, floor(0))
		seen := func(top, dir string) scannedDir { return w.ids.dirs[filepath.Join(base, top, dir)] }
		if d := seen("two", ".wrangler/issues/deep/er"); d.stamp == (Stat{}) {
			t.Errorf("%+v", d)
		}
		if d := seen("one", ".wrangler/issues/archived"); d.taken == nil || d.stamp != (Stat{}) {
			t.Errorf("one that may still be changing within its time stamp: %+v", d)
		}
	})
	t.Run("as git itself makes them", func(t *testing.T) {
		program, err := exec.LookPath("git")
		if err != nil {
			t.Skip("git is not here:", err)
		}
		base := realDir(t, t.TempDir())
		top := filepath.Join(base, "main")
		writeFiles(t, top, map[string]string{"a": ""})
		for _, args := range [][]string{
			{"init", "-q"},
			{"add", "a"},
			{"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "x"},
			{"worktree", "add", "-q", filepath.Join(base, "linked"), "-b", "other"},
		} {
			c := exec.CommandContext(t.Context(), program, append([]string{"-C", top}, args...)...)
			c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		main, linked := openWorkspace(t, top, nil), openWorkspace(t, filepath.Join(base, "linked"), nil)
		for i, w := range []*Workspace{main, linked, main, linked} {
			if number := numberOf(w, nextID(t, w, TypeIssue, floor(0))); number != i+1 {
				t.Errorf("%d, want %d", number, i+1)
			}
		}
	})
	t.Run("nor those that were given out there, and whose documents are gone", func(t *testing.T) {
		base := repository(t, nil)
		one := openWorkspace(t, filepath.Join(base, "one"), nil)
		for range 3 {
			done, err := one.Create(t.Context(), NewDocument{Title: "T"}, floor(0))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := one.Delete(t.Context(), done.Path, nil); err != nil {
				t.Fatal(err)
			}
		}
		if got := nextID(t, openWorkspace(t, filepath.Join(base, "main"), nil), TypeIssue, floor(0)); got != "ISS-000004" {
			t.Error(got)
		}
	})
	t.Run("and in the same instant one waits for the other", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("a folder cannot be locked there")
		}
		base := repository(t, nil)
		one := openWorkspace(t, filepath.Join(base, "one"), nil)
		var during error
		main, _ := openFaulty(t, filepath.Join(base, "main"), func(_ int, op string) (bool, error) {
			if op == "move" { // the number is chosen, and the document is not there yet
				ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
				defer cancel()
				_, during = one.Create(ctx, NewDocument{Title: "One"}, floor(0))
			}
			return false, nil
		})
		first := nextID(t, main, TypeIssue, floor(0))
		if !errors.Is(during, ErrLocked) {
			t.Errorf("meanwhile: %v", during)
		}
		if second := nextID(t, one, TypeIssue, floor(0)); first != "ISS-000001" || second != "ISS-000002" {
			t.Error(first, second)
		}
	})
	t.Run("and what is no repository has none", func(t *testing.T) {
		for name, files := range map[string]map[string]string{
			"an empty .git file":             {".git": ""},
			"a .git file of something else":  {".git": "\x00\x01"},
			"a submodule":                    {".git": "gitdir: ../modules/x"},
			"a .git file that leads nowhere": {".git": "gitdir: /no/such/place"},
			"a .git folder that is empty":    {".git/x": ""},
			"a worktrees file":               {".git/worktrees": ""},
		} {
			if got := git.OtherWorktrees(newWorkspace(t, files).Root); len(got) > 0 {
				t.Errorf("%s: %v", name, got)
			}
		}
	})
}
