package session

import (
	"context"
	"fmt"
	"time"

	"issues-index/store"
	sessions "issues-index/store/session"
	"issues-index/tools"
)

// A checkpointAnswer answers session_checkpoint.
type checkpointAnswer struct {
	SessionID      string `json:"sessionId"`
	CheckpointID   string `json:"checkpointId"`
	CreatedAt      string `json:"createdAt"`
	CurrentPhase   string `json:"currentPhase"`
	TasksCompleted int    `json:"tasksCompleted"`
	TasksPending   int    `json:"tasksPending"`
	Path           string `json:"path"`
	Note           string `json:"note"`
}

func checkpoint(ws *store.Workspace, wait time.Duration) tools.Tool {
	return tools.Tool{
		Name: "session_checkpoint",
		Description: "Save where a session stands, so that another agent can resume it. Writes. " +
			"The task lists are whole, [] for none.",
		Idempotent: true,
		Input: tools.ObjectSchema(`"sessionId":`+anyText+`,"tasksCompleted":`+anyTexts+`,"tasksPending":`+anyTexts+
			`,"lastAction":`+anyText+
			`,"resumeInstructions":`+anyText+`,"variables":`+anything,
			"sessionId", "tasksCompleted", "tasksPending", "lastAction", "resumeInstructions"),
		Output: tools.ObjectSchema(`"sessionId":`+anyText+`,"checkpointId":`+anyText+`,"createdAt":`+anyText+
			`,"currentPhase":`+anyText,
			"sessionId", "checkpointId"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			id := args.Required("sessionId")
			c := sessions.Checkpoint{
				TasksCompleted:     tasks(args, "tasksCompleted"),
				TasksPending:       tasks(args, "tasksPending"),
				LastAction:         args.Required("lastAction"),
				ResumeInstructions: args.Required("resumeInstructions"),
				Variables:          object(args, "variables"),
			}
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			ws, id, release, err := atHome(ctx, ws, args, id)
			if err != nil {
				return tools.Result{}, err
			}
			defer release()
			waiting, cancel := context.WithTimeout(ctx, wait)
			defer cancel()
			s, c, err := sessions.In(ws).SaveCheckpoint(waiting, id, c)
			if err != nil {
				return tools.Result{}, sessionError(ctx, ws, id, err)
			}
			if err := renewClaims(ctx, ws, args, s); err != nil {
				args.Note("your claims could not be renewed: issues_claim {operation: 'renew'} says why")
			}
			saved := checkpointAnswer{
				SessionID: s.ID, CheckpointID: c.CheckpointID, CreatedAt: stamp(c.CreatedAt), CurrentPhase: c.CurrentPhase,
				TasksCompleted: len(c.TasksCompleted), TasksPending: len(c.TasksPending), Path: fileOf(s.ID, checkpointFile),
				Note: afterCheckpoint,
			}
			text := lines{fmt.Sprintf("Saved checkpoint %s of session %s: %s. %s",
				saved.CheckpointID, saved.SessionID, progress(saved.TasksCompleted, saved.TasksPending), afterCheckpoint)}
			text.add("phase", saved.CurrentPhase)
			text.add("created", saved.CreatedAt)
			text.add("path", saved.Path)
			return tools.Result{Text: text.String(), Structured: saved, Items: 1, Hint: inFile(s.ID, checkpointFile)}, nil
		},
	}
}

// afterCheckpoint is what to do when one is saved.
const afterCheckpoint = "session_get resumes from it; session_complete ends the session."

// tasks reads a list that must be there and may be empty.
func tasks(args *tools.Args, name string) []string {
	if !args.Has(name) {
		args.Fail(tools.Errorf(tools.CodeMissingField, "Missing required argument %s.", name).On(name).
			Try("Pass the whole list of them, [] when there are none."))
	}
	return append([]string{}, args.Strings(name)...)
}
