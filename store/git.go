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
)

const (
	// gitTime bounds one run of git; the longest checks out a whole worktree.
	gitTime = 2 * time.Minute
	// gitGrace is how long a git that was told to stop may clean up.
	gitGrace = 5 * time.Second
)

// errNoGit says that there is no program git on the PATH.
var errNoGit = errors.New("git is not installed, or not on the PATH")

// A gitError is what git said before it gave up.
type gitError struct {
	said string
	exit int
}

func (e *gitError) Error() string { return "git says: " + e.said }

// gitHere are the variables that bind git to one repository, as they are set
// where a git hook started this program.
var gitHere = []string{
	"GIT_DIR=", "GIT_WORK_TREE=", "GIT_INDEX_FILE=", "GIT_COMMON_DIR=", "GIT_OBJECT_DIRECTORY=",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES=", "GIT_NAMESPACE=", "GIT_PREFIX=", "GIT_SHALLOW_FILE=", "GIT_GRAFT_FILE=",
	"LC_ALL=", "GIT_TERMINAL_PROMPT=",
}

func gitEnv() []string {
	env := []string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0"}
	for _, v := range os.Environ() {
		bound := false
		for _, name := range gitHere {
			bound = bound || strings.HasPrefix(v, name)
		}
		if !bound {
			env = append(env, v)
		}
	}
	return env
}

// git runs git in a directory and returns what it printed, without the last
// line end. There is no shell; the repository's hooks do not run. Callers put
// nothing among the arguments that a name could turn into an option.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return "", errNoGit
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	c := exec.CommandContext(ctx, program, append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)...)
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

// ignoreWorktrees keeps the folder of worktrees out of git's lists of untracked
// files, for this clone only: .gitignore belongs to the people who share it.
func (w *Workspace) ignoreWorktrees(ctx context.Context) error {
	_, err := git(ctx, w.Root, "check-ignore", "--quiet", "--", worktreesDir+"/any")
	var said *gitError
	if !errors.As(err, &said) || said.exit != 1 { // ignored already, or in no repository
		return nil
	}
	top, ok := ancestor(w.Root, holdsGit)
	if !ok {
		return nil
	}
	common, _ := gitDirs(top)
	if common == "" {
		return errors.New("its repository has no folder for that")
	}
	info := filepath.Join(common, "info")
	if err := os.MkdirAll(info, 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(info, "exclude"), os.O_RDWR|os.O_APPEND|os.O_CREATE|nonBlock, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(appendLine(f, []byte(worktreesDir+"/\n")), f.Close())
}
