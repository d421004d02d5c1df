package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/documents"
	"issues-index/index/edit"
)

// printNoDocuments says why a query has found nothing: the workspace is empty, no document
// has a value of the filter, a filter was written as words, or no document fits. hidden are
// the documents that fit and that the list leaves out.
func (p *program) printNoDocuments(ctx context.Context, ix *index.Index, q index.Query, hidden []index.Count) error {
	if len(hidden) > 0 {
		p.tell("Nothing left to do; %s", hiddenText(hidden))
		return nil
	}
	dirs := make([]string, len(ix.Workspace().Collections))
	for i, c := range ix.Workspace().Collections {
		dirs[i] = c.Dir
	}
	looked := fmt.Sprintf("searched %[2]s in %[1]s; ", ix.Workspace().Root, strings.Join(dirs, ", "))
	said, hint, err := p.notReadyText(ctx, ix, q.Filter)
	if err == nil && hint == "" {
		hint, err = documents.UnknownValue(
			ctx, ix, q.Filter, func(field string) string { return "issues-index stats --by " + field },
		)
	}
	if err == nil && hint == "" {
		hint = wrongQualifier(q.Text)
	}
	if err == nil && hint == "" && q.Text != "" {
		hint, err = documents.Misspelt(ctx, ix, q.Text)
	}
	if err != nil {
		return err
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
		if listing, err := ix.Workspace().List(ctx); err != nil {
			return err
		} else if len(listing.Problems) > 0 {
			said, hint = "No document can be read.", "issues-index check says why"
		}
	case hint == "":
		hint = looked + "issues-index stats counts all documents"
	}
	p.tell("%s", said)
	p.tell("hint: %s", hint)
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
		p.note("%s", says)
		p.tell("hint: %s", unknown.Advice())
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

// wrongQualifier says which word of a search, such as status:open, was taken for text, and what to
// write instead; "" for none.
func wrongQualifier(query string) string {
	return documents.MissedQualifier(query, func(q documents.Qualifier) string {
		if q.Filter == "" {
			return "a search has no such field"
		}
		return flagOf(q.Filter) + " filters by it"
	})
}
