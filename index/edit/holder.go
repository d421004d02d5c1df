package edit

import (
	"context"

	"issues-index/store"
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
	holder, _ := ctx.Value(holderKey{}).(string)
	if holder == "" {
		return nil
	}
	return w.ix.Leases().SignOfLife(ctx, holder, written...)
}
