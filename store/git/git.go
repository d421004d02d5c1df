// Package git runs git, and finds a repository's worktrees in its files: commits, trees, files of
// commits, refs, blame, worktrees and settings.
//
// It knows nothing about documents or sessions. Its invariants: git runs no program that
// a repository names, and writes to no repository that belongs to another worktree. What
// lies in a folder may be a stranger's, so its configuration is never trusted.
package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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

// answerTime is how long a run may take that reads little: a few small files of git's, where two
// histories meet, the newest messages. Each of these files can be a pipe that is never written to.
var answerTime = 10 * time.Second // less in tests

// errNotInstalled says that there is no program git on the PATH.
var errNotInstalled = errors.New("git is not installed, or not on the PATH")

// errLate says that a run of git took longer than it may.
var errLate = errors.New("git gives no answer in time")

// An Error is the first line that git complained with, or what this package says in its place.
type Error struct {
	said string
	code int // with which git has ended, 0 when it did not
}

func (e *Error) Error() string { return "git says: " + e.said }

// keptVariables are the variables of git's own that a run of it gets: where the user's
// configuration is, and how far up a repository is looked for. All others bind git to
// one repository, as they are set where a git hook started this program, or name
// programs.
var keptVariables = pattern.Lazy(`^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|` +
	`CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH)=`)

// environment returns git's environment. Nothing is fetched: a repository may name the
// program to fetch with, and the commits that worktrees are made from are here.
func environment() []string {
	env := []string{
		"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1",
	}
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

// A process is one run of git, prepared.
type process struct {
	*exec.Cmd
	ctx    context.Context
	stop   func() // ends it, and frees what it takes
	stderr prefix
	in     io.WriteCloser // of a process that start has started
	out    *bufio.Reader  // likewise
}

// A prefix keeps the first few KB that are written to it: git can complain of each broken object.
type prefix []byte

func (p *prefix) Write(data []byte) (int, error) {
	if len(*p) < 4<<10 {
		*p = append(*p, data...)
	}
	return len(data), nil
}

// said is the first line that git complained with, as an Error has it.
func (p *process) said() string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(p.stderr)), "\n")
	return strings.TrimPrefix(line, "fatal: ")
}

// prepare prepares a run of git in a directory, which ends with the context, and after a
// limit. There is no shell. Of the programs that a repository
// names only its filters can run, and hooks of its configuration; filterOptions switches
// them off. No argument may be a name that git could take for an option.
func prepare(ctx context.Context, limit time.Duration, dir string, args ...string) (*process, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, errNotInstalled
	}
	options := []string{"--no-pager"}
	for _, setting := range settings {
		options = append(options, "-c", setting)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errLate)
	p := &process{Cmd: exec.CommandContext(ctx, program, append(options, args...)...), ctx: ctx, stop: cancel}
	p.Dir = dir
	p.Env = environment()
	p.Stderr = &p.stderr
	p.WaitDelay = gracePeriod
	p.Cancel = func() error {
		if p.Process.Signal(os.Interrupt) == nil { // git then removes what it has half made
			return nil
		}
		return p.Process.Kill()
	}
	return p, nil
}

// failure words the error with which the process ended, nil for none.
func (p *process) failure(err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case p.ctx.Err() != nil:
		return fmt.Errorf("run git: %w", context.Cause(p.ctx))
	case errors.As(err, &exit):
		return &Error{p.said(), exit.ExitCode()}
	}
	var located *fs.PathError // without the path of the program
	if errors.As(err, &located) {
		err = located.Err
	}
	return fmt.Errorf("run git: %w", err)
}

// run runs git in a directory, as prepare has it, and returns what it printed, without the
// last line end. It has answerTime.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	return runFor(ctx, answerTime, dir, args...)
}

// runFor is run with a limit of its own.
func runFor(ctx context.Context, limit time.Duration, dir string, args ...string) (string, error) {
	p, err := prepare(ctx, limit, dir, args...)
	if err != nil {
		return "", err
	}
	defer p.stop()
	out, err := p.Output()
	if err := p.failure(err); err != nil {
		return "", err
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// start starts git in a directory, as prepare has it, whose output is read as it comes.
func start(ctx context.Context, dir string, args ...string) (*process, error) {
	p, err := prepare(ctx, MaxTime, dir, args...)
	if err != nil {
		return nil, err
	}
	out, err := p.StdoutPipe()
	if err == nil {
		p.in, err = p.StdinPipe()
	}
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		err = p.failure(err)
		p.stop()
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	return p, nil
}

// ended ends a process whose output could not be read to its end, and words why: the time was over,
// or git said something, or else the reading failed.
func (p *process) ended(failed error) error {
	late := context.Cause(p.ctx)
	p.stop()
	_ = p.Wait()
	switch {
	case late != nil:
		return fmt.Errorf("run git: %w", late)
	case p.said() != "":
		return &Error{said: p.said()}
	}
	return failed
}

// stream runs git, as start does, and has its output read. When read ends early, so does git.
// Errors: ErrEnough when read returned it, whatever git said; else those of ended.
func stream(ctx context.Context, dir string, args []string, read func(out *bufio.Reader) error) error {
	p, err := start(ctx, dir, args...)
	if err != nil {
		return err
	}
	defer p.stop()
	failed := read(p.out)
	if failed == nil {
		return p.failure(p.Wait())
	}
	if err := p.ended(failed); !errors.Is(failed, ErrEnough) {
		return err
	}
	return failed
}
