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
		Description: "Check whether issues are all complete (closed or cancelled), and name those that are not. Read-only. " +
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
				Assignee:   args.String("assignee"),
				Priorities: valuesInUse(ctx, ix, args, "priority", store.Priorities),
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
			return args.Smaller(lastLevel, func(n int) tools.Result {
				c := levels[n].completion(found, len(f.IDs) > 0)
				return tools.Result{Text: c.text(), Structured: c, Items: len(c.PendingIssueIDs)}
			}), nil
		},
	}
}

// completion judges what was found. With an id that names no one document the
// listResult to "all complete?" is no.
func (l level) completion(found index.Completion, byID bool) completion {
	c := completion{
		TotalIssues:     found.Total,
		CompletedIssues: found.Completed,
		PendingIssues:   found.PendingCount,
		NoIssues:        found.Total == 0,
		PendingIssueIDs: []string{},
		pending:         found.Pending[:min(len(found.Pending), l.entries)],
	}
	for _, r := range c.pending {
		c.PendingIssueIDs = append(c.PendingIssueIDs, l.id(handle(r), r.Path))
	}
	var ambiguous []string
	for _, a := range found.Ambiguous {
		ambiguous = append(ambiguous, a.ID)
	}
	var unknownLeft, ambiguousLeft int
	c.UnknownIssueIDs, unknownLeft = l.texts(found.Unknown)
	c.AmbiguousIssueIDs, ambiguousLeft = l.texts(ambiguous)
	c.AllComplete = found.Total > 0 && found.PendingCount == 0 && len(found.Unknown)+len(ambiguous) == 0
	c.Note = sentences(l.rest(found, c, byID), c.note(unknownLeft, ambiguousLeft))
	return c
}

// rest says how to see the pending documents that are not named. Their statuses
// need not be ours: each that is in use is a filter of issues_list.
func (l level) rest(found index.Completion, c completion, byID bool) string {
	left := c.PendingIssues - len(c.PendingIssueIDs)
	if left == 0 {
		return ""
	}
	if byID {
		return fmt.Sprintf("%d more are pending: ask for fewer issueIds at a time.", left)
	}
	names, others := l.texts(found.PendingStatuses)
	return fmt.Sprintf("%d more are pending: issues_list with the same filters and status %s%s pages through them.",
		left, strings.Join(names, ", "), andMore(others))
}

// note says which of the ids are not counted.
func (c completion) note(unknownLeft, ambiguousLeft int) string {
	var notes []string
	if len(c.UnknownIssueIDs)+unknownLeft > 0 {
		notes = append(notes, "Unknown and not counted: "+strings.Join(c.UnknownIssueIDs, ", ")+andMore(unknownLeft)+
			". Use issues_list or issues_search to find their ids.")
	}
	if len(c.AmbiguousIssueIDs)+ambiguousLeft > 0 {
		notes = append(notes, "Several documents fit, not counted: "+strings.Join(c.AmbiguousIssueIDs, ", ")+andMore(ambiguousLeft)+
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
			names[i] = name(c.PendingIssueIDs[i]) + " (" + cut(line(r.Status), narrowWord) + ")"
		}
		text += " Pending: " + strings.Join(names, ", ") + "."
	}
	if c.Note != "" {
		text += "\n" + c.Note
	}
	return text
}
