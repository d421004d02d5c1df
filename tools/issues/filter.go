package issues

import (
	"context"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store"
	"issues-index/tools"
)

// An issueFilter narrows a list or a search. Its JSON names are the arguments' names.
type issueFilter struct {
	Status       []string `json:"status,omitempty"`
	Priority     []string `json:"priority,omitempty"`
	Labels       []string `json:"labels,omitempty"`
	Assignee     string   `json:"assignee,omitempty"`
	Project      string   `json:"project,omitempty"`
	ParentTaskID string   `json:"parentTaskId,omitempty"`
	Types        []string `json:"types,omitempty"`
	Type         string   `json:"type,omitempty"`
	Boxes        string   `json:"boxes,omitempty"`
	ClaimedBy    string   `json:"claimedBy,omitempty"`
}

func readFilter(ctx context.Context, ix *index.Index, args *tools.Args) issueFilter {
	return issueFilter{
		Status:       valuesInUse(ctx, ix, args, "status"),
		Priority:     valuesInUse(ctx, ix, args, "priority"),
		Labels:       labelNames(args),
		Assignee:     args.String("assignee"),
		Project:      args.String("project"),
		ParentTaskID: args.String("parentTaskId"),
		Types:        args.Enums("types", store.Types...),
		Type:         args.Enum("type", store.Types...),
		Boxes:        args.Enum("boxes", index.BoxFilters...),
		ClaimedBy:    strings.TrimSpace(args.String("claimedBy")),
	}
}

func (f issueFilter) query() index.Filter {
	types := f.Types
	if f.Type != "" && !slices.Contains(types, f.Type) {
		types = append(slices.Clone(types), f.Type)
	}
	return index.Filter{
		Types:      types,
		Statuses:   f.Status,
		Priorities: f.Priority,
		Labels:     f.Labels,
		Assignee:   f.Assignee,
		Project:    f.Project,
		Parent:     f.ParentTaskID,
		Boxes:      f.Boxes,
		ClaimedBy:  f.ClaimedBy,
	}
}

// labelNames reads the argument labels. `a,b` may be two labels or one with a comma:
// both readings match.
func labelNames(args *tools.Args) []string {
	labels := args.Strings("labels")
	for _, label := range args.Names("labels") {
		if !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	return labels
}

// valuesInUse reads a list of statuses or priorities. It accepts the known values and
// those that documents have: issues_stats counts them, so a filter must find them.
func valuesInUse(ctx context.Context, ix *index.Index, args *tools.Args, name string) []string {
	allowed, err := documents.ValuesInUse(ctx, ix, name, args.Names(name))
	if err != nil {
		args.Fail(tools.ErrorOf(err))
		return nil
	}
	return args.Choices(name, allowed)
}
