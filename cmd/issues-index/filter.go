package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/views"
	"issues-index/index/where"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// filterFlags are the flags that filter a list, a search or a count.
type filterFlags struct {
	filter index.Filter
	times  []timeFlag
}

// A timeFlag is a flag with a bound of times, as it was given.
type timeFlag struct {
	name, value string
	bound       *time.Time
}

func (f *filterFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVarP(&f.filter.Statuses, "status", "s", nil, "any of these `statuses` ("+strings.Join(layout.Default().StatusNames(), ", ")+")")
	flags.StringSliceVarP(&f.filter.Priorities, "priority", "p", nil, "any of these `priorities` ("+strings.Join(layout.Default().Priorities, ", ")+")")
	flags.StringSliceVarP(&f.filter.Labels, "label", "l", nil, "any of these `labels`; (none) for documents without one")
	flags.StringSliceVarP(&f.filter.Types, "type", "t", nil, "any of these `types` ("+strings.Join(store.Types, ", ")+")")
	flags.StringVar(&f.filter.Assignee, "assignee", "", "assigned to this `person`; (none) for documents without one")
	flags.StringVar(&f.filter.Project, "project", "", "in this `project`; (none) for documents without one")
	flags.StringVar(&f.filter.ClaimedBy, "claimed-by", "", "claimed by this `holder`, or by an agent of it")
	flags.StringVar(&f.filter.Parent, "parent", "", "with this parent task, by its `id`")
	flags.StringVar(&f.filter.Under, "under", "", "below this document at any depth, by its `id`")
	flags.StringVar(&f.filter.Where.Text, "where", "", "that meet these `criteria`, such as 'is:ready priority >= high'")
	flags.StringVar(&f.filter.Boxes, "boxes", "", "with `boxes` that are open ("+strings.Join(index.BoxFilters, ", ")+")")
	f.times = []timeFlag{
		{"created-after", "", &f.filter.CreatedAfter}, {"created-before", "", &f.filter.CreatedBefore},
		{"updated-after", "", &f.filter.UpdatedAfter}, {"updated-before", "", &f.filter.UpdatedBefore},
		{"closed-after", "", &f.filter.ClosedAfter}, {"closed-before", "", &f.filter.ClosedBefore},
	}
	for i, t := range f.times {
		what, when, _ := strings.Cut(t.name, "-")
		usage := what + " " + when + " this `date`"
		if when == "after" {
			usage = what + " on or after this `date` (2026-02-15, today, 7d, 2w)"
		}
		flags.StringVar(&f.times[i].value, t.name, "", usage)
	}
}

// read checks the flags. It allows any status and priority, since documents may have
// others than the usual ones.
func (f *filterFlags) read(cmd *cobra.Command) (filter index.Filter, err error) {
	for i, t := range f.filter.Types {
		if f.filter.Types[i], err = oneOf(cmd, "type", t, words.Only(store.Types...)); err != nil {
			return filter, err
		}
	}
	if cmd.Flags().Changed("boxes") {
		if f.filter.Boxes, err = oneOf(cmd, "boxes", f.filter.Boxes, words.Only(index.BoxFilters...)); err != nil {
			return filter, err
		}
	}
	now := time.Now()
	for _, t := range f.times {
		if *t.bound, err = date(cmd, t.name, t.value, now); err != nil {
			return filter, err
		}
	}
	return f.filter, nil
}

// date reads a flag, see where.ParseTime. "" is the zero time.
func date(cmd *cobra.Command, flag, value string, now time.Time) (time.Time, error) {
	when, ok := where.ParseTime(value, now)
	if !ok && value != "" {
		f := usage(cmd, fmt.Sprintf("invalid date %q for --%s", value, flag))
		f.hint = "write " + where.TimeForms
		return when, f
	}
	return when, nil
}

// queryFlags are the flags of list and search.
type queryFlags struct {
	filterFlags
	rowOutputFlags
	keys    []string
	sort    string
	reverse bool
	limit   int
}

// register declares the flags; the first sort key is the default.
func (f *queryFlags) register(cmd *cobra.Command, keys ...index.SortKey) {
	f.filterFlags.register(cmd)
	f.rowOutputFlags.register(cmd)
	for _, key := range keys {
		f.keys = append(f.keys, string(key))
	}
	flags := cmd.Flags()
	flags.StringVar(&f.sort, "sort", f.keys[0], "sort `key` ("+strings.Join(f.keys, ", ")+"), highest or newest first")
	completeFlag(cmd, "sort", completeAmong(f.keys...))
	flags.BoolVar(&f.reverse, "reverse", false, "reverse the sort order")
	addLimit(cmd, &f.limit, "documents")
}

func (f *queryFlags) read(p *program, cmd *cobra.Command) (index.Query, error) {
	filter, err := f.filterFlags.read(cmd)
	if err != nil {
		return index.Query{}, err
	}
	if f.rowOutput, err = f.rowOutputFlags.read(cmd); err != nil {
		return index.Query{}, err
	}
	if f.sort, err = oneOf(cmd, "sort key", f.sort, words.Only(f.keys...)); err != nil {
		return index.Query{}, err
	}
	limit, err := p.rowLimit(cmd, f.limit)
	return index.Query{
		Filter: filter,
		Sort:   index.Sort{Key: index.SortKey(f.sort), Desc: descends(index.SortKey(f.sort)) != f.reverse},
		Limit:  limit,
		Claims: true,
	}, err
}

// descends reports whether people expect a sort key to descend.
func descends(key index.SortKey) bool { return key != index.SortStatus }

// query runs q and prints its first page.
func (p *program) query(cmd *cobra.Command, q index.Query, view listView) error {
	ctx := cmd.Context()
	return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) (err error) {
		if err := p.normalizeFilter(cmd, ix, &q.Filter); err != nil {
			return err
		}
		var columns []string
		if q.Filter.Where.Text, columns, err = views.Where(ix.Workspace(), func(c *where.Criteria) error { return ix.CheckCriteria(ctx, c) }, view.name, q.Filter.Where.Text); err != nil {
			return err
		}
		if err := contradiction(cmd, ix.Workspace().Layout, &q.Filter); err != nil {
			return err
		}
		if view.out.columns == nil {
			view.out.columns = columns
		}
		trees := q.Limit
		if q.Waits = true; view.tree { // a page would cut what is below its last documents
			q.Limit, q.Waits, q.Claims = noLimit, false, false
		}
		page, hidden, err := view.find(ctx, ix, q)
		if err != nil {
			return err
		}
		if page.Total == 0 && !p.json {
			if view.out.csv { // a reader of CSV counts on the header
				if err := p.printScripted(nil, view.out); err != nil {
					return err
				}
			}
			return p.printNoDocuments(ctx, ix, q, hidden)
		}
		if view.tree {
			return p.printTree(ctx, ix, page.Rows, trees)
		}
		if err := p.printPage(page, q.Text, hidden, view); err != nil {
			return err
		}
		if hint := filterAsWords(q.Text); hint != "" && !p.json {
			fmt.Fprintf(p.errOut, "hint: %s\n", terminal.Harmless(hint))
		}
		return nil
	})
}

// contradiction refuses a filter that no document can fit, since one part of it asks for what
// is ready or waits, and another for what never is or does.
func contradiction(cmd *cobra.Command, l *layout.Layout, f *index.Filter) error {
	criteria, err := where.Parse(f.Where.Text)
	if err != nil {
		return err
	}
	ready, blocked := f.Ready || criteria.Demand("is", "ready"), f.Blocked || criteria.Demand("is", "blocked")
	none := func(may ...layout.Category) bool { // of the statuses can be ready, or wait
		return len(f.Statuses) > 0 && !slices.ContainsFunc(f.Statuses, func(status string) bool { return slices.Contains(may, l.CategoryOf(status)) })
	}
	finished := criteria.Demand("is", "done") || criteria.Demand("is", "cancelled")
	var message string
	switch {
	case ready && blocked:
		message = "ready and blocked contradict each other: what is ready waits for nothing"
	case ready && (finished || criteria.Demand("is", "active") || none(layout.Open)):
		message = "ready and this status contradict each other: what is ready is open"
	case blocked && (finished || none(layout.Open, layout.Active, layout.Unknown)):
		message = "blocked and this status contradict each other: what is finished waits for nothing"
	default:
		return nil
	}
	wrong := usage(cmd, message)
	wrong.hint = "leave one of them out"
	return wrong
}

// noValue filters for documents without a value.
const noValue = "(none)"

// oneOf returns the allowed value that a text stands for, in any spelling or in a word of
// other trackers that certainly means it, and an error for any other text.
func oneOf(cmd *cobra.Command, what, text string, allowed words.ValueSet) (string, error) {
	if value, ok := words.Respell(text, allowed.Allowed); ok {
		return value, nil
	}
	if value := allowed.Understood(text); value != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %s %q was taken for %s\n", what, text, terminal.OneLine(value))
		return value, nil
	}
	f := usage(cmd, fmt.Sprintf("invalid %s %q", what, text))
	f.hint = "valid values: " + strings.Join(allowed.Allowed, ", ")
	if near := allowed.Suggested(text); near != "" {
		f.hint = "did you mean " + near + "? " + f.hint
	}
	return "", f
}

// normalizeFilter gives the statuses and priorities of a filter the spelling of the
// documents. It refuses a value that is neither a usual one nor in any document, since it
// is most likely a mistake.
func (p *program) normalizeFilter(cmd *cobra.Command, ix *index.Index, f *index.Filter) error {
	f.Where.Me = p.holder()
	f.Assignee, f.ClaimedBy = words.Person(f.Assignee, f.Where.Me), words.Person(f.ClaimedBy, f.Where.Me)
	for _, part := range []struct {
		field string
		given []string
		usual words.ValueSet
	}{{"status", f.Statuses, ix.Workspace().Layout.StatusValues()}, {"priority", f.Priorities, ix.Workspace().Layout.PriorityValues()}} {
		if !slices.ContainsFunc(part.given, func(text string) bool { return !slices.Contains(part.usual.Allowed, text) && text != noValue }) {
			continue
		}
		found, _, err := ix.Stats(cmd.Context(), part.field, index.Filter{})
		if err != nil {
			return err
		}
		values := slices.Clone(part.usual.Allowed)
		for _, c := range found {
			if !slices.Contains(values, c.Value) {
				values = append(values, c.Value)
			}
		}
		for i, text := range part.given {
			if text == noValue {
				continue
			}
			if word := strings.ToLower(text); (word == "all" || word == "any") && !slices.Contains(values, text) {
				f := usage(cmd, fmt.Sprintf("invalid %s %q", part.field, text))
				f.hint = "leave --" + part.field + " out to see every " + part.field
				return f
			}
			value, err := oneOf(cmd, part.field, text, words.ValueSet{Allowed: append(values, noValue), Instead: part.usual.Instead})
			if err != nil {
				return err
			}
			part.given[i] = value
		}
	}
	return nil
}
