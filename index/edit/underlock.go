package edit

import (
	"context"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/store"
)

// underLock makes one change of the document in row. make makes it: it calls begin first, with the
// document as it is read under the lock, and returns what it did; begin checks id and version.
//
// A change that takes the document from the holder of a lease ends the lease. It is dropped where the
// holder made the change, or a writer without a name; else it is kept for the holder to be told. A
// lease that cannot be written does not count anyway, and is dropped when it has lapsed. The claim is
// another holder's. Errors are those of make and begin.
func (w *Writer) underLock(
	ctx context.Context, row index.Row, version string,
	make func(waiting context.Context, begin func(*store.Document) error) (store.Written, error),
) (*OthersClaim, error) {
	waiting, cancel := context.WithTimeout(ctx, w.wait)
	defer cancel()
	var held *claims.Lease
	done, err := make(waiting, func(doc *store.Document) error {
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
		if own || by == "" {
			_ = leases.Drop(ctx, *held)
		} else {
			_ = leases.MarkEnded(ctx, *held, by, now)
		}
		if leases.InTeam() {
			again, cancel := context.WithTimeout(ctx, w.wait)
			defer cancel()
			_ = w.ix.Workspace().Mutate(again, func(*store.Mutation) error { return leases.EndInTeam(ctx, held.ID) })
		}
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
