package edit

import (
	"cmp"
	"context"

	"issues-index/store"
)

// Fix makes exact changes, one after the other, each for itself, and has the
// index follow. errs has an error, or nil, for each; behind is as Applied's.
func (w *Writer) Fix(ctx context.Context, fixes []store.Fix) (errs []error, behind error) {
	var touched []store.Written
	errs = make([]error, len(fixes))
	for i, f := range fixes {
		if errs[i] = ctx.Err(); errs[i] != nil {
			continue
		}
		if errs[i] = w.fix(ctx, f); errs[i] == nil {
			touched = append(touched, store.Written{Path: f.To, OldPath: f.From})
		}
	}
	return errs, w.refresh(ctx, touched...)
}

func (w *Writer) fix(ctx context.Context, f store.Fix) error {
	waiting, cancel := context.WithTimeout(ctx, w.wait)
	defer cancel()
	return w.ix.Workspace().Fix(waiting, f)
}

// FixTogether makes exact changes that belong together, and has the index follow. Errors are
// those of [store.Workspace.FixTogether]; behind is as Applied's.
func (w *Writer) FixTogether(ctx context.Context, b store.FixBatch) (behind, err error) {
	waiting, cancel := context.WithTimeout(ctx, w.wait)
	defer cancel()
	err = w.ix.Workspace().FixTogether(waiting, b)
	var touched []store.Written
	for _, f := range b.Fixes {
		if _, ok := w.ix.Workspace().CollectionOf(f.From); ok {
			touched = append(touched, store.Written{Path: cmp.Or(f.To, f.From), OldPath: f.From})
		}
	}
	return w.refresh(ctx, touched...), err
}
