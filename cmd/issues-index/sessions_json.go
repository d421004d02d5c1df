package main

import (
	"encoding/json"
	"time"

	"issues-index/store/session"
)

// A sessionJSON is a session for scripts, under the names that its file has.
type sessionJSON struct {
	ID              string    `json:"id"`
	SpecFile        string    `json:"specFile"`
	Status          string    `json:"status"`
	CurrentPhase    string    `json:"currentPhase"`
	WorktreePath    string    `json:"worktreePath"`
	BranchName      string    `json:"branchName"`
	PhasesCompleted []string  `json:"phasesCompleted"`
	TasksCompleted  []string  `json:"tasksCompleted"`
	TasksPending    []string  `json:"tasksPending"`
	StartedAt       time.Time `json:"startedAt,omitzero"`
	UpdatedAt       time.Time `json:"updatedAt,omitzero"`
	CompletedAt     time.Time `json:"completedAt,omitzero"`
	PRURL           string    `json:"prUrl,omitempty"`
	PRNumber        int       `json:"prNumber,omitempty"`
	Problems        []string  `json:"problems,omitempty"`
}

func newSessionJSON(s session.Session) sessionJSON {
	return sessionJSON{
		ID: s.ID, SpecFile: s.SpecFile, Status: s.Status, CurrentPhase: s.CurrentPhase,
		WorktreePath: s.WorktreePath, BranchName: s.BranchName,
		PhasesCompleted: append([]string{}, s.PhasesCompleted...),
		TasksCompleted:  append([]string{}, s.TasksCompleted...),
		TasksPending:    append([]string{}, s.TasksPending...),
		StartedAt:       s.StartedAt, UpdatedAt: s.UpdatedAt, CompletedAt: s.CompletedAt,
		PRURL: s.PRURL, PRNumber: s.PRNumber, Problems: s.Problems,
	}
}

func (p *program) printSessionJSON(s session.Session, c *session.Checkpoint, audit []session.AuditEntry, skipped int) error {
	type checkpointJSON struct {
		ID                 string          `json:"checkpointId"`
		CreatedAt          time.Time       `json:"createdAt,omitzero"`
		CurrentPhase       string          `json:"currentPhase"`
		TasksCompleted     []string        `json:"tasksCompleted"`
		TasksPending       []string        `json:"tasksPending"`
		LastAction         string          `json:"lastAction"`
		ResumeInstructions string          `json:"resumeInstructions"`
		Variables          json.RawMessage `json:"variables,omitempty"`
	}
	v := struct {
		Session    sessionJSON       `json:"session"`
		Checkpoint *checkpointJSON   `json:"checkpoint,omitempty"`
		Audit      []json.RawMessage `json:"audit"`
		Skipped    int               `json:"skippedAuditLines,omitempty"`
	}{Session: newSessionJSON(s), Audit: []json.RawMessage{}, Skipped: skipped}
	if c != nil {
		v.Checkpoint = &checkpointJSON{
			c.CheckpointID, c.CreatedAt, c.CurrentPhase,
			append([]string{}, c.TasksCompleted...), append([]string{}, c.TasksPending...),
			c.LastAction, c.ResumeInstructions, c.Variables,
		}
	}
	for _, e := range audit {
		v.Audit = append(v.Audit, e.Rest)
	}
	return p.printJSON(v)
}
