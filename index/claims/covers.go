package claims

import (
	"context"
	"encoding/json"
	"fmt"

	"issues-index/store"
	"issues-index/store/layout"
)

// A Subject is the part of a document that decides whether a lease counts.
type Subject struct{ Path, ID, Status, Assignee string }

// SubjectOf is that of a document as it is now.
func SubjectOf(doc *store.Document) Subject {
	return Subject{doc.Path, doc.ID, doc.Status, doc.Assignee}
}

// StatusClaimed is the status of a document that is begun, "" in a
// workspace that has none for that.
func (l *Leases) StatusClaimed() string { return l.ws.Layout.First(layout.Active) }

// InProgress reports whether a status is one of documents that are being worked on.
func (l *Leases) InProgress(status string) bool {
	return l.ws.Layout.CategoryOf(status) == layout.Active
}

// Covers reports whether a lease counts for a document. Whatever ends the work ends the
// lease: another status, another assignee, a file that is gone.
func (l *Leases) Covers(one Lease, doc Subject) bool {
	return one.EndedBy == "" && one.ID == doc.ID && one.Holder == doc.Assignee && l.InProgress(doc.Status)
}

// Of returns the lease that covers each document, nil for none. One of a file that was
// moved since is found by the id.
func (l *Leases) Of(ctx context.Context, docs []Subject) ([]*Lease, error) {
	covering := make([]*Lease, len(docs))
	var ids []string
	for _, doc := range docs {
		if doc.Assignee != "" && l.InProgress(doc.Status) {
			ids = append(ids, doc.ID)
		}
	}
	if len(ids) == 0 {
		return covering, nil
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return covering, fmt.Errorf("look for leases: %w", err)
	}
	all, err := l.read(ctx, "id IN (SELECT value FROM json_each(?))", string(list))
	for i, doc := range docs {
		for j := range all {
			if l.Covers(all[j], doc) && (covering[i] == nil || covering[i].Path != doc.Path) {
				covering[i] = &all[j]
			}
		}
	}
	return covering, err
}

// OfDocument returns the lease that covers a document, nil for none.
func (l *Leases) OfDocument(ctx context.Context, doc *store.Document) (*Lease, error) {
	all, err := l.Of(ctx, []Subject{SubjectOf(doc)})
	return all[0], err
}
