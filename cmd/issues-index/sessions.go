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
			Args:    noArguments,
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
		p.tell("No sessions. An agent starts one with the tool session_start.")
		return nil
	}
	list := make([]*session.Session, len(sessions))
	t := &terminal.Table{Columns: []terminal.Column{
		{Title: "ID"},
		{Title: "STATUS", Colour: sessionColour},
		{Title: "PHASE", Optional: true},
		{Title: "TASKS", Right: true, Optional: true},
		{Title: "SPECIFICATION", Least: 24},
		{Title: "UPDATED", Optional: true},
	}}
	for i, s := range sessions {
		list[i] = shownSession(s)
		t.Add(s.ID, cmp.Or(s.Status, "(none)"), s.CurrentPhase, taskCount(s, "/"), s.SpecFile, p.timeText(s.UpdatedAt))
	}
	return p.print(struct {
		Sessions []*session.Session `json:"sessions"`
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
		const hint = "issues-index sessions lists all of them"
		if id == "" {
			return failed("no session is running or paused", hint)
		}
		all, _ := session.In(ws).All(ctx) // a hint is optional
		for _, other := range all {       // the rest of an id is random
			if strings.HasPrefix(other.ID, id) {
				return failed("no session "+id, "did you mean "+other.ID+"?")
			}
		}
		return failed("no session "+id, hint)
	}
	if err != nil {
		return err
	}
	audit, skipped, err := session.In(ws).Audit(ctx, s.ID)
	if err != nil && ctx.Err() != nil { // other errors are among the problems
		return err
	}
	shown := struct {
		Session    *session.Session    `json:"session"`
		Checkpoint *session.Checkpoint `json:"checkpoint,omitempty"`
		Audit      []json.RawMessage   `json:"audit"`
		Skipped    int                 `json:"skippedAuditLines,omitempty"`
	}{shownSession(s), c, []json.RawMessage{}, skipped}
	for _, entry := range audit {
		shown.Audit = append(shown.Audit, entry.Rest)
	}
	return p.print(shown, func(page *terminal.Page) { laySession(page, s, c, audit) })
}

func laySession(page *terminal.Page, s session.Session, c *session.Checkpoint, audit []session.AuditEntry) {
	page.Names = 13
	page.Line("%s", page.Bold(s.ID))
	page.Field("specification", s.SpecFile)
	page.Field("status", s.Status, sessionColour(s.Status))
	pull := ""
	if s.PRNumber > 0 {
		pull = "#" + strconv.Itoa(s.PRNumber)
	}
	page.Fields(
		"phase", s.CurrentPhase, "phases done", strings.Join(s.PhasesCompleted, ", "),
		"tasks done", strings.Join(s.TasksCompleted, ", "), "tasks left", strings.Join(s.TasksPending, ", "),
		"worktree", s.WorktreePath, "branch", s.BranchName,
		"started", page.Time(s.StartedAt), "updated", page.Time(s.UpdatedAt), "completed", page.Time(s.CompletedAt),
		"pull request", pull, "address", s.PRURL,
	)
	for _, problem := range s.Problems {
		page.Field("problem", problem, terminal.Red)
	}
	if c != nil {
		page.Line("")
		page.Fields("checkpoint", c.CheckpointID, "saved", page.Time(c.CreatedAt), "last action", c.LastAction,
			"resume", c.ResumeInstructions)
		if len(c.Variables) > 0 {
			page.Field("variables", fmt.Sprintf("%d bytes; --json shows them", len(c.Variables)))
		}
	}
	page.Line("")
	t := &terminal.Table{
		Columns: []terminal.Column{
			{Title: "TIME"}, {Title: "PHASE"}, {Title: "STATUS"}, {Title: "OTHER", Least: 12, Optional: true},
		},
	}
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

// shownSession is a session whose lists are there, though empty.
func shownSession(s session.Session) *session.Session {
	for _, list := range []*[]string{&s.PhasesCompleted, &s.TasksCompleted, &s.TasksPending} {
		*list = append([]string{}, *list...)
	}
	return &s
}

// taskCount is how many tasks of a session are done, and how many there are.
func taskCount(s session.Session, of string) string {
	return fmt.Sprintf("%d%s%d", len(s.TasksCompleted), of, len(s.TasksCompleted)+len(s.TasksPending))
}
