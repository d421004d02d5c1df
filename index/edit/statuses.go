package edit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/layout"
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
	return statusLine(nil, e.Statuses)
}

// statusLine is the line of a layout with some statuses of its own and others that are not
// mapped yet.
func statusLine(known []layout.Status, others []string) string {
	all := append(slices.Clone(known), mapped(others)...)
	var rows []layout.Status
	for _, c := range []struct {
		category layout.Category
		needed   string
	}{{layout.Open, "To Do"}, {layout.Active, "In Progress"}, {layout.Done, "Done"}, {layout.Cancelled, ""}} {
		of := slices.DeleteFunc(slices.Clone(all), func(s layout.Status) bool { return s.Category != c.category })
		if len(of) == 0 && c.needed != "" {
			of = []layout.Status{{Name: c.needed, Category: c.category}}
		}
		rows = append(rows, of...)
	}
	return "statuses: [" + layout.WriteStatuses(rows) + "]"
}

// mapped gives statuses the categories that their words tell, open where they tell nothing.
func mapped(statuses []string) []layout.Status {
	all := make([]layout.Status, len(statuses))
	for i, status := range statuses {
		all[i] = layout.Status{Name: status, Category: cmp.Or(layout.CategoryOfWord(status), layout.Open)}
	}
	return all
}

// What an UnmappedStatusError and UnknownStatuses have at most. A layout takes no longer names.
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
	unknown, _ := unknownAmong(l, counts)
	if len(unknown) == 0 {
		return nil
	}
	return &UnmappedStatusError{docType, unknown}
}

// unknownAmong are the statuses, of those that documents have, that a layout does not say,
// the most used first and only so many, and how many documents have them.
func unknownAmong(l *layout.Layout, counts []index.Count) (statuses []string, documents int) {
	for _, c := range counts {
		if l.CategoryOf(c.Value) != layout.Unknown {
			continue
		}
		documents += c.Count
		if len(statuses) < mostUnmapped {
			statuses = append(statuses, words.Cut(c.Value, longestName))
		}
	}
	return statuses, documents
}

// checkStatus is checkMapped for a change that gives the document another status.
func (w *Writer) checkStatus(ctx context.Context, doc *store.Document, status *string) error {
	if status == nil || *status == "" || *status == doc.Status {
		return nil
	}
	return w.checkMapped(ctx, doc.Collection)
}

// UnknownStatuses are statuses that documents have and the workspace's layout does not say.
// Such documents are neither open nor finished, so that they are never ready.
type UnknownStatuses struct {
	Documents int      // that have one
	Statuses  []string // the most used first
	layout    *layout.Layout
}

// FindUnknownStatuses looks for statuses of documents that the layout does not say.
func FindUnknownStatuses(ctx context.Context, ix *index.Index) (UnknownStatuses, error) {
	u := UnknownStatuses{layout: ix.Workspace().Layout}
	counts, _, err := ix.Stats(ctx, "status", index.Filter{})
	u.Statuses, u.Documents = unknownAmong(u.layout, counts)
	return u, err
}

// Says names the statuses, in a sentence without its full stop; "" for nothing.
func (u UnknownStatuses) Says() string {
	if u.Documents == 0 {
		return ""
	}
	named := make([]string, len(u.Statuses))
	for i, status := range u.Statuses {
		named[i] = layout.WriteScalar(status)
	}
	have := words.Count(u.Documents, "document has a status", "documents have statuses")
	return fmt.Sprintf("%s that the workspace does not know: %s", have, strings.Join(named, ", "))
}

// Advice is what to add to which file, as an imperative.
func (u UnknownStatuses) Advice() string {
	const each = ", each category being open, active, done or cancelled: "
	if u.layout.OwnStatuses {
		return "add to statuses in " + layout.File + each + layout.WriteStatuses(mapped(u.Statuses))
	}
	known := u.layout.Statuses
	if len(u.layout.Folders) > 0 {
		known = nil // the documents are another program's, which knows none of them
	}
	return "add this line to " + layout.File + each + statusLine(known, u.Statuses)
}
