package edit

import (
	"context"
	"fmt"
	"time"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/store"
	"issues-index/store/words"
)

type holderKey struct{}

// As returns a context in which a writer acts for a holder of claims: every write is a
// heartbeat that renews the holder's leases.
func As(ctx context.Context, holder string) context.Context {
	return context.WithValue(ctx, holderKey{}, holder)
}

// heartbeat renews the leases of the writer. written are the documents as they are now.
func (w *Writer) heartbeat(ctx context.Context, written ...*store.Document) error {
	holder := writer(ctx)
	if holder == "" {
		return nil
	}
	return w.ix.Leases().Heartbeat(ctx, holder, written...)
}

// writer is the holder for which a Writer acts, "" when it is not known.
func writer(ctx context.Context) string {
	holder, _ := ctx.Value(holderKey{}).(string)
	return holder
}

// An OthersClaim is the live claim of another holder on a document that was changed.
type OthersClaim struct {
	claims.Lease
	Over bool // the change has ended it
}

// Says is what to tell the author of the change, in a sentence without its full stop. at
// words the time until which the claim counts.
func (c *OthersClaim) Says(at func(time.Time) string) string {
	if c == nil {
		return ""
	}
	id, holder, until := words.OneLine(c.ID), words.OneLine(c.Holder), at(c.Expires)
	if c.Over {
		return fmt.Sprintf("this has ended the claim of %s on %s, which counted until %s", holder, id, until)
	}
	return fmt.Sprintf("%s is claimed by %s until %s", id, holder, until)
}

// underLock makes one change of the document in row, and ends the lease of a document that the
// change has taken from its holder. An ended lease is kept for its holder to be told, and dropped when
// the holder made the change. What cannot be written does not count anyway, and is dropped when it has
// lapsed. make makes the change: it calls begin first, with the document
// as it is read under the lock, and returns what it did.
// The claim is another holder's. Errors are those of make and begin.
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
		if !held.Local && w.ix.Agreement() != nil {
			again, cancel := context.WithTimeout(ctx, w.wait)
			defer cancel()
			_ = w.ix.Workspace().Mutate(again, func(*store.Mutation) error { return w.endInTeam(ctx, held.ID) })
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
