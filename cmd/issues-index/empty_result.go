package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/edit"
	"issues-index/store/words"
)

// printNoDocuments says why a query has found nothing: the workspace is empty, no document
// has a value of the filter, a filter was written as words, or no document fits. hidden are
// the documents that fit and that the list leaves out.
func (p *program) printNoDocuments(ctx context.Context, ix *index.Index, q index.Query, hidden []index.Count) error {
	if len(hidden) > 0 {
		_, err := fmt.Fprintf(p.errOut, "Nothing left to do; %s\n", hiddenText(hidden))
		return err
	}
	dirs := make([]string, len(ix.Workspace().Collections))
	for i, c := range ix.Workspace().Collections {
		dirs[i] = c.Dir
	}
	looked := fmt.Sprintf("searched %[2]s in %[1]s; ", ix.Workspace().Root, strings.Join(dirs, ", "))
	said, hint, err := p.notReadyText(ctx, ix, q.Filter)
	if err == nil && hint == "" {
		hint, err = unknownFilterValue(ctx, ix, q.Filter)
	}
	if err != nil {
		return err
	}
	if hint == "" {
		hint = filterAsWords(q.Text)
	}
	all, err := ix.Health(ctx)
	if err != nil {
		return err
	}
	switch {
	case all.Documents == 0 && ix.Workspace().Mirror():
		said, hint = "No documents yet.", "the hub has fetched none; issues-index cluster status shows which machines publish"
	case all.Documents == 0:
		said, hint = "No documents yet.", looked+"issues-index new 'A title' creates the first, --workspace looks elsewhere"
	case hint == "":
		hint = looked + "issues-index stats counts all documents"
	}
	fmt.Fprintf(p.errOut, "%s\nhint: %s\n", said, terminal.Harmless(hint))
	if q.Filter.Ready || q.Filter.Blocked || q.Filter.Where.Text != "" {
		return p.noteUnknownStatuses(ctx, ix)
	}
	return nil
}

// noteUnknownStatuses says how many documents nothing is known of, since the workspace does
// not have their statuses.
func (p *program) noteUnknownStatuses(ctx context.Context, ix *index.Index) error {
	unknown, err := edit.FindUnknownStatuses(ctx, ix)
	if says := unknown.Says(); says != "" {
		fmt.Fprintf(p.errOut, "note: %s\nhint: %s\n", terminal.Harmless(says), terminal.Harmless(unknown.Advice()))
	}
	return err
}

// notReadyText says that no document fits, and of ready and blocked what there is instead.
// hint is "" when there is nothing.
func (p *program) notReadyText(ctx context.Context, ix *index.Index, f index.Filter) (said, hint string, err error) {
	switch {
	case f.Ready:
		hint = "issues-index blocked shows what waits, show ID why a document is not ready"
	case f.Blocked:
		said, hint = "Nothing waits for others", "issues-index ready shows what can be begun"
	default:
		return "No documents match.", "", nil
	}
	idle, err := ix.Idle(ctx, f)
	if unleased := (*claims.UnusableError)(nil); errors.As(err, &unleased) { // it has no part in what is ready
		p.notes(slog.LevelWarn).Warn("who works on documents cannot be told", "error", err)
		err = nil
	}
	if idle == (index.Idle{}) {
		hint = ""
	}
	if f.Ready && err == nil {
		narrowing, err := ix.Narrowing(ctx, f)
		return p.nothingReady(narrowing, idle), hint, err
	}
	return p.idleText(said, idle), hint, err
}

// unknownFilterValue returns a hint about the first value of a filter that no document
// has, with the value that was probably meant.
func unknownFilterValue(ctx context.Context, ix *index.Index, f index.Filter) (hint string, err error) {
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
			if slices.Contains(has, value) || value == index.None && part.field != "status" && part.field != "priority" {
				continue
			}
			hint := fmt.Sprintf("no document has the %s %q", part.field, value)
			l := ix.Workspace().Layout
			countsAs := map[string]string{"status": l.DefaultStatus(), "priority": l.DefaultPriority()}
			if standard, ok := countsAs[part.field]; ok && value == index.None {
				return fmt.Sprintf("%s: a document without a %s counts as %s", hint, part.field, standard), nil
			}
			if near := words.Nearest(value, has); near != "" {
				return hint + "; did you mean " + near + "?", nil
			}
			return hint + "; issues-index stats --by " + part.field + " counts the values in use", nil
		}
	}
	return "", nil
}

// filterFlagOf maps a field that a query may have before a colon to the flag that filters
// by it. A search itself understands title, label and description.
var filterFlagOf = map[string]string{
	"status": "status", "priority": "priority", "type": "type", "assignee": "assignee", "project": "project",
	"parent": "parent", "parenttaskid": "parent",
	"created": "created-after", "created-after": "created-after", "created-before": "created-before",
	"updated": "updated-after", "closed": "closed-after",
}

// filterAsWords returns a hint about a word such as status:open in a query, which a search
// does not take as a filter.
func filterAsWords(query string) string {
	for word := range strings.FieldsSeq(query) {
		field, value, _ := strings.Cut(strings.TrimPrefix(word, "-"), ":")
		flag := filterFlagOf[strings.ToLower(field)]
		if flag == "" || value == "" {
			continue
		}
		return fmt.Sprintf("%s was searched as text; --%s filters by it", word, flag)
	}
	return ""
}
