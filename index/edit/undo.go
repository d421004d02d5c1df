package edit

import (
	"cmp"
	"context"

	"issues-index/store"
)

// Revert takes changes back, all of them or none, and has the index follow. Errors are
// those of [store.Workspace.Revert]; behind is as Applied's.
func (w *Writer) Revert(ctx context.Context, changes []store.DocumentChange) (behind, err error) {
	waiting, cancel := context.WithTimeout(ctx, w.wait)
	defer cancel()
	if err := w.ix.Workspace().Revert(waiting, changes); err != nil {
		return nil, err
	}
	touched := make([]store.Written, len(changes))
	for i, c := range changes {
		touched[i] = store.Written{Path: cmp.Or(c.OldPath, c.Path), OldPath: c.Path}
	}
	return w.refresh(ctx, touched...), nil
}
