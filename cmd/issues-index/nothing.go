package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/index"
)

// sayNothingFound tells an empty workspace, and a value that no document has, from
// filters that fit nothing together.
func (p *program) sayNothingFound(ctx context.Context, ix *index.Index, f index.Filter) error {
	dirs := make([]string, len(ix.Workspace().Collections))
	for i, c := range ix.Workspace().Collections {
		dirs[i] = c.Dir
	}
	looked := fmt.Sprintf("looked below %s in %s; ", ix.Workspace().Root, strings.Join(dirs, ", "))
	said := "No documents match."
	hint, err := unheardOf(ctx, ix, f)
	if err != nil {
		return err
	}
	all, err := ix.Health(ctx)
	if err != nil {
		return err
	}
	switch {
	case all.Documents == 0:
		said, hint = "No documents yet.", looked+"issues-index new 'A title' writes the first, --workspace looks elsewhere"
	case hint == "":
		hint = looked + "issues-index stats counts what there is"
	}
	fmt.Fprintf(p.errOut, "%s\nhint: %s\n", said, harmless(hint))
	return nil
}

// unheardOf names the first value of a filter that no document has, and the one
// that was perhaps meant.
func unheardOf(ctx context.Context, ix *index.Index, f index.Filter) (hint string, err error) {
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
		found, err := ix.Values(ctx, index.ValuesQuery{Field: part.field, Set: true, Limit: -1})
		if err != nil {
			return "", err
		}
		has := make([]string, len(found.Counts))
		for i, c := range found.Counts {
			has[i] = c.Value
		}
		for _, value := range part.given {
			if slices.Contains(has, value) {
				continue
			}
			hint := fmt.Sprintf("no document has the %s %q", part.field, value)
			if near := nearest(value, has); near != "" {
				return hint + "; did you mean " + near + "?", nil
			}
			return hint + "; issues-index stats --by " + part.field + " counts those there are", nil
		}
	}
	return "", nil
}
