package issues

import (
	"context"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/store"
	"issues-index/tools"
)

// maxPending is the most pending documents that an answer names.
const maxPending = 50

// A completion answers issues_all_complete. The counts are exact; the list of
// pending ids is bounded.
type completion struct {
	TotalIssues     int      `json:"totalIssues"`
	CompletedIssues int      `json:"completedIssues"`
	PendingIssues   int      `json:"pendingIssues"`
	AllComplete     bool     `json:"allComplete"`
	NoIssues        bool     `json:"noIssues"`
	PendingIssueIDs []string `json:"pendingIssueIds"`
	// UnknownIssueIDs and AmbiguousIssueIDs were asked for and not counted.
	UnknownIssueIDs   []string `json:"unknownIssueIds,omitempty"`
	AmbiguousIssueIDs []string `json:"ambiguousIssueIds,omitempty"`
	Note              string   `json:"note,omitempty"`

	pending []index.Row
}

func allComplete(ix *index.Index) tools.Tool {
	return tools.Tool{
		Name: "issues_all_complete",
		Description: "Check whether documents are all closed or cancelled, and name those that are not. Read-only. " +
			"Without issueIds or types it looks at type issue alone.",
		ReadOnly:   true,
		Idempotent: true,
		Input: schema(`"issueIds":` + anyTexts + `,"parentTaskId":` + anyText + `,"labels":` + anyTexts +
			`,"project":` + anyText + `,"types":` + types),
		Output: schema(`"totalIssues":`+number+`,"completedIssues":`+number+`,"pendingIssues":`+number+
			`,"allComplete":{"type":"boolean"},"noIssues":{"type":"boolean"},"pendingIssueIds":`+anyTexts+
			`,"unknownIssueIds":`+anyTexts+`,"ambiguousIssueIds":`+anyTexts+`,"note":`+anyText,
			"allComplete", "pendingIssueIds"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			f := index.Filter{
				IDs:     args.Strings("issueIds"),
				Parent:  args.String("parentTaskId"),
				Labels:  labelNames(args),
				Project: args.String("project"),
				Types:   args.Enums("types", store.Types...),
			}
			if len(f.IDs) == 0 && len(f.Types) == 0 {
				f.Types = []string{store.TypeIssue}
			}
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			found, err := ix.Completion(ctx, f, maxPending)
			if err != nil {
				return tools.Result{}, err
			}
			c := completionOf(found)
			return tools.Result{Text: c.text(), Structured: c}, nil
		},
	}
}

// completionOf judges what was found. With an id that names no one document
// the answer to "all complete?" is no.
func completionOf(found index.Completion) completion {
	c := completion{
		TotalIssues:     found.Total,
		CompletedIssues: found.Completed,
		PendingIssues:   found.PendingCount,
		NoIssues:        found.Total == 0,
		PendingIssueIDs: []string{},
		UnknownIssueIDs: found.Unknown,
		pending:         found.Pending,
	}
	for _, r := range found.Pending {
		c.PendingIssueIDs = append(c.PendingIssueIDs, handle(r))
	}
	for _, a := range found.Ambiguous {
		c.AmbiguousIssueIDs = append(c.AmbiguousIssueIDs, a.ID)
	}
	strangers := len(found.Unknown) + len(found.Ambiguous)
	c.AllComplete = found.Total > 0 && found.PendingCount == 0 && strangers == 0
	c.Note = c.note()
	return c
}

// note says what the counts and the list leave out.
func (c completion) note() string {
	var notes []string
	if left := c.PendingIssues - len(c.PendingIssueIDs); left > 0 {
		notes = append(notes, fmt.Sprintf("%d more are pending: issues_list with the same filters and status open, in_progress pages through them.", left))
	}
	if len(c.UnknownIssueIDs) > 0 {
		notes = append(notes, "Unknown and not counted: "+strings.Join(c.UnknownIssueIDs, ", ")+
			". Use issues_list or issues_search to find their ids.")
	}
	if len(c.AmbiguousIssueIDs) > 0 {
		notes = append(notes, "Several documents fit, not counted: "+strings.Join(c.AmbiguousIssueIDs, ", ")+
			". Call issues_get with the id to see their paths, and pass a path instead.")
	}
	return strings.Join(notes, " ")
}

func (c completion) text() string {
	var text string
	switch {
	case c.NoIssues:
		text = "No issues found."
	case c.AllComplete:
		text = fmt.Sprintf("All %d issues complete.", c.TotalIssues)
	default:
		text = fmt.Sprintf("%d of %d issues complete.", c.CompletedIssues, c.TotalIssues)
	}
	if len(c.pending) > 0 {
		names := make([]string, len(c.pending))
		for i, r := range c.pending {
			status := none
			if r.Status != "" {
				status = "(" + line(r.Status) + ")"
			}
			names[i] = name(handle(r)) + " " + status
		}
		text += " Pending: " + strings.Join(names, ", ") + "."
	}
	if c.Note != "" {
		text += "\n" + c.Note
	}
	return text
}
