package edit

import (
	"context"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/store/layout"
	"issues-index/store/words"
)

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

// Says is what there is, in a sentence without its full stop; "" for nothing.
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
