package issues

import (
	"context"

	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/tools"
)

// A markCompleteAnswer answers issues_mark_complete.
type markCompleteAnswer struct {
	revision
	Status   string `json:"status"`
	ClosedAt string `json:"closedAt,omitempty"` // absent when closed without one before
}

func markComplete(w *edit.Writer) tools.Tool {
	return tools.Tool{
		Name:        "issues_mark_complete",
		Description: "Close one issue as complete (done); note is appended to its text. Writes.",
		Idempotent:  true,
		Input:       tools.ObjectSchema(`"id":`+anyText+`,"note":`+anyText+`,`+ifVersion, "id"),
		IDs:         []string{"id"},
		Output: tools.ObjectSchema(revisionProperties+`,"status":`+anyText+`,"closedAt":`+anyText, "id", "status",
			"path"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			ref := readRef(args)
			note := args.String("note")
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			done, err := w.Complete(ctx, ref, note)
			if err != nil {
				return tools.Result{}, err
			}
			return revised(args, done, func(r revision) tools.Result {
				c := markCompleteAnswer{r, done.After.Status, documents.Stamp(done.After.Closed)}
				text := c.text("Completed")
				if c.ClosedAt != "" {
					text += "\nclosed: " + c.ClosedAt
				}
				return tools.Result{Text: text, Structured: c}
			}), nil
		},
	}
}
