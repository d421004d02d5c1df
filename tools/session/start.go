package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	sessions "issues-index/store/session"

	"issues-index/store"
	"issues-index/tools"
)

// A beginning answers session_start.
type beginning struct {
	SessionID       string `json:"sessionId"`
	Status          string `json:"status"`
	CurrentPhase    string `json:"currentPhase"`
	AuditPath       string `json:"auditPath"`
	WorktreePath    string `json:"worktreePath"`
	BranchName      string `json:"branchName"`
	WorktreeCreated bool   `json:"worktreeCreated"`
	Note            string `json:"note,omitempty"`
}

func start(ws *store.Workspace) tools.Tool {
	return tools.Tool{
		Name: "session_start",
		Description: "Start a work session on a specification (its file or id). Writes. " +
			"In a git repository it gets a worktree and branch of its own. Resume an interrupted one with session_get instead.",
		Input: tools.ObjectSchema(`"specFile":`+anyText+`,"workingDirectory":`+anyText, "specFile"),
		Output: tools.ObjectSchema(`"sessionId":`+anyText+`,"status":`+anyText+`,"currentPhase":`+anyText+
			`,"worktreePath":`+anyText+`,"branchName":`+anyText+`,"worktreeCreated":{"type":"boolean"}`, "sessionId"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			n := sessions.StartOptions{SpecFile: args.Required("specFile"), WorkingDirectory: args.String("workingDirectory")}
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			s, err := startOn(ctx, ws, n)
			if err != nil {
				return tools.Result{}, err
			}
			return args.Smaller(lastLevel, func(level int) tools.Result {
				note := cut(s.Note, levels[level].paragraph)
				b := beginning{
					SessionID: s.ID, Status: s.Status, CurrentPhase: s.CurrentPhase, AuditPath: s.AuditPath,
					WorktreePath: s.WorktreePath, BranchName: s.BranchName, WorktreeCreated: s.WorktreeCreated, Note: strings.TrimSpace(afterStart + " " + note),
				}
				return tools.Result{Text: b.text(note), Structured: b, Items: 1}
			}), nil
		},
	}
}

// startOn starts a session on a file, or on the document with that id.
func startOn(ctx context.Context, ws *store.Workspace, n sessions.StartOptions) (sessions.Started, error) {
	s, err := sessions.In(ws).Start(ctx, n)
	if errors.Is(err, fs.ErrNotExist) {
		file, lookup := specByID(ctx, ws, n.SpecFile)
		if lookup != nil {
			return s, lookup
		}
		if file != "" {
			n.SpecFile = file
			s, err = sessions.In(ws).Start(ctx, n)
		}
	}
	if err != nil {
		return s, startRefusal(ctx, ws, n, err)
	}
	return s, nil
}

// afterStart is what to do in a new session.
const afterStart = "Call session_phase when a phase starts and when it ends."

func (b beginning) text(note string) string {
	text := lines{fmt.Sprintf("Started session %s. Work in %s. %s", b.SessionID, b.WorktreePath, afterStart)}
	text.add("status", b.Status)
	text.add("phase", b.CurrentPhase)
	text.add("branch", b.BranchName)
	created := "no"
	if b.WorktreeCreated {
		created = "yes"
	}
	text.add("worktree created", created)
	text.add("audit", b.AuditPath)
	text.add("note", note)
	return text.String()
}
