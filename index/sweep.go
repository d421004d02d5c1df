package index

import (
	"context"

	"issues-index/store"
)

// Sweep removes the temporary files that the last comparison of all files met and
// whose writers are dead, and returns how many. Before the first comparison it
// does nothing.
func (ix *Index) Sweep(ctx context.Context) (removed int, err error) {
	if err := ix.lock(ctx); err != nil {
		return 0, err
	}
	left := ix.left
	ix.unlock()
	return ix.ws.RemoveStaleTempFiles(ctx, left)
}

// leftovers are the parts of a listing that tell where temporary files are.
func leftovers(listing store.Listing) store.Listing {
	left := store.Listing{Temporary: listing.Temporary}
	for _, f := range listing.Files {
		if f.Stat.Symlink {
			left.Files = append(left.Files, f)
		}
	}
	return left
}
