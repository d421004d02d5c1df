// Package edit changes documents by id. It looks the id up in the index, lets the store
// change the file, and updates the index before it returns.
//
// It knows nothing about MCP, the command line or SQL. Its invariants: an id that names
// several documents changes none, nor does an id that names another document by the time
// the file is locked; a change is decided on the document as it is read under the lock; a
// reported change is on disk, and the next read of any index sees it.
package edit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/words"
)

// LockWait is how long a change waits for the lock that other writers hold.
const LockWait = 10 * time.Second

// A Writer changes documents. It is safe for concurrent use.
type Writer struct {
	ix   *index.Index
	wait time.Duration
}

// New returns a writer that waits at most wait for the lock.
func New(ix *index.Index, wait time.Duration) *Writer { return &Writer{ix, wait} }

// A Change returns the fields to set, given the document as it is on disk now.
type Change = func(*store.Document) (store.Fields, error)

// An Applied is what a change did.
type Applied struct {
	store.Written
	// Behind is why the index does not show the change yet, nil when it does.
	// The document itself is durable.
	Behind error
	// NoParent is set when the change gave the document a parent that does not exist. That
	// is allowed: the parent may come with another branch.
	NoParent *index.NotFoundError
	// Unrenewed is why the leases of the one who writes (see As) could not be renewed, nil
	// when they were, or did not have to be.
	Unrenewed error
	// Claim is the claim that another holder has on the document, or had until this change, nil for
	// none.
	Claim *OthersClaim
	// Kept are what the document still waits for, although the change was to end that.
	Kept []KeptLink
	// Closing is what the document leaves and frees that the change has finished, nothing for
	// other changes. ClosingNotes words it.
	Closing index.Closing

	unlinked []string // ids of what it was to wait for no longer
}

// A DuplicateTitleError refuses a new document because an unfinished one has the same
// type and title.
type DuplicateTitleError struct{ Row index.Row }

func (e *DuplicateTitleError) Error() string {
	return fmt.Sprintf("%s has the same title and is %s", e.Row.ID, e.Row.Status)
}

// Create writes a new document. Its errors are *DuplicateTitleError, unless duplicates are
// allowed, *LinkError, *UnmappedStatusError, and those of [store.Workspace.Create]. It tries a
// second time if the index or its folder was deleted meanwhile.
func (w *Writer) Create(ctx context.Context, n store.NewDocument, allowDuplicate bool) (Applied, error) {
	done, err := w.create(ctx, n, allowDuplicate)
	var partly *store.DiskError
	if errors.Is(err, fs.ErrNotExist) && !(errors.As(err, &partly) && partly.Unsettled) {
		return w.create(ctx, n, allowDuplicate)
	}
	return done, err
}

func (w *Writer) create(ctx context.Context, n store.NewDocument, allowDuplicate bool) (Applied, error) {
	if n.Type == "" {
		n.Type = store.TypeIssue
	}
	n.Assignee = words.Person(n.Assignee, writer(ctx))
	waiting, cancel := context.WithTimeout(ctx, w.wait)
	defer cancel()
	var before index.CreateConstraints
	var err error
	if n.DependsOn, err = store.NamesOf("dependsOn", n.DependsOn, nil); err != nil {
		return Applied{}, err
	}
	if n.DependsOn, err = w.linkIDs(ctx, "dependsOn", n.DependsOn); err != nil {
		return Applied{}, err
	}
	parent, err := w.parentID(ctx, n.Parent)
	if err != nil {
		return Applied{}, err
	}
	n.Parent = *parent
	done, err := w.ix.Workspace().Create(waiting, n, store.CreateOptions{
		Check: func() (err error) {
			if err = w.checkMapped(ctx, n.Type); err != nil {
				return err
			}
			before, err = w.ix.CreateConstraints(ctx, n.Type, n.Type, n.Title)
			if err == nil && before.Titled != nil && !allowDuplicate {
				err = &DuplicateTitleError{*before.Titled}
			}
			return err
		},
		Floor: func(series string) (_ int, err error) {
			if series != n.Type {
				before, err = w.ix.CreateConstraints(ctx, n.Type, series, n.Title)
			}
			return before.Highest, err
		},
		Taken:  func(id string) (bool, int, error) { return w.ix.IDTaken(ctx, id) },
		Number: w.teamNumbers(ctx),
	})
	if err != nil {
		return Applied{}, err
	}
	written := Applied{Written: done}
	w.finish(ctx, &written)
	return written, nil
}

// finish has the index and the leases follow changes, and looks up what they leave and free.
func (w *Writer) finish(ctx context.Context, all ...*Applied) {
	var written []store.Written
	var now []*store.Document
	for _, done := range all {
		if now = append(now, done.After); done.Changed {
			written = append(written, done.Written)
		}
	}
	behind, unrenewed := w.refresh(ctx, written...), w.heartbeat(ctx, now...)
	for _, done := range all {
		done.Behind, done.Unrenewed = behind, unrenewed
		done.NoParent, done.Kept = w.noParent(ctx, done.Written), w.keptLinks(ctx, *done)
	}
	w.addClosings(ctx, all)
}

// noParent looks up the parent that a change has set. A failed lookup is ignored, because
// the change has been made.
func (w *Writer) noParent(ctx context.Context, done store.Written) *index.NotFoundError {
	parent := done.After.Parent
	if parent == "" || !done.Changed || done.Before != nil && done.Before.Parent == parent {
		return nil
	}
	if unknown, err := w.ix.UnknownParent(ctx, parent); err == nil {
		return unknown
	}
	return nil
}

// Update changes a document. Its errors are those of [index.Index.Get] and
// [store.Workspace.Update], *store.VersionError for a document that has another version
// than the reference's, *LinkError, *CycleError and *UnmappedStatusError. A document that keeps
// being moved is a *store.ConflictError.
func (w *Writer) Update(ctx context.Context, ref DocumentRef, change Change) (Applied, error) {
	outcomes, err := w.UpdateAll(ctx, []BatchItem{{ref, change}})
	if err != nil {
		return Applied{}, err
	}
	return outcomes[0].Written, outcomes[0].Err
}

// A DocumentRef names a document to change.
type DocumentRef struct {
	ID string
	// IfVersion is the version that the document must have; "" fits every one.
	IfVersion string
}

// A BatchItem is one change of several.
type BatchItem struct {
	DocumentRef
	Change Change
}

// A BatchResult is what became of a BatchItem: Written, or Err as Update's.
type BatchResult struct {
	Written Applied
	Err     error
}

// UpdateAll makes changes one after the other, each for itself: a failed change
// hinders no other. Its error means that nothing was changed.
func (w *Writer) UpdateAll(ctx context.Context, items []BatchItem) ([]BatchResult, error) {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	lookups, err := w.ix.GetBatch(ctx, ids)
	if err != nil {
		return nil, err
	}
	var touched []store.Written
	outcomes := make([]BatchResult, len(items))
	for i, item := range items {
		o := &outcomes[i]
		if o.Err = lookups[i].Err; o.Err != nil {
			continue
		}
		o.Err = w.attempt(ctx, item.ID, lookups[i].Row, touched, func(row index.Row) (err error) {
			o.Written, err = w.updateAt(ctx, row, item, touched)
			return err
		})
		if o.Err == nil && o.Written.Changed {
			touched = append(touched, o.Written.Written)
		}
	}
	var done []*Applied
	for i := range outcomes {
		if outcomes[i].Err == nil {
			done = append(done, &outcomes[i].Written)
		}
	}
	w.finish(ctx, done...)
	return outcomes, nil
}

// A Deleted is a document that was removed, as it last was. Behind and Claim are as
// Applied's.
type Deleted struct {
	*store.Document
	Behind error
	Claim  *OthersClaim
}

// Delete removes a document. Errors are Update's.
func (w *Writer) Delete(ctx context.Context, ref DocumentRef) (gone Deleted, err error) {
	err = w.named(ctx, ref, func(row index.Row) (err error) {
		gone.Claim, err = w.underLock(ctx, row, ref.IfVersion,
			func(waiting context.Context, begin func(*store.Document) error) (store.Written, error) {
				gone.Document, err = w.ix.Workspace().Delete(waiting, row.Path, begin)
				return store.Written{Changed: true}, err
			})
		return err
	})
	if err != nil {
		return Deleted{}, err
	}
	_ = w.heartbeat(ctx) // the next write tries again, and says so
	gone.Behind = w.refresh(ctx, store.Written{Path: gone.Path})
	return gone, nil
}

// errAnother means that a path holds another document than was looked up.
var errAnother = errors.New("the path holds another document now")

// updateAt makes one change. touched are the changes that the index does not show yet.
func (w *Writer) updateAt(
	ctx context.Context, row index.Row, item BatchItem, touched []store.Written,
) (done Applied, err error) {
	done.Claim, err = w.underLock(ctx, row, item.IfVersion,
		func(waiting context.Context, begin func(*store.Document) error) (store.Written, error) {
			change := func(doc *store.Document) (fields store.Fields, err error) {
				if err = begin(doc); err == nil {
					fields, err = item.Change(doc)
				}
				if err == nil {
					fields, err = fields.Signed(doc)
				}
				if fields.Assignee != nil {
					fields.Assignee = new(words.Person(*fields.Assignee, writer(ctx)))
				}
				if err == nil {
					err = w.checkStatus(ctx, doc, fields.Status)
				}
				if err == nil {
					err = w.checkLinks(ctx, row, doc, &fields, touched)
					done.unlinked = fields.RemoveDependsOn
				}
				return fields, err
			}
			done.Written, err = w.ix.Workspace().Update(waiting, row.Path, change)
			return done.Written, err
		})
	return done, err
}

// named tries to change the document that an id names, as attempt does.
func (w *Writer) named(ctx context.Context, ref DocumentRef, try func(index.Row) error) error {
	row, err := w.ix.Get(ctx, ref.ID)
	if err != nil {
		return err
	}
	return w.attempt(ctx, ref.ID, row, nil, try)
}

// attempt tries to change the document in row. If another program has moved or deleted it
// since the lookup, attempt looks it up a second time. touched are the changes that the
// index has not seen yet.
func (w *Writer) attempt(
	ctx context.Context, id string, row index.Row, touched []store.Written, try func(index.Row) error,
) error {
	err := try(row)
	if stale := (*store.VersionError)(nil); errors.As(err, &stale) {
		return w.explain(ctx, stale, touched)
	}
	if !movedAway(err) {
		return err
	}
	if err := w.ix.RefreshWritten(ctx, append(touched, store.Written{Path: row.Path})...); err != nil {
		return err
	}
	if row, err = w.ix.Get(ctx, id); err != nil {
		return err
	}
	if err = try(row); movedAway(err) {
		return &store.ConflictError{Path: row.Path, Reason: "is being moved or replaced by other programs"}
	}
	return err
}

// explain adds to the error which fields have changed, where the index knows it.
func (w *Writer) explain(ctx context.Context, stale *store.VersionError, touched []store.Written) error {
	if err := w.ix.RefreshWritten(ctx, append(touched, store.Written{Path: stale.Path})...); err != nil {
		return stale
	}
	if fields, err := w.ix.ChangedFields(ctx, stale.Path, stale.Given, stale.Current); err == nil {
		stale.Fields = fields
	}
	return stale
}

// movedAway reports whether an attempt changed nothing because the document was no longer
// at its path.
func movedAway(err error) bool {
	if disk := (*store.DiskError)(nil); errors.As(err, &disk) {
		return false
	}
	return errors.Is(err, errAnother) || errors.Is(err, fs.ErrNotExist)
}

// refreshWait bounds the update of the index. It is not cancelled with the call, because
// the change has been made.
const refreshWait = 10 * time.Second

func (w *Writer) refresh(ctx context.Context, written ...store.Written) error {
	if len(written) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshWait)
	defer cancel()
	return w.ix.RefreshWritten(ctx, written...)
}
