package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"issues-index/store"
	"issues-index/store/orderedjson"
	sessions "issues-index/store/session"
	"issues-index/store/words"
	"issues-index/tools"
)

// A sessionAnswer answers session_get.
type sessionAnswer struct {
	Found      bool            `json:"found"`
	Session    *sessionDetails `json:"session,omitempty"`
	Checkpoint *resumePoint    `json:"checkpoint,omitempty"`
	Note       string          `json:"note,omitempty"`

	problems []string // with the files
}

// A sessionDetails is a session as it is answered.
type sessionDetails struct {
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
			"Without sessionId: the last one running or paused.",
		ReadOnly:   true,
		Idempotent: true,
		Input:      tools.ObjectSchema(`"sessionId":` + anyText),
		Output: tools.ObjectSchema(`"found":{"type":"boolean"},"session":{"type":"object","properties":{"id":`+anyText+
			`,"status":`+anyText+
			`,"currentPhase":`+anyText+`,"worktreePath":`+anyText+`,"tasksCompleted":`+anyTexts+`,"tasksPending":`+anyTexts+
			`}},"checkpoint":{"type":"object","properties":{"lastAction":`+anyText+`,"resumeInstructions":`+anyText+
			`,"variables":`+anything+
			`}},"note":`+anyText, "found"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			id := strings.TrimSpace(args.String("sessionId"))
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			ws, id, release, err := atHome(ctx, ws, args, id)
			if err != nil {
				return tools.Result{}, err
			}
			defer release()
			s, c, err := sessions.In(ws).Find(ctx, id)
			if id == "" && errors.Is(err, sessions.ErrNotFound) {
				note := "No session is running or paused. session_start {specFile} begins one on a specification."
				return tools.Result{Text: note, Structured: sessionAnswer{Note: note}}, nil
			}
			if err != nil {
				return tools.Result{}, sessionError(ctx, ws, id, err)
			}
			return found(s, c).result(), nil
		},
	}
}

// found answers with a session and its last checkpoint, nil when it has none.
func found(s sessions.Session, c *sessions.Checkpoint) sessionAnswer {
	a := sessionAnswer{Found: true, Session: &sessionDetails{
		ID: s.ID, SpecFile: s.SpecFile, Status: s.Status, CurrentPhase: s.CurrentPhase,
		WorktreePath: s.WorktreePath, BranchName: s.BranchName,
		PhasesCompleted: oneLined(s.PhasesCompleted), TasksCompleted: oneLined(s.TasksCompleted),
		TasksPending: oneLined(s.TasksPending),
		StartedAt:    stamp(s.StartedAt), UpdatedAt: stamp(s.UpdatedAt), CompletedAt: stamp(s.CompletedAt),
		PRURL: s.PRURL, PRNumber: s.PRNumber,
	}}
	if c != nil {
		a.Checkpoint = &resumePoint{
			CheckpointID: c.CheckpointID, CreatedAt: stamp(c.CreatedAt), CurrentPhase: c.CurrentPhase,
			LastAction: c.LastAction, ResumeInstructions: c.ResumeInstructions,
		}
		if !slices.Equal(c.TasksCompleted, s.TasksCompleted) || !slices.Equal(c.TasksPending, s.TasksPending) {
			a.Checkpoint.TasksCompleted, a.Checkpoint.TasksPending = oneLined(c.TasksCompleted), oneLined(c.TasksPending)
		}
		if variables, err := orderedjson.Parse(c.Variables); err == nil {
			a.Checkpoint.Variables, _ = variables.MarshalJSON() // it never fails
		} else if len(c.Variables) > 0 && string(c.Variables) != "null" {
			a.problems = append(a.problems, "variables are left out: not an object. "+inFile(s.ID, checkpointFile))
		}
	}
	for _, problem := range s.Problems[:min(len(s.Problems), 3)] {
		a.problems = append(a.problems, "Problem: "+tools.Plain(problem)+".")
	}
	a.Note = strings.TrimSpace(a.next() + " " + strings.Join(a.problems, " "))
	return a
}

// result has a line a field in its text.
func (a sessionAnswer) result() tools.Result {
	s := a.Session
	heading := fmt.Sprintf("Session %s is %s in phase %s: %s.", s.ID, words.OneLine(s.Status),
		words.OneLine(s.CurrentPhase),
		progress(len(s.TasksCompleted), len(s.TasksPending)))
	if s.Status == "" {
		heading = fmt.Sprintf("Session %s cannot be read.", s.ID)
	}
	text := lines{heading + " " + a.next()}
	text.add("spec", s.SpecFile)
	text.add("worktree", s.WorktreePath)
	text.add("branch", s.BranchName)
	text.add("phases completed", strings.Join(s.PhasesCompleted, ", "))
	text.add("tasks completed", strings.Join(s.TasksCompleted, ", "))
	text.add("tasks pending", strings.Join(s.TasksPending, ", "))
	text.add("started", s.StartedAt)
	text.add("updated", s.UpdatedAt)
	text.add("completed", s.CompletedAt)
	text.add("pull request", pullRequest(s.PRNumber, s.PRURL))
	result := tools.Result{Structured: a, Items: 1, Hint: inFile(s.ID, contextFile) + " " + inFile(s.ID, checkpointFile)}
	if c := a.Checkpoint; c != nil {
		text.add("checkpoint", c.CheckpointID+" "+c.CreatedAt+" in phase "+c.CurrentPhase)
		text.add("tasks completed at the checkpoint", strings.Join(c.TasksCompleted, ", "))
		text.add("tasks pending at the checkpoint", strings.Join(c.TasksPending, ", "))
		text.add("last action", c.LastAction)
		fields := []tools.TextField{{Name: "resume", Text: strings.TrimSuffix(c.ResumeInstructions, "\n")}}
		var variables bytes.Buffer
		if json.Compact(&variables, c.Variables) == nil && variables.Len() > len("{}") {
			fields = append(fields, tools.TextField{Name: "variables", Text: variables.String()})
		}
		var checkpoint string
		checkpoint, result.Mark = tools.WriteFields(fields, text...)
		text = append(text, checkpoint)
	}
	text.add("note", strings.Join(a.problems, " "))
	result.Text = text.String()
	return result
}

// next says how to go on from what was found.
func (a sessionAnswer) next() string {
	switch {
	case a.Session.Status == "":
		return "Ask the user to mend its files, or begin another with session_start."
	case a.Session.Status == "completed" || a.Session.Status == "failed":
		return afterEnd
	case a.Checkpoint == nil:
		return "It has no checkpoint: go on with the phase, and call session_checkpoint after each task."
	}
	return "Go on as resume says, then call session_phase or session_checkpoint."
}
