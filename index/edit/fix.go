package edit

import (
	"cmp"
	"context"

	"issues-index/store"
	"issues-index/store/undo"
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

// FixTogether makes exact changes that belong together, and has the index follow. The numbers of
// new ids are agreed with the team first. Where these are other ones, renumber returns the changes
// with them, as for [store.FixOptions]. note says what could not be agreed, "" for nothing. Errors
// are those of [store.Workspace.FixTogether]; behind is as Applied's.
func (w *Writer) FixTogether(
	ctx context.Context, b store.FixBatch, renumber func(ids []string) (store.FixBatch, error),
) (note string, behind, err error) {
	waiting, cancel := context.WithTimeout(ctx, w.wait)
	defer cancel()
	ws := w.ix.Workspace()
	note, err = ws.FixTogether(waiting, b, store.FixOptions{
		Number: w.teamNumbers(ctx),
		Renumber: func(ids []string) (store.FixBatch, error) {
			again, err := renumber(ids)
			if err == nil {
				b = again
			}
			return again, err
		},
	})
	var touched []store.Written
	for _, f := range b.Fixes {
		if _, ok := ws.CollectionOf(f.From); ok {
			touched = append(touched, store.Written{Path: cmp.Or(f.To, f.From), OldPath: f.From})
		}
	}
	return note, w.refresh(ctx, touched...), err
}

// TakeBack takes back the last entry that own chooses, and has the index follow. Errors are those of
// [undo.TakeBack]; behind is as Applied's.
func (w *Writer) TakeBack(ctx context.Context, own func(*undo.Entry) bool) (e *undo.Entry, behind, err error) {
	e, err = undo.TakeBack(ctx, w.ix.Workspace(), own, false)
	if err != nil {
		return e, nil, err
	}
	touched := make([]store.Written, len(e.Changes))
	for i, c := range e.Changes {
		touched[i] = store.Written{Path: cmp.Or(c.OldPath, c.Path), OldPath: c.Path}
	}
	return e, w.refresh(ctx, touched...), nil
}
