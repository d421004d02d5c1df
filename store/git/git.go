// Package git runs git for sessions, and finds a repository's worktrees in its files.
//
// It knows nothing about documents or sessions. Its invariants: git runs no program that
// a repository names, and writes to no repository that belongs to another worktree. What
// lies in a folder may be a stranger's, so its configuration is never trusted.
package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"issues-index/store/pattern"
)

const (
	// MaxTime is how long one run of git may take. The longest checks out a whole worktree.
	MaxTime = 2 * time.Minute
	// gracePeriod is how long a git that was told to stop may clean up.
	gracePeriod = 5 * time.Second
)

// errNotInstalled says that there is no program git on the PATH.
var errNotInstalled = errors.New("git is not installed, or not on the PATH")

// An Error is what git said before it gave up.
type Error struct {
	said string
	code int // with which git has ended, 0 when it did not
}

func (e *Error) Error() string { return "git says: " + e.said }

// keptVariables are the variables of git's own that a run of it gets: where the user's
// configuration is, and how far up a repository is looked for. All others bind git to
// one repository, as they are set where a git hook started this program, or name
// programs.
var keptVariables = pattern.Lazy(`^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH)=`)

// environment returns git's environment. Nothing is fetched: a repository may name the
// program to fetch with, and the commits that worktrees are made from are here.
func environment() []string {
	env := []string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1"}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "LC_ALL=") && (!strings.HasPrefix(v, "GIT_") || keptVariables().MatchString(v)) {
			env = append(env, v)
		}
	}
	return env
}

// settings keep a repository from having git run programs, or go elsewhere.
var settings = []string{
	"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "safe.bareRepository=explicit",
	"submodule.recurse=false", "gc.auto=0", "maintenance.auto=false",
}

// run runs git in a directory and returns what it printed, without the last line end.
// There is no shell. Of the programs that a repository names only its filters can run;
// filterOptions switches them off. No argument may be a name that git could take for an
// option.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return "", errNotInstalled
	}
	if inBareRepository(dir) {
		return "", &Error{said: "it is part of a bare repository, as a stranger can put among the files of another"}
	}
	options := []string{"--no-pager"}
	for _, setting := range settings {
		options = append(options, "-c", setting)
	}
	ctx, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	c := exec.CommandContext(ctx, program, append(options, args...)...)
	c.Dir = dir
	c.Env = environment()
	c.WaitDelay = gracePeriod
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
		return "", &Error{strings.TrimPrefix(said, "fatal: "), exit.ExitCode()}
	case err != nil:
		var located *fs.PathError // without the path of the program
		if errors.As(err, &located) {
			err = located.Err
		}
		return "", fmt.Errorf("run git: %w", err)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
