package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store"
	"issues-index/store/layout"
)

// filterFlags declares the flags that filter a list, a search or a count.
func (p *program) filterFlags(cmd *cobra.Command, f *index.Filter) {
	flags, usual := cmd.Flags(), layout.Default()
	flags.StringSliceVarP(&f.Statuses, "status", "s", nil, choiceUsage("any of these `statuses`", usual.StatusNames()))
	flags.StringSliceVarP(&f.Priorities, "priority", "p", nil, choiceUsage("any of these `priorities`", usual.Priorities))
	flags.StringSliceVarP(&f.Labels, "label", "l", nil, "any of these `labels`; (none) for documents without one")
	p.choices(flags, &f.Types, "type", "t", "any of these `types`", store.Types...)
	flags.StringVar(&f.Assignee, "assignee", "", "assigned to this `person`; (none) for documents without one")
	flags.StringVar(&f.Project, "project", "", "in this `project`; (none) for documents without one")
	flags.StringVar(&f.ClaimedBy, "claimed-by", "", "claimed by this `holder`, or by an agent of it")
	flags.StringVar(&f.Parent, "parent", "", "with this parent task, by its `id`")
	flags.StringVar(&f.Under, "under", "", "below this document at any depth, by its `id`")
	flags.StringVar(&f.Where.Text, "where", "", "that meet these `criteria`, such as 'is:ready priority >= high'")
	p.choice(flags, &f.Boxes, "boxes", "", "", "with `boxes` that are open", index.BoxFilters...)
	for what, bounds := range map[string][]dateFlag{
		"created": {{at: &f.CreatedAfter}, {at: &f.CreatedBefore}},
		"updated": {{at: &f.UpdatedAfter}, {at: &f.UpdatedBefore}},
		"closed":  {{at: &f.ClosedAfter}, {at: &f.ClosedBefore}},
	} {
		flags.Var(bounds[0], what+"-after", what+" on or after this `date` (2026-02-15, today, 7d, 2w)")
		flags.Var(bounds[1], what+"-before", what+" before this `date`")
	}
}

// narrow makes the filter of the flags, and of a view, what the index takes. It returns the columns
// of the view.
func (p *program) narrow(ctx context.Context, ix *index.Index, f *index.Filter, view string) ([]string, error) {
	f.Where.Me = p.holder()
	var wrong [2]error
	f.Statuses, wrong[0] = p.inUse(ctx, ix, "status", f.Statuses)
	f.Priorities, wrong[1] = p.inUse(ctx, ix, "priority", f.Priorities)
	if err := cmp.Or(wrong[:]...); err != nil {
		return nil, err
	}
	return documents.Narrow(ctx, ix, f, view)
}

// inUse are the values of a field, in use or of the workspace, that texts mean.
func (p *program) inUse(
	ctx context.Context, ix *index.Index, field string, texts []string,
) (meant []string, err error) {
	known, err := documents.ValuesInUse(ctx, ix, field, texts)
	for i := 0; err == nil && i < len(texts); i++ {
		values, note, wrong := known.Choose("--"+field, texts[i])
		if note != "" {
			p.note("%s", note)
		}
		meant, err = append(meant, values...), wrong
	}
	return meant, err
}

// flagOf is the flag that filters by a field of a filter.
func flagOf(field string) string {
	names := map[string]string{"types": "type", "statuses": "status", "priorities": "priority", "labels": "label"}
	if name := names[field]; name != "" {
		return "--" + name
	}
	var flag strings.Builder
	for _, r := range field { // createdAfter is --created-after
		if r >= 'A' && r <= 'Z' {
			flag.WriteByte('-')
		}
		flag.WriteRune(r)
	}
	return "--" + strings.ToLower(flag.String())
}
