package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/store"
	"issues-index/store/session"
)

func newSessionsCommand(p *program) *cobra.Command {
	list := func(cmd *cobra.Command, _ []string) error {
		return p.withWorkspace(func(ws *store.Workspace) error { return p.listSessions(cmd.Context(), ws) })
	}
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the work sessions of agents, or show one",
		Long: `Sessions lists the work sessions that agents have started on specifications, the newest
first. Their files are in .wrangler/sessions/.`,
		Example: `  issues-index sessions
  issues-index sessions show`,
		Args: knownCommand,
		RunE: list,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:   "list",
			Short: "List the sessions, the newest first",
			Long: `List prints the sessions with their phase and how many of their tasks are done. It is the
same as sessions without a subcommand.`,
			Example: `  issues-index sessions list --json`,
			Args:    arguments(0, 0, "no arguments"),
			RunE:    list,
		},
		&cobra.Command{
			Use:   "show [ID]",
			Short: "Show one session, its checkpoint and its audit log",
			Long: `Show prints a session, its last checkpoint and its audit log. Without an ID it shows the
session to resume: the most recent one that is running or paused.`,
			Example: `  issues-index sessions show
  issues-index sessions show 2026-01-22-abc1234-0a1b --json`,
			Args:              arguments(0, 1, "at most one id"),
			ValidArgsFunction: p.completeSession,
			RunE: func(cmd *cobra.Command, args []string) error {
				id := strings.Join(args, "")
				return p.withWorkspace(func(ws *store.Workspace) error { return p.showSession(cmd.Context(), ws, id) })
			},
		})
	return cmd
}

func (p *program) listSessions(ctx context.Context, ws *store.Workspace) error {
	sessions, err := session.In(ws).All(ctx)
	if err != nil {
		return err
	}
	for i := range sessions {
		problems, err := session.In(ws).Problems(ctx, sessions[i].ID)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil { // otherwise the session has a problem that says so
			sessions[i].Problems = append(sessions[i].Problems, problems...)
		}
	}
	if len(sessions) == 0 && !p.json {
		fmt.Fprintln(p.errOut, "No sessions. An agent starts one with the tool session_start.")
		return nil
	}
	list := make([]sessionJSON, len(sessions))
	t := &terminal.Table{Columns: []terminal.Column{
		{Title: "ID"},
		{Title: "STATUS", Colour: sessionColour},
		{Title: "PHASE", Optional: true},
		{Title: "TASKS", Right: true, Optional: true},
		{Title: "SPECIFICATION", Least: 24},
		{Title: "UPDATED", Optional: true},
	}}
	for i, s := range sessions {
		list[i] = newSessionJSON(s)
		done, all := len(s.TasksCompleted), len(s.TasksCompleted)+len(s.TasksPending)
		t.Add(s.ID, cmp.Or(s.Status, "(none)"), s.CurrentPhase, fmt.Sprintf("%d/%d", done, all), s.SpecFile, p.timeText(s.UpdatedAt))
	}
	return p.print(struct {
		Sessions []sessionJSON `json:"sessions"`
	}{list}, func(page *terminal.Page) {
		page.Table(t, func(row int) string { return strings.Join(sessions[row].Problems, "; ") })
	})
}

// sessionColour returns the SGR code for the status of a session.
func sessionColour(status string) string {
	switch status {
	case "running":
		return terminal.Green
	case "paused":
		return terminal.Yellow
	case "failed":
		return terminal.Red
	}
	return terminal.Dim
}

func (p *program) showSession(ctx context.Context, ws *store.Workspace, id string) error {
	s, c, err := session.In(ws).Find(ctx, id)
	if errors.Is(err, session.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		message := "no session " + id
		if id == "" {
			message = "no session is running or paused"
		}
		f := &commandError{code: exitFailed, message: message, hint: "issues-index sessions lists all of them"}
		if near := sessionWithPrefix(ctx, ws, id); id != "" && near != "" {
			f.hint = "did you mean " + near + "?"
		}
		return f
	}
	if err != nil {
		return err
	}
	audit, skipped, err := session.In(ws).Audit(ctx, s.ID)
	if err != nil && ctx.Err() != nil { // other errors are among the problems
		return err
	}
	return p.print(describeSession(s, c, audit, skipped), func(page *terminal.Page) { laySession(page, s, c, audit) })
}

// sessionWithPrefix returns the first session whose id begins with prefix, "" for none.
// The rest of an id is random, so it is not compared for misspellings.
func sessionWithPrefix(ctx context.Context, ws *store.Workspace, prefix string) string {
	sessions, err := session.In(ws).All(ctx)
	if err != nil {
		return "" // a hint is optional
	}
	for _, s := range sessions {
		if strings.HasPrefix(s.ID, prefix) {
			return s.ID
		}
	}
	return ""
}

func laySession(page *terminal.Page, s session.Session, c *session.Checkpoint, audit []session.AuditEntry) {
	page.Names = 13
	page.Line("%s", page.Paint(terminal.Bold, terminal.OneLine(s.ID)))
	plain := func(name, value string) { page.Field(name, value, terminal.Plain) }
	plain("specification", s.SpecFile)
	page.Field("status", s.Status, sessionColour(s.Status))
	plain("phase", s.CurrentPhase)
	plain("phases done", strings.Join(s.PhasesCompleted, ", "))
	plain("tasks done", strings.Join(s.TasksCompleted, ", "))
	plain("tasks left", strings.Join(s.TasksPending, ", "))
	plain("worktree", s.WorktreePath)
	plain("branch", s.BranchName)
	plain("started", page.Time(s.StartedAt))
	plain("updated", page.Time(s.UpdatedAt))
	plain("completed", page.Time(s.CompletedAt))
	if s.PRNumber > 0 {
		plain("pull request", "#"+strconv.Itoa(s.PRNumber))
	}
	plain("address", s.PRURL)
	for _, problem := range s.Problems {
		page.Field("problem", problem, terminal.Red)
	}
	if c != nil {
		page.Line("")
		plain("checkpoint", c.CheckpointID)
		plain("saved", page.Time(c.CreatedAt))
		plain("last action", c.LastAction)
		plain("resume", c.ResumeInstructions)
		if len(c.Variables) > 0 {
			plain("variables", fmt.Sprintf("%d bytes; --json shows them", len(c.Variables)))
		}
	}
	page.Line("")
	t := &terminal.Table{Columns: []terminal.Column{{Title: "TIME"}, {Title: "PHASE"}, {Title: "STATUS"}, {Title: "OTHER", Least: 12, Optional: true}}}
	for _, entry := range audit {
		t.Add(page.Time(entry.Timestamp), entry.Phase, entry.Status, otherFields(entry.Rest))
	}
	page.Table(t, nil)
}

// otherFields returns what a log entry has besides the columns of the table.
func otherFields(entry json.RawMessage) string {
	var rest map[string]json.RawMessage
	if json.Unmarshal(entry, &rest) != nil {
		return ""
	}
	for _, column := range []string{"timestamp", "phase", "status"} {
		delete(rest, column)
	}
	text, err := json.Marshal(rest)
	if err != nil || len(rest) == 0 {
		return ""
	}
	return string(text)
}

// A sessionJSON is a session for scripts. Its fields have the names of the file.
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

// A checkpointJSON is the last checkpoint of a session, likewise.
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

func describeSession(s session.Session, c *session.Checkpoint, audit []session.AuditEntry, skipped int) any {
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
	return v
}
