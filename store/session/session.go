// Package session keeps work sessions in a workspace: what one agent begins on a
// specification, in a git worktree of its own, and another may resume.
//
// A session is a folder with three JSON files, which other programs write, too. The
// package imports store for locks, durable writes and safe paths, and knows nothing of
// documents, of SQL or of MCP. Its invariants: a file that cannot be read is a problem of
// its session and never hides another; members that the package does not know keep their
// bytes; an audit line is written whole or not at all.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"issues-index/store"
	"issues-index/store/orderedjson"
	"issues-index/store/words"
)

const (
	contextFile    = "context.json"
	checkpointFile = "checkpoint.json"
	auditFile      = "audit.jsonl"
)

// Statuses are those of sessions, EndStatuses those that Complete takes, PhaseStatuses those that
// RecordPhase takes. Phases are the usual names; any other name of at most MaxPhase characters is a
// phase, too.
var (
	Statuses      = []string{"running", "paused", "completed", "failed"}
	EndStatuses   = Statuses[2:]
	Phases        = []string{"init", "plan", "execute", "task", "verify", "publish", "complete", "error", "checkpoint"}
	PhaseStatuses = []string{"started", "complete", "failed"}
)

// MaxPhase is the most characters of a phase's name.
const MaxPhase = 64

// ErrNotFound says that no session has this id, or, without an id, that none is running
// or paused.
var ErrNotFound = errors.New("there is no such session")

// Sessions are the sessions of a workspace.
type Sessions struct{ *store.Workspace }

// In returns the sessions of a workspace.
func In(ws *store.Workspace) Sessions { return Sessions{ws} }

// A Session is a piece of work that one agent begins and another may finish,
// as its context.json has it.
type Session struct {
	ID              string    `json:"id"`           // the name of its folder in store.SessionsDir
	SpecFile        string    `json:"specFile"`     // slash-separated, relative to the root
	Status          string    `json:"status"`       // one of Statuses
	CurrentPhase    string    `json:"currentPhase"` // one of Phases or another name
	WorktreePath    string    `json:"worktreePath"` // absolute
	BranchName      string    `json:"branchName"`   // "current" without a worktree of its own
	PhasesCompleted []string  `json:"phasesCompleted"`
	TasksCompleted  []string  `json:"tasksCompleted"`
	TasksPending    []string  `json:"tasksPending"`
	StartedAt       time.Time `json:"startedAt,omitzero"` // UTC, in milliseconds, as the other times
	UpdatedAt       time.Time `json:"updatedAt,omitzero"`
	CompletedAt     time.Time `json:"completedAt,omitzero"` // zero before the end
	PRURL           string    `json:"prUrl,omitempty"`
	PRNumber        int       `json:"prNumber,omitempty"` // 0 for none
	Problems        []string  `json:"problems,omitempty"` // what is wrong with its files, in words
}

// A Checkpoint is what the next agent needs to go on. CheckpointID is "chk-", milliseconds since
// 1970 and 8 hexadecimal digits; CreatedAt is UTC in milliseconds.
type Checkpoint struct {
	SessionID          string          `json:"-"`
	CheckpointID       string          `json:"checkpointId"`
	CreatedAt          time.Time       `json:"createdAt,omitzero"`
	CurrentPhase       string          `json:"currentPhase"`
	TasksCompleted     []string        `json:"tasksCompleted"`
	TasksPending       []string        `json:"tasksPending"`
	LastAction         string          `json:"lastAction"`
	ResumeInstructions string          `json:"resumeInstructions"`
	Variables          json.RawMessage `json:"variables,omitempty"` // an object, byte for byte
}

// Find returns a session and its last checkpoint, nil when it has none.
// Without an id it is the running or paused session that was started last.
// ErrNotFound says that there is none; files that cannot be read are among the
// session's problems.
func (w Sessions) Find(ctx context.Context, id string) (s Session, c *Checkpoint, err error) {
	if err := ctx.Err(); err != nil {
		return Session{}, nil, err
	}
	if id == "" {
		s, err = w.unfinished(ctx, "")
	} else if err = w.checkSession(id); err == nil {
		s, _ = w.readSession(id)
	}
	if err != nil {
		return Session{}, nil, err
	}
	c, _, problems := w.readCheckpoint(s.ID)
	s.Problems = slices.Concat(s.Problems, problems, w.auditProblems(s.ID))
	return s, c, ctx.Err()
}

// sessionFile is the path of one of a session's files.
func sessionFile(id, name string) string { return path.Join(store.SessionsDir, id, name) }

// checkSession refuses an id that is no folder's name, or no session's.
func (w Sessions) checkSession(id string) error {
	clean, err := store.CleanPath(id)
	if err != nil {
		return err
	}
	if clean != id || strings.HasPrefix(id, ".") || strings.ContainsAny(id, `/\`) {
		return &store.PathError{Path: id, Reason: "is no session's id"}
	}
	dir, err := w.Resolve(path.Join(store.SessionsDir, id))
	if err == nil {
		var info fs.FileInfo
		if info, err = w.Lstat(dir); err == nil && !info.IsDir() {
			err = fs.ErrNotExist
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("find session %q: %w", id, ErrNotFound)
	}
	return store.WrapDiskError("find", path.Join(store.SessionsDir, id), err)
}

// members are the members of context.json, in the order of a new file.
func (s *Session) members() []member {
	return []member{
		{"id", &s.ID},
		{"specFile", &s.SpecFile},
		{"status", &s.Status},
		{"currentPhase", &s.CurrentPhase},
		{"worktreePath", &s.WorktreePath},
		{"branchName", &s.BranchName},
		{"phasesCompleted", &s.PhasesCompleted},
		{"tasksCompleted", &s.TasksCompleted},
		{"tasksPending", &s.TasksPending},
		{"startedAt", &s.StartedAt},
		{"updatedAt", &s.UpdatedAt},
		{"completedAt", &s.CompletedAt},
		{"prUrl", &s.PRURL},
		{"prNumber", &s.PRNumber},
	}
}

// members are the members of checkpoint.json.
func (c *Checkpoint) members() []member {
	return []member{
		{"sessionId", &c.SessionID},
		{"checkpointId", &c.CheckpointID},
		{"createdAt", &c.CreatedAt},
		{"currentPhase", &c.CurrentPhase},
		{"tasksCompleted", &c.TasksCompleted},
		{"tasksPending", &c.TasksPending},
		{"variables", &c.Variables},
		{"lastAction", &c.LastAction},
		{"resumeInstructions", &c.ResumeInstructions},
	}
}

// readSession returns what can be read of a session, and its file as it stands.
func (w Sessions) readSession(id string) (s Session, o fileObject) {
	o, problem := w.readObject(id, contextFile)
	if problem != "" {
		return Session{ID: id, Problems: []string{problem}}, fileObject{}
	}
	s.Problems = o.read(contextFile, s.members())
	if s.ID != id {
		s.Problems = append(s.Problems, fmt.Sprintf("%s has the id %q", contextFile, words.CutBytes(s.ID, 40)))
		s.ID = id
	}
	return s, o
}

// readCheckpoint returns nil, without a problem, where there is none.
func (w Sessions) readCheckpoint(id string) (c *Checkpoint, o fileObject, problems []string) {
	if _, err := w.Lstat(sessionFile(id, checkpointFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, fileObject{}, nil
	}
	o, problem := w.readObject(id, checkpointFile)
	if problem != "" {
		return nil, fileObject{}, []string{problem}
	}
	c = new(Checkpoint)
	problems = o.read(checkpointFile, c.members())
	return c, o, problems
}

func (w Sessions) readObject(id, name string) (o fileObject, problem string) {
	data, err := w.ReadFile(sessionFile(id, name))
	if err != nil {
		return fileObject{}, name + " " + fileProblem(err)
	}
	parsed, err := orderedjson.Parse(data)
	if err != nil {
		return fileObject{}, name + " " + err.Error()
	}
	return fileObject{parsed}, ""
}

// fileProblem completes "FILE …".
func fileProblem(err error) string {
	var outside *store.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrIrregular):
		return "is missing"
	case errors.As(err, &outside):
		return outside.Reason
	}
	return "cannot be read: " + diskReason(err)
}

// diskReason says in plain words why the disk refused something.
func diskReason(err error) string {
	var disk *store.DiskError
	if errors.As(err, &disk) || errors.As(store.WrapDiskError("read", "", err), &disk) {
		return disk.Reason()
	}
	return err.Error()
}
