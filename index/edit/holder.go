package edit

import (
	"context"
	"fmt"
	"time"

	"issues-index/index/lease"
	"issues-index/store"
	"issues-index/store/words"
)

type holderKey struct{}

// As returns a context in which a writer acts for a holder of claims: every write is a sign
// of life that renews the holder's leases.
func As(ctx context.Context, holder string) context.Context {
	return context.WithValue(ctx, holderKey{}, holder)
}

// signOfLife renews the leases of the one who writes. written are the documents as they are
// now.
func (w *Writer) signOfLife(ctx context.Context, written ...*store.Document) error {
	holder := writes(ctx)
	if holder == "" {
		return nil
	}
	err := w.ix.Leases().SignOfLife(ctx, holder, written...)
	w.agreeFirst(ctx) // on those that the team's engine has no more
	return err
}

// writes is the holder whom a writer acts for, "" for nobody that is known.
func writes(ctx context.Context) string {
	holder, _ := ctx.Value(holderKey{}).(string)
	return holder
}

// An OthersClaim is a live claim under which somebody else has changed the document.
type OthersClaim struct {
	lease.Lease
	Over bool // the change has ended it
}

// Says is what to tell whoever made the change, in a sentence without its full stop. at
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

// leaseOf returns the lease that covers a document, if there is one. It is read under the
// lock, so that settle cannot mean a later one.
func (w *Writer) leaseOf(ctx context.Context, doc *store.Document) []lease.Lease {
	held, covered, err := w.ix.Leases().OfDocument(ctx, doc)
	if err != nil || !covered {
		return nil
	}
	return []lease.Lease{held}
}

// settle sees to the lease of a document that was changed, and returns it if it is live and
// somebody else's. One that the change has ended is noted for its holder, or dropped when the
// holder made the change. What cannot be written does not count anyway, and is dropped when
// it has lapsed.
func (w *Writer) settle(ctx context.Context, held []lease.Lease, now lease.Subject) *OthersClaim {
	if len(held) == 0 {
		return nil
	}
	one, by, leases := held[0], writes(ctx), w.ix.Leases()
	c := &OthersClaim{Lease: one, Over: !leases.Covers(one, now)}
	own := one.IsOf(by)
	switch {
	case c.Over && (own || by == ""):
		_ = leases.Drop(ctx, one)
	case c.Over:
		_ = leases.End(ctx, one, by, now)
	}
	if c.Over {
		_ = w.giveBack(ctx, one.ID) // else it lapses
	}
	if own || !one.Live(w.ix.Workspace().Now()) {
		return nil
	}
	return c
}
