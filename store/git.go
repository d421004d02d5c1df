package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"issues-index/store/pattern"
)

const (
	// gitTime bounds one run of git; the longest checks out a whole worktree.
	gitTime = 2 * time.Minute
	// gitGrace is how long a git that was told to stop may clean up.
	gitGrace = 5 * time.Second
)

// gitRefused is how git ends when it cannot go on at all.
const gitRefused = 128

// errNoGit says that there is no program git on the PATH.
var errNoGit = errors.New("git is not installed, or not on the PATH")

// A gitError is what git said before it gave up.
type gitError struct {
	said string
	exit int
}

func (e *gitError) Error() string { return "git says: " + e.said }

// gitKeeps are the variables of git's own that a run of it gets: where the user's
// configuration is, and how far up a repository is looked for. All others bind git to
// one repository, as they are set where a git hook started this program, or name
// programs.
var gitKeeps = pattern.Lazy(`^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH)=`)

// gitEnv is git's own environment. Nothing is fetched: a repository may name the
// program to fetch with, and the commits that worktrees are made from are here.
func gitEnv() []string {
	env := []string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1"}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "LC_ALL=") && (!strings.HasPrefix(v, "GIT_") || gitKeeps().MatchString(v)) {
			env = append(env, v)
		}
	}
	return env
}

// gitSettings keep a repository from having git run programs, or go elsewhere.
var gitSettings = []string{
	"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "safe.bareRepository=explicit",
	"submodule.recurse=false", "gc.auto=0", "maintenance.auto=false",
}

// git runs git in a directory and returns what it printed, without the last
// line end. There is no shell, and no program that the repository names is run but
// for its filters, which [repositoryFilters] switches off. Callers put nothing among
// the arguments that a name could turn into an option.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return "", errNoGit
	}
	if inBareRepository(dir) {
		return "", &gitError{said: "it is part of a bare repository, as a stranger can put among the files of another", exit: gitRefused}
	}
	options := []string{"--no-pager"}
	for _, setting := range gitSettings {
		options = append(options, "-c", setting)
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	c := exec.CommandContext(ctx, program, append(options, args...)...)
	c.Dir = dir
	c.Env = gitEnv()
	c.WaitDelay = gitGrace
	c.Cancel = func() error {
		if c.Process.Signal(os.Interrupt) == nil { // git then removes what it has half made
			return nil
		}
		return c.Process.Kill()
	}
	out, err := c.Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("run git: %w", ctx.Err())
	case errors.As(err, &exit):
		said, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		return "", &gitError{said: strings.TrimPrefix(said, "fatal: "), exit: exit.ExitCode()}
	case err != nil:
		return "", fmt.Errorf("run git: %w", bare(err))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// gitHead returns the commit that is checked out at dir, whole and shortened.
// Where there is none, note says why.
func gitHead(ctx context.Context, dir string) (commit, short, note string, err error) {
	var said *gitError
	_, err = git(ctx, dir, "rev-parse", "--show-toplevel")
	switch {
	case errors.Is(err, errNoGit):
		return "", "", err.Error(), nil
	case errors.As(err, &said):
		return "", "", "this is no worktree of a git repository; " + said.Error(), nil
	case err != nil:
		return "", "", "", err
	}
	why, err := foreignRepository(ctx, dir)
	switch {
	case err != nil:
		return "", "", "", err
	case why != "":
		return "", "", "the git repository gets no worktree, since " + why, nil
	}
	commit, err = git(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if errors.As(err, &said) {
		return "", "", "the git repository has no commit yet", nil
	}
	if err == nil {
		short, err = git(ctx, dir, "rev-parse", "--short=7", commit)
	}
	return commit, short, "", err
}

// gitWorktrees are the directories of all worktrees of the workspace's
// repository, as git lists them; none where there is no repository.
func (w *Workspace) gitWorktrees(ctx context.Context) ([]string, error) {
	out, err := git(ctx, w.Root, "worktree", "list", "--porcelain")
	var said *gitError
	if errors.As(err, &said) || errors.Is(err, errNoGit) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var dirs []string
	for about := range strings.SplitSeq(out, "\n\n") {
		dir, rest, _ := strings.Cut(about, "\n")
		dir, ok := strings.CutPrefix(dir, "worktree ")
		if ok && !strings.HasPrefix(rest, "bare") {
			dirs = append(dirs, filepath.FromSlash(dir))
		}
	}
	return dirs, nil
}
