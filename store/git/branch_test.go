package git

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestDefaultBranch(t *testing.T) {
	for _, c := range []struct {
		name, want string
		commands   [][]string
	}{
		{"is that of the remote origin", "trunk", [][]string{{"update-ref", "refs/remotes/origin/trunk", "HEAD"}, {"symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"}}},
		{"without a remote is main", "main", [][]string{{"switch", "--quiet", "-c", "other"}, {"branch", "master"}}},
		{"without main is master", "master", [][]string{{"branch", "--move", "main", "master"}}},
		{"without main, but with a branch below it, is master", "master", [][]string{{"branch", "--move", "main", "master"}, {"branch", "main/topic"}}},
		{"is none below the remote's HEAD", "", [][]string{
			{"branch", "--move", "main", "other"}, {"update-ref", "refs/remotes/origin/x", "HEAD"}, {"symbolic-ref", "refs/remotes/origin/HEAD/x", "refs/remotes/origin/x"},
		}},
		{"may be unknown", "", [][]string{{"branch", "--move", "main", "other"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := repositoryOf(t, "", func(git func(args ...string) string, _ string) {
				git("commit", "--quiet", "--allow-empty", "-m", "first")
				for _, command := range c.commands {
					git(command...)
				}
			})
			if branch, err := r.DefaultBranch(t.Context()); err != nil || branch != c.want {
				t.Errorf("%q, %v, want %q", branch, err, c.want)
			}
		})
	}
}

func TestWhatGitIsDoing(t *testing.T) {
	var dir string
	repositoryOf(t, "", func(git func(args ...string) string, at string) {
		dir = at
		write(t, dir, "a.md", "1")
		git("add", "--all")
		git("commit", "--quiet", "-m", "first")
		git("switch", "--quiet", "-c", "work")
		write(t, dir, "a.md", "2")
		git("commit", "--quiet", "-a", "-m", "second")
		git("switch", "--quiet", "main")
		write(t, dir, "a.md", "3")
		git("commit", "--quiet", "-a", "-m", "third")
		git("switch", "--quiet", "work")
	})
	if RebasedBranch(dir) != "" || IsBusy(dir) || RebasedBranch(t.TempDir()) != "" || IsBusy(t.TempDir()) {
		t.Error("git does something while it rests")
	}
	rebase := exec.Command("git", "-c", "user.name=A", "-c", "user.email=a@example.org", "rebase", "main")
	rebase.Dir = dir
	if out, err := rebase.CombinedOutput(); err == nil {
		t.Fatalf("no conflict: %s", out)
	}
	if branch := RebasedBranch(dir); branch != "work" {
		t.Errorf("%q is being rebased, want work", branch)
	}
	if write(t, filepath.Join(dir, ".git"), "index.lock", ""); !IsBusy(dir) {
		t.Error("git is not seen to write")
	}
	if err := os.Remove(filepath.Join(dir, ".git", "index.lock")); err != nil || IsBusy(dir) {
		t.Errorf("git is still seen to write, %v", err)
	}
}

// Git complains of each object that is broken, and there can be very many.
func TestComplaintsAreKeptUpToALimit(t *testing.T) {
	p := new(process)
	for range 100_000 {
		_, _ = io.WriteString(&p.stderr, "error: object is corrupt\n")
	}
	if p.said() != "error: object is corrupt" || len(p.stderr) > 64<<10 {
		t.Errorf("%q, %d bytes", p.said(), len(p.stderr))
	}
}
