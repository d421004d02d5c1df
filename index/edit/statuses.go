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
	Type string
	UnknownStatuses
}

func (e *UnmappedStatusError) Error() string {
	return fmt.Sprintf("the documents of type %s have statuses of their own: %s", e.Type, strings.Join(e.Statuses, ", "))
}

// UnknownStatuses are statuses that documents have and the workspace's layout does not say.
// Such documents are neither open nor finished, so that they are never ready.
type UnknownStatuses struct {
	Documents int      // that have one
	Statuses  []string // the most used first, 12 at most, cut at 40 characters
	layout    *layout.Layout
}

// FindUnknownStatuses looks for statuses of documents that the layout does not say, among those of
// some types, or of all without any.
func FindUnknownStatuses(ctx context.Context, ix *index.Index, types ...string) (UnknownStatuses, error) {
	const most, longest = 12, 40
	u := UnknownStatuses{layout: ix.Workspace().Layout}
	counts, _, err := ix.Stats(ctx, "status", index.Filter{Types: types})
	for _, c := range counts {
		if u.layout.CategoryOf(c.Value) != layout.Unknown {
			continue
		}
		u.Documents += c.Count
		if len(u.Statuses) < most {
			u.Statuses = append(u.Statuses, words.Cut(c.Value, longest))
		}
	}
	return u, err
}

// checkStatus is checkMapped for a change that gives the document another status.
func (w *Writer) checkStatus(ctx context.Context, doc *store.Document, status *string) error {
	if status == nil || *status == "" || *status == doc.Status {
		return nil
	}
	return w.checkMapped(ctx, doc.Collection)
}

// checkMapped refuses a status for documents of a type that lie where the layout says and
// have statuses that it does not. Errors: *UnmappedStatusError.
func (w *Writer) checkMapped(ctx context.Context, docType string) error {
	l := w.ix.Workspace().Layout
	if !l.Mapped(docType) || l.OwnStatuses {
		return nil
	}
	unknown, err := FindUnknownStatuses(ctx, w.ix, docType)
	if err != nil || unknown.Documents == 0 {
		return err
	}
	return &UnmappedStatusError{docType, unknown}
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
		return "add to statuses in " + layout.File + each + layout.WriteStatuses(u.mapped())
	}
	return "add this line to " + layout.File + each + u.Line()
}

// Line is the line of the layout that maps the statuses, as far as their words tell. It has
// what a layout needs at least.
func (u UnknownStatuses) Line() string {
	all := u.mapped()
	if len(u.layout.Folders) == 0 { // else the documents are another program's, which knows none of ours
		all = slices.Concat(u.layout.Statuses, all)
	}
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

// mapped gives the statuses the categories that their words tell, open where they tell nothing.
func (u UnknownStatuses) mapped() []layout.Status {
	all := make([]layout.Status, len(u.Statuses))
	for i, status := range u.Statuses {
		all[i] = layout.Status{Name: status, Category: cmp.Or(layout.CategoryOfWord(status), layout.Open)}
	}
	return all
}
