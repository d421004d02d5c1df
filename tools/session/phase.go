package session

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"issues-index/store"
	sessions "issues-index/store/session"
	"issues-index/store/words"
	"issues-index/tools"
)

// A phaseAnswer answers session_phase.
type phaseAnswer struct {
	SessionID       string   `json:"sessionId"`
	Phase           string   `json:"phase"`
	Status          string   `json:"status"` // of the phase
	PhasesCompleted []string `json:"phasesCompleted"`
	UpdatedAt       string   `json:"updatedAt"`
	Note            string   `json:"note"`
}

// next is what to do when a phase has come to a status.
var next = map[string]string{
	"started":  "When it ends, call session_phase with complete or failed; call session_checkpoint after each task.",
	"complete": "Call session_phase for the next phase, or session_complete when the work is done.",
	"failed":   "Call session_phase with started to try again, or session_complete with failed to give up.",
}

func phase(ws *store.Workspace, wait time.Duration) tools.Tool {
	return tools.Tool{
		Name: "session_phase",
		Description: "Record that a phase of a session starts, completes or fails. Writes. " +
			"metadata goes into the audit log.",
		Idempotent: true,
		Input: tools.ObjectSchema(`"sessionId":`+anyText+`,"phase":{"type":"string","maxLength":64,`+
			`"description":"e.g. init, plan, execute, task, verify, publish, complete, error, checkpoint"}`+
			`,"status":{"type":"string","enum":["started","complete","failed"]},"metadata":`+anything, "sessionId", "phase",
			"status"),
		Output: tools.ObjectSchema(`"sessionId":`+anyText+`,"phase":`+anyText+`,"status":`+anyText+`,"phasesCompleted":`+
			anyTexts,
			"sessionId", "phase", "status"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			id := args.Required("sessionId")
			phase := readPhase(args)
			status := args.RequiredEnum("status", sessions.PhaseStatuses...)
			metadata := object(args, "metadata")
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
			s, err := sessions.In(ws).RecordPhase(waiting, id, phase, status, metadata)
			if err != nil {
				return tools.Result{}, sessionError(ctx, ws, id, err)
			}
			recorded := phaseAnswer{
				SessionID: s.ID, Phase: phase, Status: status,
				PhasesCompleted: oneLined(s.PhasesCompleted), UpdatedAt: stamp(s.UpdatedAt), Note: next[status],
			}
			text := lines{fmt.Sprintf("Recorded for session %s: %s %s. %s", s.ID, words.OneLine(phase), status, next[status])}
			text.add("phases completed", strings.Join(recorded.PhasesCompleted, ", "))
			text.add("updated", recorded.UpdatedAt)
			return tools.Result{Text: text.String(), Structured: recorded, Items: 1, Hint: inFile(s.ID, contextFile)}, nil
		},
	}
}

// readPhase reads a phase's name. One of the usual names is meant in whatever letter
// case it comes.
func readPhase(args *tools.Args) string {
	name := strings.TrimSpace(args.Required("phase"))
	for _, usual := range sessions.Phases {
		if strings.EqualFold(name, usual) {
			return usual
		}
	}
	if length := utf8.RuneCountInString(name); length > sessions.MaxPhase {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid phase: it has %d characters.", length).
			On("phase").Try("The maximum is %d; put the rest into metadata.", sessions.MaxPhase))
	}
	return name
}
