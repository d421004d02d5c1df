package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"issues-index/store"
	"issues-index/store/git"
	"issues-index/store/pattern"
	"issues-index/store/words"
)

// worktreeLock is locked by the process that has git make a worktree, until its session has a
// file: git itself trips over another that it is making, and the holder of the lock knows that
// a worktree without a session is of a start that died.
const worktreeLock = "worktree.lock"

// noBranch stands for the branch of a session without a worktree of its own.
const noBranch = "current"

// StartOptions is what a session is started with.
type StartOptions struct {
	SpecFile         string // slash-separated, relative to the root
	WorkingDirectory string // the root when empty
}

// A Started is a new session, and where it works.
type Started struct {
	Session
	AuditPath       string // absolute
	WorktreeCreated bool
	Note            string // why there is no worktree, or what went wrong beside it
}

// Start begins a session for a specification, in a git worktree and on a
// branch of its own where that can be had, else in the working directory. A
// specification that is not there is fs.ErrNotExist, a path that leads out a
// *store.PathError. git runs before the lock is taken, since a checkout may be long.
func (w Sessions) Start(ctx context.Context, n StartOptions) (Started, error) {
	spec, err := store.CleanPath(w.Relative(n.SpecFile))
	if err != nil {
		return Started{}, err
	}
	if _, err := w.Stat(spec); err != nil {
		return Started{}, fmt.Errorf("find the specification: %w", err)
	}
	dir, err := w.workingDirectory(n.WorkingDirectory)
	if err != nil {
		return Started{}, err
	}
	now := w.Now()
	var started Started
	commit, short := "", ""
	repo, err := git.OpenRepository(ctx, dir)
	if unreadable := (*git.UnreadableError)(nil); errors.As(err, &unreadable) {
		started.Note = unreadable.Reason
	} else if err != nil {
		return Started{}, err
	} else {
		commit, short = repo.Head, repo.Head[:7]
	}
	s := Session{
		ID: w.untaken(func() string { return sessionID(now, short) }), SpecFile: spec,
		Status: "running", CurrentPhase: "init", PhasesCompleted: []string{"init"},
		WorktreePath: dir, BranchName: noBranch,
	}
	if commit == "" {
		started.Note += "; the session works in the working directory, on the current branch"
		started.Session, err = w.saveSession(ctx, s, now)
	} else {
		name := specName(spec)
		s.BranchName = "wrangler/" + name + "/" + s.ID
		err = w.InTurn(ctx, worktreeLock, func() (err error) {
			started.Session, err = w.startInWorktree(ctx, s, dir, name, commit, now)
			if err == nil {
				started.WorktreeCreated, started.Note = true, w.staleWorktrees()
			}
			return err
		})
	}
	if err != nil {
		return Started{}, err
	}
	if started.WorktreeCreated {
		started.Note = words.Notes(w.LeftBehind(ctx, w.WorkspaceOf(started.Session)), started.Note)
		if err := w.ignoreWorktrees(); err != nil {
			untracked := "git will list " + worktreesDir + " as untracked: " + diskReason(err)
			started.Note = words.Notes(untracked, started.Note)
		}
	}
	started.AuditPath = w.Absolute(sessionFile(s.ID, auditFile))
	return started, nil
}

// startInWorktree makes the worktree of a session and then its files, or neither.
func (w Sessions) startInWorktree(
	ctx context.Context, s Session, dir, name, commit string, now time.Time,
) (Session, error) {
	p, err := w.addWorktree(ctx, dir, name, s.BranchName, commit)
	if err != nil {
		return Session{}, err
	}
	s.WorktreePath = w.Absolute(p)
	saved, err := w.saveSession(ctx, s, now)
	var partly *store.DiskError
	if err != nil && (!errors.As(err, &partly) || !partly.Unsettled) {
		w.removeWorktree(ctx, dir, p, s.BranchName)
	}
	return saved, err
}

// saveSession makes a session's folder with its first two files.
func (w Sessions) saveSession(ctx context.Context, s Session, now time.Time) (saved Session, err error) {
	var details, file fileObject
	details.put("session_id", s.ID)
	details.put("worktree", s.WorktreePath)
	details.put("branch", s.BranchName)
	details.put("spec_file", s.SpecFile)
	line, err := auditLine("specFile", "init", "complete", now, details)
	if err != nil {
		return Session{}, err
	}
	s.StartedAt, s.UpdatedAt = now, now
	file.update(new(Session).members(), s.members())
	err = w.Mutate(ctx, func(m *store.Mutation) error {
		if err := m.MakeDir(path.Join(store.SessionsDir, s.ID)); err != nil {
			return err
		}
		err = write(m, s.ID, file.file(), change{line: line})
		saved, _ = w.readSession(s.ID)
		return err
	})
	return saved, err
}

// sessionID is the day, the commit, and something of its own.
func sessionID(now time.Time, commit string) string {
	if commit == "" {
		commit = "nogit"
	}
	return fmt.Sprintf("%s-%s-%04x", now.UTC().Format(time.DateOnly), commit, rand.N(1<<16))
}

// untaken draws until an id comes that no session has: with 300 sessions of one day
// and commit, two would be drawn the same id as likely as not. After many draws it
// gives up, and the session cannot be made.
func (w Sessions) untaken(draw func() string) (id string) {
	const draws = 1000
	for range draws {
		id = draw()
		if _, err := w.Resolve(path.Join(store.SessionsDir, id)); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return id
}

// specPrefix is what the name of a specification's file begins with.
var specPrefix = pattern.Lazy(`^(SPEC-\d+-|spec-)`)

// specName is a specification's name as part of a path and of a branch: the
// letters a to z, digits and single "-", as the other program makes it.
func specName(p string) string {
	name := strings.TrimSuffix(path.Base(p), ".md")
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r >= utf8.RuneSelf:
			return -1
		}
		return r
	}, strings.ToLower(specPrefix().ReplaceAllString(name, "")))
	if !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return "implementation"
	}
	return strings.TrimRight(store.Slug(name), "-")
}
