package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sessions "issues-index/store/session"

	"issues-index/store"
	"issues-index/tools"
)

// A finding answers session_get.
type finding struct {
	Found      bool         `json:"found"`
	Session    *state       `json:"session,omitempty"`
	Checkpoint *resumePoint `json:"checkpoint,omitempty"`
	Note       string       `json:"note,omitempty"`

	left string // what the note says of what was left out
}

// A state is a session as it is answered.
type state struct {
	ID              string   `json:"id"`
	SpecFile        string   `json:"specFile"`
	Status          string   `json:"status"`
	CurrentPhase    string   `json:"currentPhase"`
	WorktreePath    string   `json:"worktreePath"`
	BranchName      string   `json:"branchName"`
	PhasesCompleted []string `json:"phasesCompleted"`
	TasksCompleted  []string `json:"tasksCompleted"`
	TasksPending    []string `json:"tasksPending"`
	StartedAt       string   `json:"startedAt,omitempty"`
	UpdatedAt       string   `json:"updatedAt,omitempty"`
	CompletedAt     string   `json:"completedAt,omitempty"`
	PRURL           string   `json:"prUrl,omitempty"`
	PRNumber        int      `json:"prNumber,omitempty"`
}

// A resumePoint is a checkpoint as it is answered. It has its tasks only where
// they are not the session's.
type resumePoint struct {
	CheckpointID       string          `json:"checkpointId"`
	CreatedAt          string          `json:"createdAt"`
	CurrentPhase       string          `json:"currentPhase"`
	TasksCompleted     []string        `json:"tasksCompleted,omitempty"`
	TasksPending       []string        `json:"tasksPending,omitempty"`
	LastAction         string          `json:"lastAction"`
	ResumeInstructions string          `json:"resumeInstructions"`
	Variables          json.RawMessage `json:"variables,omitempty"`
}

func get(ws *store.Workspace) tools.Tool {
	return tools.Tool{
		Name: "session_get",
		Description: "Read a session and its last checkpoint, to resume it. Read-only. " +
			"Without sessionId: the most recent one that is running or paused.",
		ReadOnly:   true,
		Idempotent: true,
		Input:      tools.ObjectSchema(`"sessionId":` + anyText),
		Output: tools.ObjectSchema(`"found":{"type":"boolean"},"session":{"type":"object","properties":{"id":`+anyText+`,"status":`+anyText+
			`,"currentPhase":`+anyText+`,"worktreePath":`+anyText+`,"tasksCompleted":`+anyTexts+`,"tasksPending":`+anyTexts+
			`}},"checkpoint":{"type":"object","properties":{"lastAction":`+anyText+`,"resumeInstructions":`+anyText+`,"variables":`+anything+
			`}},"note":`+anyText, "found"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			id := strings.TrimSpace(args.String("sessionId"))
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			s, c, err := sessions.In(ws).Find(ctx, id)
			if id == "" && errors.Is(err, sessions.ErrNotFound) {
				note := "No session is running or paused. session_start {specFile} begins one on a specification."
				return tools.Result{Text: note, Structured: finding{Note: note}}, nil
			}
			if err != nil {
				return tools.Result{}, refusal(ctx, ws, id, err)
			}
			return args.Smaller(lastLevel, func(level int) tools.Result {
				f := levels[level].finding(s, c)
				return f.result(len(s.TasksCompleted), len(s.TasksPending))
			}), nil
		},
	}
}

// finding is a session and its checkpoint within the limits.
func (l limits) finding(s sessions.Session, c *sessions.Checkpoint) finding {
	ofSession, ofCheckpoint := bounds{limits: l}, bounds{limits: l}
	f := finding{Found: true, Session: &state{
		ID: s.ID, Status: ofSession.text("status", s.Status, l.line), SpecFile: ofSession.text("specFile", s.SpecFile, l.path),
		CurrentPhase: ofSession.text("currentPhase", s.CurrentPhase, l.line),
		WorktreePath: ofSession.text("worktreePath", s.WorktreePath, l.path), BranchName: ofSession.text("branchName", s.BranchName, l.path),
		PhasesCompleted: ofSession.entries("phasesCompleted", s.PhasesCompleted),
		TasksCompleted:  ofSession.entries("tasksCompleted", s.TasksCompleted),
		TasksPending:    ofSession.entries("tasksPending", s.TasksPending),
		UpdatedAt:       stamp(s.UpdatedAt),
		PRURL:           ofSession.text("prUrl", s.PRURL, l.path), PRNumber: s.PRNumber,
	}}
	if l.list > 0 {
		f.Session.StartedAt, f.Session.CompletedAt = stamp(s.StartedAt), stamp(s.CompletedAt)
	}
	if c != nil {
		f.Checkpoint = &resumePoint{
			CheckpointID: ofCheckpoint.text("checkpointId", c.CheckpointID, l.line), CreatedAt: stamp(c.CreatedAt),
			CurrentPhase:       ofCheckpoint.text("currentPhase", c.CurrentPhase, l.line),
			LastAction:         ofCheckpoint.text("lastAction", c.LastAction, l.paragraph),
			ResumeInstructions: ofCheckpoint.text("resumeInstructions", c.ResumeInstructions, l.paragraph),
			Variables:          ofCheckpoint.members(c.Variables),
		}
		if !slices.Equal(c.TasksCompleted, s.TasksCompleted) || !slices.Equal(c.TasksPending, s.TasksPending) {
			f.Checkpoint.TasksCompleted = ofCheckpoint.entries("tasksCompleted", c.TasksCompleted)
			f.Checkpoint.TasksPending = ofCheckpoint.entries("tasksPending", c.TasksPending)
		}
	}
	notes := []string{ofSession.note(fileOf(s.ID, contextFile)), ofCheckpoint.note(fileOf(s.ID, checkpointFile))}
	for _, problem := range s.Problems[:min(len(s.Problems), 3)] {
		notes = append(notes, "Problem: "+tools.Plain(problem)+".")
	}
	f.left = strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), " ")
	f.Note = strings.TrimSpace(f.next() + " " + f.left)
	return f
}

// result has a line a field in its text. The numbers are those of all tasks, shown or
// not.
func (f finding) result(completed, pending int) tools.Result {
	s := f.Session
	heading := fmt.Sprintf("Session %s is %s in phase %s: %s.", s.ID, oneLine(s.Status), oneLine(s.CurrentPhase), progress(completed, pending))
	if s.Status == "" {
		heading = fmt.Sprintf("Session %s cannot be read.", s.ID)
	}
	text := lines{heading + " " + f.next()}
	text.add("spec", s.SpecFile)
	text.add("worktree", s.WorktreePath)
	text.add("branch", s.BranchName)
	text.add("phases completed", commas(s.PhasesCompleted))
	text.add("tasks completed", commas(s.TasksCompleted))
	text.add("tasks pending", commas(s.TasksPending))
	text.add("started", s.StartedAt)
	text.add("updated", s.UpdatedAt)
	text.add("completed", s.CompletedAt)
	text.add("pull request", pullRequest(s.PRNumber, s.PRURL))
	result := tools.Result{Structured: f, Items: 1}
	if c := f.Checkpoint; c != nil {
		text.add("checkpoint", c.CheckpointID+" "+c.CreatedAt+" in phase "+c.CurrentPhase)
		text.add("tasks completed at the checkpoint", commas(c.TasksCompleted))
		text.add("tasks pending at the checkpoint", commas(c.TasksPending))
		text.add("last action", c.LastAction)
		fields := []tools.Field{{Name: "resume", Text: strings.TrimSuffix(c.ResumeInstructions, "\n")}}
		var variables bytes.Buffer
		if json.Compact(&variables, c.Variables) == nil && variables.Len() > len("{}") {
			fields = append(fields, tools.Field{Name: "variables", Text: variables.String()})
		}
		var checkpoint string
		checkpoint, result.Mark = tools.WriteFields(fields, text...)
		text = append(text, checkpoint)
	}
	text.add("note", f.left)
	result.Text = text.String()
	return result
}

// next says how to go on from what was found.
func (f finding) next() string {
	switch {
	case f.Session.Status == "":
		return "Ask the user to mend its files, or begin another with session_start."
	case f.Session.Status == "completed" || f.Session.Status == "failed":
		return afterEnd
	case f.Checkpoint == nil:
		return "It has no checkpoint: go on with the phase, and call session_checkpoint after each task."
	}
	return "Go on as resume says, then call session_phase or session_checkpoint."
}
