package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"issues-index/store"
	sessions "issues-index/store/session"
	"issues-index/tools"
)

// A startAnswer answers session_start.
type startAnswer struct {
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
			"In a git repository it gets its own worktree and branch. Resume one with session_get instead.",
		Input: tools.ObjectSchema(`"specFile":`+anyText+`,"workingDirectory":`+anyText, "specFile"),
		IDs:   []string{"specFile"},
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
			started := startAnswer{
				SessionID: s.ID, Status: s.Status, CurrentPhase: s.CurrentPhase, AuditPath: s.AuditPath,
				WorktreePath: s.WorktreePath,
				BranchName:   s.BranchName, WorktreeCreated: s.WorktreeCreated, Note: strings.TrimSpace(afterStart + " " + s.Note),
			}
			return tools.Result{Text: started.text(s.Note), Structured: started, Items: 1, Hint: inFile(s.ID, contextFile)}, nil
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
		return s, startError(ctx, ws, n, err)
	}
	return s, nil
}

// afterStart is what to do in a new session.
const afterStart = "Call session_phase when a phase starts and when it ends."

func (b startAnswer) text(note string) string {
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

// specByID is the path of the document with this id, for a caller who names a
// specification as the issues tools do; "" when no document has it. The documents whose
// file names hold the id's number are looked at first, since nearly all have it there.
func specByID(ctx context.Context, ws *store.Workspace, id string) (string, error) {
	id = strings.TrimSpace(id)
	if id == "" || strings.ContainsAny(id, `/\`) {
		return "", nil
	}
	listing, err := ws.List(ctx)
	if err != nil {
		return "", fmt.Errorf("list documents: %w", err)
	}
	number := strings.TrimLeft(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_")
	for _, numbered := range []bool{true, false} {
		var found []string
		for _, file := range listing.Files {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			if strings.Contains(path.Base(file.Path), number) != numbered {
				continue
			}
			if doc, _, err := ws.Load(file.Path); err == nil && strings.EqualFold(doc.ID, id) {
				found = append(found, file.Path)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return "", tools.Errorf(tools.CodeAmbiguousID, "%d documents have the id %s.", len(found), tools.Quote(id)).
				On("specFile").Try("Pass the path of the specification that you mean:").Among(found...)
		}
	}
	return "", nil
}
