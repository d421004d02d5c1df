package index

import (
	"context"

	"issues-index/index/lease"
)

// noPath is a path that no document has.
const noPath = "."

// withClaims replaces what a filter asks about claims by the paths of these documents. They
// are few, and their leases are not in the index: a lease lapses without any change.
func (ix *Index) withClaims(ctx context.Context, f Filter) (Filter, error) {
	if f.ClaimedBy == "" && !f.Stale {
		return f, nil
	}
	var leases []lease.Lease
	var err error
	if f.ClaimedBy != "" {
		leases, err = ix.leases.OfHolder(ctx, lease.HolderName(f.ClaimedBy))
	} else {
		leases, err = ix.leases.All(ctx)
	}
	f.Claimed = []string{noPath}
	now := ix.ws.Now()
	for _, one := range leases {
		if (!f.Stale || !one.Live(now)) && ix.leases.Counts(one) {
			f.Claimed = append(f.Claimed, one.Path)
		}
	}
	return f, err
}
