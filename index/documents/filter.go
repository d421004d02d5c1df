package documents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/index/views"
	"issues-index/index/where"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// ValuesInUse are the values that a filter may have for a field, status or priority: those of the
// workspace, and those that documents have, which are asked for only if one of the texts is not of
// the workspace. Errors: *words.ChoiceError for None, which no such field has, and the index's.
func ValuesInUse(ctx context.Context, ix *index.Index, field string, texts []string) (words.ValueSet, error) {
	l := ix.Workspace().Layout
	known, standard := l.StatusValues(), l.DefaultStatus()
	if field == "priority" {
		known, standard = l.PriorityValues(), l.DefaultPriority()
	}
	if slices.Contains(texts, None) {
		why := fmt.Sprintf("a document without a %s counts as %s", field, standard)
		return known, &words.ChoiceError{What: field, Text: None, Valid: known.Allowed, Why: why}
	}
	if !slices.ContainsFunc(texts, func(text string) bool { return !slices.Contains(known.Allowed, text) }) {
		return known, nil
	}
	used, _, err := ix.Stats(ctx, field, index.Filter{})
	known.Allowed = slices.Clone(known.Allowed)
	for _, c := range used {
		if !slices.Contains(known.Allowed, c.Value) {
			known.Allowed = append(known.Allowed, c.Value)
		}
	}
	return known, err
}

// Narrow makes a filter as its caller gave it one that the index takes: me is a person, and its
// criteria are those of the view, too; view may be "". It returns the columns of the view. Errors:
// *ContradictionError, those of package views, and *where.SyntaxError.
func Narrow(ctx context.Context, ix *index.Index, f *index.Filter, view string) (columns []string, err error) {
	f.Assignee, f.ClaimedBy = words.Person(f.Assignee, f.Where.Me), words.Person(f.ClaimedBy, f.Where.Me)
	check := func(c *where.Criteria) error { return ix.CheckCriteria(ctx, c) }
	f.Where.Text, columns, err = views.Where(ix.Workspace(), check, view, f.Where.Text)
	if err == nil {
		err = contradiction(ix.Workspace().Layout, f)
	}
	return columns, err
}

// A ContradictionError says that no document can fit a filter, since one part of it asks for what is
// ready or waits, and another for what never is or does.
type ContradictionError struct{ Ask, Other, Reason string }

func (e *ContradictionError) Error() string {
	return e.Ask + " and " + e.Other + " contradict each other: " + e.Reason
}

func contradiction(l *layout.Layout, f *index.Filter) error {
	criteria, err := where.Parse(f.Where.Text)
	if err != nil {
		return err
	}
	ready, blocked := f.Ready || criteria.Demand("is", "ready"), f.Blocked || criteria.Demand("is", "blocked")
	none := func(may ...layout.Category) bool { // of the statuses can be ready, or wait
		fits := func(status string) bool { return slices.Contains(may, l.CategoryOf(status)) }
		return len(f.Statuses) > 0 && !slices.ContainsFunc(f.Statuses, fits)
	}
	finished := criteria.Demand("is", "done") || criteria.Demand("is", "cancelled")
	switch {
	case ready && blocked:
		return &ContradictionError{"ready", "blocked", "what is ready waits for nothing"}
	case ready && (finished || criteria.Demand("is", "active") || none(layout.Open)):
		return &ContradictionError{"ready", "this status", "what is ready is open"}
	case blocked && (finished || none(layout.Open, layout.Active, layout.Unknown)):
		return &ContradictionError{"blocked", "this status", "what is finished waits for nothing"}
	}
	return nil
}

// UnknownValue says that no document has one of the values of a filter, with the value that was
// probably meant; "" when all are in use. count says how its reader counts the values of a field.
func UnknownValue(
	ctx context.Context, ix *index.Index, f index.Filter, count func(field string) string,
) (string, error) {
	for _, part := range []struct {
		field string
		given []string
	}{
		{"status", f.Statuses}, {"priority", f.Priorities}, {"label", f.Labels},
		{"project", []string{f.Project}}, {"assignee", []string{f.Assignee}},
	} {
		if strings.Join(part.given, "") == "" {
			continue
		}
		found, _, err := ix.Stats(ctx, part.field, index.Filter{})
		if err != nil {
			return "", err
		}
		has := make([]string, len(found))
		for i, c := range found {
			has[i] = c.Value
		}
		for _, value := range part.given {
			if slices.Contains(has, value) || value == None {
				continue
			}
			hint := fmt.Sprintf("no document has the %s %s", part.field, words.Quote(value))
			if near := words.Nearest(value, has); near != "" {
				return hint + "; did you mean " + words.Plain(near) + "?", nil
			}
			return hint + "; " + count(part.field) + " counts the values in use", nil
		}
	}
	return "", nil
}
