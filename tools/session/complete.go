package session

import (
	"context"
	"fmt"
	"math"
	"time"

	"issues-index/store"
	sessions "issues-index/store/session"
	"issues-index/tools"
)

// An endAnswer answers session_complete.
type endAnswer struct {
	SessionID       string  `json:"sessionId"`
	Status          string  `json:"status"`
	CompletedAt     string  `json:"completedAt"`
	DurationSeconds float64 `json:"durationSeconds"`
	TasksCompleted  int     `json:"tasksCompleted"`
	TasksPending    int     `json:"tasksPending"`
	PRURL           string  `json:"prUrl,omitempty"`
	PRNumber        int     `json:"prNumber,omitempty"`
	Note            string  `json:"note"`
}

func complete(ws *store.Workspace, wait time.Duration) tools.Tool {
	return tools.Tool{
		Name:        "session_complete",
		Description: "End a session as completed or failed, with its pull request and a summary. Writes.",
		Input: tools.ObjectSchema(`"sessionId":`+anyText+`,"status":{"type":"string","enum":["completed","failed"]},"prUrl":`+
			anyText+
			`,"prNumber":`+number+`,"summary":`+anyText, "sessionId", "status"),
		Output: tools.ObjectSchema(`"sessionId":`+anyText+`,"status":`+anyText+`,"completedAt":`+anyText+
			`,"durationSeconds":{"type":"number"}`,
			"sessionId", "status"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			id := args.Required("sessionId")
			status := args.RequiredEnum("status", sessions.EndStatuses...)
			prURL := args.String("prUrl")
			prNumber := args.Int("prNumber", 1, math.MaxInt32, 0)
			summary := args.String("summary")
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
			s, took, err := sessions.In(ws).Complete(waiting, id, status, prURL, prNumber, summary)
			if err != nil {
				return tools.Result{}, sessionError(ctx, ws, id, err)
			}
			ended := endAnswer{
				SessionID: s.ID, Status: s.Status, CompletedAt: stamp(s.CompletedAt),
				DurationSeconds: took.Round(time.Millisecond).Seconds(),
				TasksCompleted:  len(s.TasksCompleted), TasksPending: len(s.TasksPending),
				PRURL: s.PRURL, PRNumber: s.PRNumber, Note: afterEnd,
			}
			text := lines{fmt.Sprintf("Session %s is %s after %s: %s. %s", ended.SessionID, ended.Status,
				took.Round(time.Second), progress(ended.TasksCompleted, ended.TasksPending), afterEnd)}
			text.add("completed", ended.CompletedAt)
			text.add("pull request", pullRequest(ended.PRNumber, ended.PRURL))
			return tools.Result{Text: text.String(), Structured: ended, Items: 1, Hint: inFile(s.ID, contextFile)}, nil
		},
	}
}

// afterEnd is what to do when a session has ended.
const afterEnd = "It has ended; session_start begins another."

// progress says how much of a session's work is done.
func progress(completed, pending int) string {
	return fmt.Sprintf("%d of %d tasks completed", completed, completed+pending)
}

// pullRequest names a pull request by what is known of it.
func pullRequest(number int, url string) string {
	if number == 0 {
		return url
	}
	return fmt.Sprintf("#%d %s", number, url)
}
