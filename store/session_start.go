package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"time"

	"issues-index/store/git"
	"issues-index/store/pattern"
)

// NewSession is what a session is started with.
type NewSession struct {
	SpecFile         string // slash-separated, relative to the root
	WorkingDirectory string // the root when empty
}

// A StartedSession is a new session, and where it works.
type StartedSession struct {
	Session
	AuditPath       string // absolute
	WorktreeCreated bool
	Note            string // why there is no worktree, or what went wrong beside it
}

// StartSession begins a session for a specification, in a git worktree and on a
// branch of its own where that can be had, else in the working directory. A
// specification that is not there is fs.ErrNotExist, a path that leads out a
// *PathError. git runs before the lock is taken, since a checkout may be long.
func (w *Workspace) StartSession(ctx context.Context, n NewSession) (StartedSession, error) {
	spec, err := cleanPath(w.Relative(n.SpecFile))
	if err != nil {
		return StartedSession{}, err
	}
	if _, err := w.Stat(spec); err != nil {
		return StartedSession{}, fmt.Errorf("find the specification: %w", err)
	}
	dir, err := w.workingDirectory(ctx, n.WorkingDirectory)
	if err != nil {
		return StartedSession{}, err
	}
	commit, short, note, err := git.Head(ctx, dir)
	if err != nil {
		return StartedSession{}, err
	}
	now := w.now()
	started := StartedSession{Note: note}
	s := Session{
		ID: w.untaken(func() string { return sessionID(now, short) }), SpecFile: spec, Status: "running", CurrentPhase: "init",
		WorktreePath: dir, BranchName: "current", PhasesCompleted: []string{"init"},
	}
	undo := func() {}
	if commit == "" {
		started.Note += "; the session works in the working directory, on the current branch"
	} else {
		name := specName(spec)
		s.BranchName = "wrangler/" + name + "/" + s.ID
		var p string
		err := w.inTurn(ctx, worktreeFile, func() (err error) {
			p, err = w.addWorktree(ctx, dir, name, s.BranchName, commit)
			return err
		})
		if err != nil {
			return StartedSession{}, err
		}
		s.WorktreePath, started.WorktreeCreated = w.absolute(p), true
		undo = func() { w.removeWorktree(ctx, dir, p, s.BranchName) }
	}
	if started.Session, err = w.saveSession(ctx, s, now); err != nil {
		var partly *DiskError
		if !errors.As(err, &partly) || !partly.Unsettled {
			undo()
		}
		return StartedSession{}, err
	}
	if started.WorktreeCreated {
		if err := w.ignoreWorktrees(); err != nil {
			started.Note = "git will list " + worktreesDir + " as untracked: " + bare(err).Error()
		}
		if note := w.staleWorktrees(ctx); note != "" {
			started.Note = strings.TrimPrefix(started.Note+"; "+note, "; ")
		}
	}
	started.AuditPath = w.absolute(sessionFile(s.ID, auditFile))
	return started, nil
}

// saveSession makes a session's folder with its first two files.
func (w *Workspace) saveSession(ctx context.Context, s Session, now time.Time) (saved Session, err error) {
	var details object
	details.setText("session_id", s.ID)
	details.setText("worktree", s.WorktreePath)
	details.setText("branch", s.BranchName)
	details.setText("spec_file", s.SpecFile)
	line, err := auditLine("specFile", "init", "complete", now, details)
	if err != nil {
		return Session{}, err
	}
	err = w.mutate(ctx, func(m *mutation) error {
		if err := m.makeSession(s.ID); err != nil {
			return err
		}
		err := m.inOrder(
			func() error { return m.saveContext(s.ID, s.file(now), now) },
			func() error { return m.appendAudit(s.ID, line) },
		)
		saved, _ = w.readSession(s.ID)
		return err
	})
	return saved, err
}

// makeSession makes the folder of a new session. What writers who died have
// left in those of other sessions goes.
func (m *mutation) makeSession(id string) error {
	dir, err := m.w.resolveNew(sessionsDir)
	if err != nil {
		return diskError("find", sessionsDir, err)
	}
	others, err := m.w.sessionIDs()
	if err != nil {
		return err
	}
	for _, other := range others {
		m.sweepSession(other)
	}
	if err := m.makeDir(dir); err != nil {
		return diskError("make", sessionsDir, err)
	}
	own := path.Join(dir, id)
	err = m.disk.mkdir(own)
	if errors.Is(err, fs.ErrExist) {
		return &ConflictError{path.Join(sessionsDir, id), reasonTaken}
	}
	if err == nil {
		m.discard(own)
		err = m.disk.syncDir(dir)
	}
	return diskError("make", path.Join(sessionsDir, id), err)
}

// file is a new session's context.json.
func (s Session) file(now time.Time) (o object) {
	o.setText("id", s.ID)
	o.setText("specFile", s.SpecFile)
	o.setText("status", s.Status)
	o.setText("currentPhase", s.CurrentPhase)
	o.setText("worktreePath", s.WorktreePath)
	o.setText("branchName", s.BranchName)
	o.setList("phasesCompleted", s.PhasesCompleted)
	o.setList("tasksCompleted", nil)
	o.setList("tasksPending", nil)
	o.setTime("startedAt", now)
	return o
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
func (w *Workspace) untaken(draw func() string) (id string) {
	const draws = 1000
	for range draws {
		id = draw()
		if _, err := w.resolve(path.Join(sessionsDir, id)); errors.Is(err, fs.ErrNotExist) {
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
	name = specPrefix().ReplaceAllString(name, "")
	if !strings.ContainsFunc(strings.ToLower(name), func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' }) {
		return "implementation"
	}
	return strings.TrimRight(slug(name), "-")
}
