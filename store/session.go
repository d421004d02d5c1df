package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"
)

// sessionsDir has a folder a session, named after its id.
const sessionsDir = ".wrangler/sessions"

const (
	contextFile    = "context.json"
	checkpointFile = "checkpoint.json"
	auditFile      = "audit.jsonl"
)

// The words that sessions know. The phases are the usual ones: any other name of at
// most MaxPhase characters is one, too.
var (
	SessionStatuses = []string{"running", "paused", "completed", "failed"}
	SessionEnds     = SessionStatuses[2:]
	SessionPhases   = []string{"init", "plan", "execute", "task", "verify", "publish", "complete", "error", "checkpoint"}
	PhaseStatuses   = []string{"started", "complete", "failed"}
)

// MaxPhase is the most characters of a phase's name.
const MaxPhase = 64

// ErrNoSession says that there is no session of this id, or none that could go
// on.
var ErrNoSession = errors.New("there is no such session")

// A Session is a piece of work that one agent begins and another may finish,
// as its context.json has it.
type Session struct {
	ID, SpecFile, Status, CurrentPhase string
	WorktreePath                       string // absolute
	BranchName                         string // "current" without a worktree of its own
	PhasesCompleted                    []string
	TasksCompleted, TasksPending       []string
	StartedAt, UpdatedAt, CompletedAt  time.Time // CompletedAt is zero before the end
	PRURL                              string
	PRNumber                           int
	Problems                           []string // what is wrong with its files, in words
}

// A Checkpoint is what the next agent needs to go on.
type Checkpoint struct {
	SessionID, CheckpointID, CurrentPhase string
	LastAction, ResumeInstructions        string
	CreatedAt                             time.Time
	TasksCompleted, TasksPending          []string
	Variables                             json.RawMessage // an object, byte for byte
}

// FindSession returns a session and its last checkpoint, nil when it has none.
// Without an id it is the running or paused session that was started last.
// ErrNoSession says that there is none; files that cannot be read are among the
// session's problems.
func (w *Workspace) FindSession(ctx context.Context, id string) (s Session, c *Checkpoint, err error) {
	if err := ctx.Err(); err != nil {
		return Session{}, nil, err
	}
	if id == "" {
		s, err = w.resumableSession(ctx)
	} else if err = w.checkSession(id); err == nil {
		s, _ = w.readSession(id)
	}
	if err != nil {
		return Session{}, nil, err
	}
	c, _, problems := w.readCheckpoint(s.ID)
	s.Problems = append(s.Problems, problems...)
	problems, err = w.auditProblems(ctx, s.ID)
	if err != nil {
		return Session{}, nil, err
	}
	s.Problems = append(s.Problems, problems...)
	return s, c, nil
}

// sessionFile is the path of one of a session's files.
func sessionFile(id, name string) string { return path.Join(sessionsDir, id, name) }

// checkSession refuses an id that is no folder's name, or no session's.
func (w *Workspace) checkSession(id string) error {
	clean, err := cleanPath(id)
	if err != nil {
		return err
	}
	if clean != id || strings.HasPrefix(id, ".") || strings.ContainsAny(id, `/\`) {
		return &PathError{id, "is no session's id"}
	}
	dir, err := w.resolve(path.Join(sessionsDir, id))
	if err == nil {
		var info fs.FileInfo
		if info, err = w.disk.lstat(dir); err == nil && !info.IsDir() {
			err = fs.ErrNotExist
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("find session %q: %w", id, ErrNoSession)
	}
	return diskError("find", path.Join(sessionsDir, id), err)
}

// readSession returns what can be read of a session, and its file as it stands.
func (w *Workspace) readSession(id string) (Session, object) {
	o, problem := w.readObject(id, contextFile)
	if problem != "" {
		return Session{ID: id, Problems: []string{problem}}, nil
	}
	r := reading{object: o, file: contextFile}
	s := Session{
		ID:              id,
		SpecFile:        r.text("specFile"),
		Status:          r.text("status"),
		CurrentPhase:    r.text("currentPhase"),
		WorktreePath:    r.text("worktreePath"),
		BranchName:      r.text("branchName"),
		PhasesCompleted: r.list("phasesCompleted"),
		TasksCompleted:  r.list("tasksCompleted"),
		TasksPending:    r.list("tasksPending"),
		StartedAt:       r.time("startedAt"),
		UpdatedAt:       r.time("updatedAt"),
		CompletedAt:     r.time("completedAt"),
		PRURL:           r.text("prUrl"),
		PRNumber:        r.number("prNumber"),
	}
	if own := r.text("id"); own != id {
		r.problem("has the id %q", shorten(own))
	}
	s.Problems = r.problems
	return s, o
}

// readCheckpoint returns nil, without a problem, where there is none.
func (w *Workspace) readCheckpoint(id string) (c *Checkpoint, o object, problems []string) {
	if _, err := w.disk.lstat(sessionFile(id, checkpointFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	o, problem := w.readObject(id, checkpointFile)
	if problem != "" {
		return nil, nil, []string{problem}
	}
	r := reading{object: o, file: checkpointFile}
	return &Checkpoint{
		SessionID:          r.text("sessionId"),
		CheckpointID:       r.text("checkpointId"),
		CreatedAt:          r.time("createdAt"),
		CurrentPhase:       r.text("currentPhase"),
		TasksCompleted:     r.list("tasksCompleted"),
		TasksPending:       r.list("tasksPending"),
		Variables:          r.get("variables"),
		LastAction:         r.text("lastAction"),
		ResumeInstructions: r.text("resumeInstructions"),
	}, o, r.problems
}

func (w *Workspace) readObject(id, name string) (o object, problem string) {
	p := sessionFile(id, name)
	data, _, err := w.disk.read(p)
	if err != nil {
		return nil, name + " " + fileProblem(w.irregular(p, err))
	}
	o, err = parseObject(data)
	if err != nil {
		return nil, name + " " + err.Error()
	}
	return o, ""
}

// irregular explains why a file cannot be opened: reading refuses a folder, a FIFO
// or a device in the file's place with the error that a missing file gives.
func (w *Workspace) irregular(p string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := w.disk.lstat(p); missing == nil {
			return diskError("read", p, errIrregular)
		}
	}
	return err
}

// errIrregular refuses what stands in the place of a session's file.
var errIrregular = errors.New("it is not a regular file")

// fileProblem completes "FILE …".
func fileProblem(err error) string {
	var outside *PathError
	var disk *DiskError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is missing"
	case errors.As(err, &outside):
		return outside.Reason
	case errors.As(err, &disk):
		return "cannot be read: " + disk.Reason()
	}
	return "cannot be read: " + bare(err).Error()
}
