package edit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/pattern"
	"issues-index/store/words"
)

// An UnmappedStatusError refuses to write a status among documents of another program whose
// own statuses the layout does not say yet: that program would not know ours.
type UnmappedStatusError struct {
	Type     string
	Statuses []string // of the documents, which no one knows the meaning of; the most used first
}

func (e *UnmappedStatusError) Error() string {
	return fmt.Sprintf("the documents of type %s have statuses of their own: %s", e.Type, strings.Join(e.Statuses, ", "))
}

// Line is the line of the layout that maps the statuses, as far as their words tell. It has
// what a layout needs at least.
func (e *UnmappedStatusError) Line() string {
	usual := layout.Default()
	byCategory := map[layout.Category][]string{}
	for _, status := range e.Statuses {
		known, ok := words.Respell(status, usual.StatusNames())
		if !ok {
			known = usual.StatusValues().Synonym(status)
		}
		category := usual.CategoryOf(known) // open where the word tells nothing
		byCategory[category] = append(byCategory[category], status)
	}
	var rows []string
	for _, c := range []struct {
		category layout.Category
		needed   string
	}{{layout.Open, "To Do"}, {layout.Active, "In Progress"}, {layout.Done, "Done"}, {layout.Cancelled, ""}} {
		names := byCategory[c.category]
		if len(names) == 0 && c.needed != "" {
			names = []string{c.needed}
		}
		for _, name := range names {
			if !plainScalar().MatchString(name) {
				name = fmt.Sprintf("%q", name)
			}
			rows = append(rows, fmt.Sprintf("{name: %s, category: %s}", name, c.category))
		}
	}
	return "statuses: [" + strings.Join(rows, ", ") + "]"
}

// plainScalar matches names that YAML reads as they are.
var plainScalar = pattern.Lazy(`^[A-Za-z][A-Za-z0-9 _-]*$`)

// What an UnmappedStatusError has at most. A layout takes no longer names.
const (
	mostUnmapped = 12
	longestName  = 40 // characters
)

// checkMapped refuses a status for documents of a type that lie where the layout says and
// have statuses that it does not. Errors: *UnmappedStatusError.
func (w *Writer) checkMapped(ctx context.Context, docType string) error {
	l := w.ix.Workspace().Layout
	if !l.Mapped(docType) || l.OwnStatuses {
		return nil
	}
	counts, _, err := w.ix.Stats(ctx, "status", index.Filter{Types: []string{docType}})
	if err != nil {
		return err
	}
	var unknown []string
	for _, c := range counts {
		if c.Value != "" && !slices.Contains(l.StatusNames(), c.Value) {
			unknown = append(unknown, words.Cut(c.Value, longestName))
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return &UnmappedStatusError{docType, unknown[:min(len(unknown), mostUnmapped)]}
}

// checkStatus is checkMapped for a change that gives the document another status.
func (w *Writer) checkStatus(ctx context.Context, doc *store.Document, status *string) error {
	if status == nil || *status == "" || *status == doc.Status {
		return nil
	}
	return w.checkMapped(ctx, doc.Collection)
}
