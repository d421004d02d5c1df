package issues

import (
	"context"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store"
	"issues-index/store/words"
	"issues-index/tools"
)

// maxPending limits the pending documents that an answer names.
const maxPending = 50

// A completionAnswer answers issues_all_complete. The counts are exact; the list of
// pending ids is bounded.
type completionAnswer struct {
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
}

func allComplete(ix *index.Index) tools.Tool {
	return tools.Tool{
		Name: "issues_all_complete",
		Description: "Check whether issues are all complete (" + endStatuses(layoutOf(ix)) +
			"), and name those that are not. Read-only. " +
			"Without issueIds or types it looks at type issue alone.",
		ReadOnly:   true,
		Idempotent: true,
		Input: tools.ObjectSchema(`"issueIds":` + anyTexts + `,"parentTaskId":` + anyText + `,"labels":` + anyTexts +
			`,"project":` + anyText + `,"types":` + types),
		Takes: []string{"assignee", "priority"},
		Output: tools.ObjectSchema(`"totalIssues":`+number+`,"completedIssues":`+number+`,"pendingIssues":`+number+
			`,"allComplete":{"type":"boolean"},"noIssues":{"type":"boolean"},"pendingIssueIds":`+anyTexts+
			`,"unknownIssueIds":`+anyTexts+`,"ambiguousIssueIds":`+anyTexts,
			"allComplete", "pendingIssueIds"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			f := index.Filter{
				IDs:        args.IDs("issueIds"),
				Parent:     args.String("parentTaskId"),
				Labels:     labelNames(args),
				Project:    args.String("project"),
				Types:      args.Enums("types", store.Types...),
				Assignee:   args.Person("assignee"),
				Priorities: valuesInUse(ctx, ix, args, "priority"),
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
			c := completionOf(found, len(f.IDs) > 0)
			return tools.Result{Text: c.text(found.Pending), Structured: c, Items: len(c.PendingIssueIDs)}, nil
		},
	}
}

// completionOf answers for what was found. An unknown or ambiguous id means that not all
// is complete.
func completionOf(found index.Completion, byID bool) completionAnswer {
	c := completionAnswer{
		TotalIssues:     found.Total,
		CompletedIssues: found.Completed,
		PendingIssues:   found.PendingCount,
		NoIssues:        found.Total == 0,
		PendingIssueIDs: []string{},
		UnknownIssueIDs: found.Unknown,
	}
	for _, r := range found.Pending {
		c.PendingIssueIDs = append(c.PendingIssueIDs, documents.ShortID(r.Handle(), r.Path))
	}
	for _, a := range found.Ambiguous {
		c.AmbiguousIssueIDs = append(c.AmbiguousIssueIDs, a.ID)
	}
	c.AllComplete = found.Total > 0 && found.PendingCount == 0 && len(c.UnknownIssueIDs)+len(c.AmbiguousIssueIDs) == 0
	c.Note = c.note(found, byID)
	return c
}

// note says how to see the pending documents that are not named and which ids are not
// counted. It lists statuses in use, since issues_list takes any of them as a filter.
func (c completionAnswer) note(found index.Completion, byID bool) string {
	var notes []string
	switch left := c.PendingIssues - len(c.PendingIssueIDs); {
	case left == 0:
	case byID:
		notes = append(notes, fmt.Sprintf("%d more are pending: ask for fewer issueIds at a time.", left))
	default:
		notes = append(
			notes,
			fmt.Sprintf(
				"%d more are pending: issues_list with the same filters and status %s pages through them.", left,
				namesOf(found.PendingStatuses),
			),
		)
	}
	if len(c.UnknownIssueIDs) > 0 {
		notes = append(
			notes,
			"Unknown and not counted: "+namesOf(c.UnknownIssueIDs)+". Use issues_list or issues_search to find their ids.",
		)
	}
	if len(c.AmbiguousIssueIDs) > 0 {
		notes = append(notes, "Several documents fit, not counted: "+namesOf(c.AmbiguousIssueIDs)+
			". Call issues_get with the id to see their paths, and pass a path instead.")
	}
	return strings.Join(notes, " ")
}

// namesOf lists ids or statuses for a sentence and counts those that would make it too long.
func namesOf(names []string) string {
	const length = 250 // bytes
	var shown []string
	for left := length; len(shown) < len(names) && left > 0; left -= len(shown[len(shown)-1]) {
		shown = append(shown, words.Cut(names[len(shown)], narrowTitle))
	}
	return strings.Join(shown, ", ") + words.AndMore(len(names)-len(shown))
}

func (c completionAnswer) text(pending []index.Row) string {
	var text string
	switch {
	case c.NoIssues:
		text = "No issues found."
	case c.AllComplete:
		text = fmt.Sprintf("All %d issues complete.", c.TotalIssues)
	default:
		text = fmt.Sprintf("%d of %d issues complete.", c.CompletedIssues, c.TotalIssues)
	}
	if len(pending) > 0 {
		names := make([]string, len(pending))
		for i, r := range pending {
			names[i] = documents.Name(c.PendingIssueIDs[i]) + " (" + words.Cut(words.OneLine(r.Status), narrowWord) + ")"
		}
		text += " Pending: " + strings.Join(names, ", ") + "."
	}
	if c.Note != "" {
		text += "\n" + c.Note
	}
	return text
}
