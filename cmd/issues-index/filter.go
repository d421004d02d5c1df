package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/store"
)

// filterFlags are the flags that narrow a list, a search or a count.
type filterFlags struct {
	filter        index.Filter
	createdAfter  string
	createdBefore string
}

func (f *filterFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.filter.Statuses, "status", nil, "any of these `statuses` ("+strings.Join(store.Statuses, ", ")+")")
	flags.StringSliceVar(&f.filter.Priorities, "priority", nil, "any of these `priorities` ("+strings.Join(store.Priorities, ", ")+")")
	flags.StringSliceVar(&f.filter.Labels, "label", nil, "any of these `labels`; (none) for documents without one")
	flags.StringSliceVar(&f.filter.Types, "type", nil, "any of these `types` ("+strings.Join(store.Types, ", ")+")")
	flags.StringVar(&f.filter.Assignee, "assignee", "", "assigned to this `person`; (none) for nobody")
	flags.StringVar(&f.filter.Project, "project", "", "of this `project`; (none) for none")
	flags.StringVar(&f.filter.Parent, "parent", "", "whose parent task has this `id`")
	flags.StringVar(&f.createdAfter, "created-after", "", "created on or after this `date` (2026-02-15, RFC 3339, or 7d ago)")
	flags.StringVar(&f.createdBefore, "created-before", "", "created before this `date`")
}

// read checks the flags. A status or priority beyond the usual ones is
// allowed: documents may have it.
func (f *filterFlags) read(cmd *cobra.Command) (index.Filter, error) {
	filter := f.filter
	now := time.Now()
	var err error
	for i, t := range filter.Types {
		if filter.Types[i], err = oneOf(cmd, "type", t, store.Types); err != nil {
			return filter, err
		}
	}
	if filter.CreatedAfter, err = date(cmd, "created-after", f.createdAfter, now); err != nil {
		return filter, err
	}
	filter.CreatedBefore, err = date(cmd, "created-before", f.createdBefore, now)
	return filter, err
}

// date reads a flag that is a time before now, a day or a moment; "" is the zero time.
func date(cmd *cobra.Command, flag, value string, now time.Time) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	days, isDays := strings.CutSuffix(value, "d")
	if n, err := strconv.Atoi(days); isDays && err == nil && n >= 0 && n < 36500 {
		return now.AddDate(0, 0, -n), nil
	}
	if ago, err := time.ParseDuration(value); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, value); err == nil {
			return t, nil
		}
	}
	f := usage(cmd, fmt.Sprintf("invalid date %q for --%s", value, flag))
	f.hint = "write a day as 2026-02-15, a moment as 2026-02-15T10:00:00Z, or how long ago it was as 90m, 24h or 7d"
	return time.Time{}, f
}
