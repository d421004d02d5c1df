package edit

import (
	"context"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/store"
)

// underLock makes one change of the document in row. change takes the lock of the workspace, calls
// begin with the document as it was read under the lock, and frees the lock before it returns; begin
// checks id and version.
//
// A change that takes the document from the holder of a lease ends the lease, under the lock again. The
// lease is dropped where the holder made the change, or a writer without a name; else it is kept for
// the holder to be told. A lease that cannot be written does not count anyway, and is dropped when it
// has lapsed. underLock returns the claim that another holder has, or had until this change, nil for
// none. Errors are those of change and begin.
func (w *Writer) underLock(
	ctx context.Context, row index.Row, version string,
	change func(waiting context.Context, begin func(*store.Document) error) (store.Written, error),
) (*OthersClaim, error) {
	waiting, cancel := context.WithTimeout(ctx, w.wait)
	defer cancel()
	var held *claims.Lease
	done, err := change(waiting, func(doc *store.Document) error {
		if err := checkDocument(doc, row, version); err != nil {
			return err
		}
		held, _ = w.ix.Leases().OfDocument(ctx, doc) // leases that cannot be read hinder no change
		return nil
	})
	if err != nil || !done.Changed || held == nil {
		return nil, err
	}
	var now claims.Subject
	if done.After != nil {
		now = claims.SubjectOf(done.After)
	}
	by, leases := writer(ctx), w.ix.Leases()
	c := &OthersClaim{Lease: *held, Over: !leases.Covers(*held, now)}
	own := held.IsOf(by)
	if c.Over {
		again, cancel := context.WithTimeout(ctx, w.wait)
		defer cancel()
		_ = w.ix.Workspace().Mutate(again, func(*store.Mutation) error {
			switch {
			case leases.Counts(*held): // the document was given to the holder again since the change
				return nil
			case own || by == "":
				_ = leases.Drop(ctx, *held)
			default:
				_ = leases.MarkEnded(ctx, *held, by, now)
			}
			return leases.EndInTeam(ctx, held.ID)
		})
	}
	if own || !held.Live(w.ix.Workspace().Now()) {
		return nil, nil
	}
	return c, nil
}

// checkDocument refuses a document that is another one than that of row, or of another version.
func checkDocument(doc *store.Document, row index.Row, version string) error {
	if doc.ID != row.ID {
		return errAnother
	}
	return doc.CheckVersion(version)
}
