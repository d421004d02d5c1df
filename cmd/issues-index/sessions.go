package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
	if p.json {
		list := make([]sessionJSON, len(sessions))
		for i, s := range sessions {
			list[i] = newSessionJSON(s)
		}
		return p.printJSON(struct {
			Sessions []sessionJSON `json:"sessions"`
		}{list})
	}
	if len(sessions) == 0 {
		fmt.Fprintln(p.errOut, "No sessions. An agent starts one with the tool session_start.")
		return nil
	}
	t := table{columns: []column{
		{title: "ID"},
		{title: "STATUS", colour: sessionColour},
		{title: "PHASE", optional: true},
		{title: "TASKS", right: true, optional: true},
		{title: "SPECIFICATION", least: 24},
		{title: "UPDATED", optional: true},
	}}
	for _, s := range sessions {
		done, all := len(s.TasksCompleted), len(s.TasksCompleted)+len(s.TasksPending)
		t.add(s.ID, cmp.Or(s.Status, "(none)"), s.CurrentPhase, fmt.Sprintf("%d/%d", done, all), s.SpecFile, p.timeText(s.UpdatedAt))
	}
	return t.write(p.out, p.screen(), func(row int) string { return strings.Join(sessions[row].Problems, "; ") })
}

// sessionColour returns the SGR code for the status of a session.
func sessionColour(status string) string {
	switch status {
	case "running":
		return green
	case "paused":
		return yellow
	case "failed":
		return red
	}
	return dim
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
	if p.json {
		return p.printSessionJSON(s, c, audit, skipped)
	}
	return p.printSession(s, c, audit)
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

func (p *program) printSession(s session.Session, c *session.Checkpoint, audit []session.AuditEntry) error {
	var out strings.Builder
	screen := p.screen()
	f := fieldPrinter{&out, screen, 13}
	fmt.Fprintln(&out, screen.paint(bold, oneLine(s.ID)))
	f.add("specification", s.SpecFile, plain)
	f.add("status", s.Status, sessionColour(s.Status))
	f.add("phase", s.CurrentPhase, plain)
	f.add("phases done", strings.Join(s.PhasesCompleted, ", "), plain)
	f.add("tasks done", strings.Join(s.TasksCompleted, ", "), plain)
	f.add("tasks left", strings.Join(s.TasksPending, ", "), plain)
	f.add("worktree", s.WorktreePath, plain)
	f.add("branch", s.BranchName, plain)
	f.add("started", p.timeText(s.StartedAt), plain)
	f.add("updated", p.timeText(s.UpdatedAt), plain)
	f.add("completed", p.timeText(s.CompletedAt), plain)
	if s.PRNumber > 0 {
		f.add("pull request", "#"+strconv.Itoa(s.PRNumber), plain)
	}
	f.add("address", s.PRURL, plain)
	for _, problem := range s.Problems {
		f.add("problem", problem, red)
	}
	if c != nil {
		fmt.Fprintln(&out)
		f.add("checkpoint", c.CheckpointID, plain)
		f.add("saved", p.timeText(c.CreatedAt), plain)
		f.add("last action", c.LastAction, plain)
		f.add("resume", c.ResumeInstructions, plain)
		if len(c.Variables) > 0 {
			f.add("variables", fmt.Sprintf("%d bytes; --json shows them", len(c.Variables)), plain)
		}
	}
	fmt.Fprintln(&out)
	if _, err := io.WriteString(p.out, out.String()); err != nil {
		return err
	}
	t := table{columns: []column{{title: "TIME"}, {title: "PHASE"}, {title: "STATUS"}, {title: "OTHER", least: 12, optional: true}}}
	for _, entry := range audit {
		t.add(p.timeText(entry.Timestamp), entry.Phase, entry.Status, otherFields(entry.Rest))
	}
	return t.write(p.out, screen, nil)
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
