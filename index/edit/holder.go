package edit

import (
	"context"
	"fmt"
	"time"

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
