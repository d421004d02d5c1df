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

// FixTogether makes exact changes that belong together, and has the index follow. The numbers of
// new ids are agreed with the team first. Where these are other ones, renumber returns the changes
// with them, as for [store.FixOptions]. note says what could not be agreed, "" for nothing. Errors
// are those of [store.Workspace.FixTogether] and of the agreement's file; behind is as Applied's.
func (w *Writer) FixTogether(ctx context.Context, b store.FixBatch, renumber func(ids []string) (store.FixBatch, error)) (note string, behind, err error) {
	w.agreeFirst(ctx)
	waiting, cancel := context.WithTimeout(ctx, w.wait)
	defer cancel()
	numbers := askedNumbers{agreement: w.ix.Agreement()}
	ws := w.ix.Workspace()
	note, err = ws.FixTogether(waiting, b, store.FixOptions{Number: numbers.hook(ctx), Renumber: func(ids []string) (store.FixBatch, error) {
		again, err := renumber(ids)
		if err == nil {
			b = again
		}
		return again, err
	}})
	numbers.made(ctx, func(n store.IDNumber) string { return pathWith(ws, b, n) })
	var touched []store.Written
	for _, f := range b.Fixes {
		if _, ok := ws.CollectionOf(f.From); ok {
			touched = append(touched, store.Written{Path: cmp.Or(f.To, f.From), OldPath: f.From})
		}
	}
	return numbers.addTo(note), w.refresh(ctx, touched...), err
}

// pathWith returns the path that the document gets to which a batch gives a number.
func pathWith(ws *store.Workspace, b store.FixBatch, n store.IDNumber) string {
	for _, id := range b.NewIDs {
		numbers := ws.IDNumbers(id.Collection, id.ID)
		if len(numbers) == 0 || numbers[len(numbers)-1] != n {
			continue
		}
		for _, f := range b.Fixes {
			if f.From == id.Path {
				return f.To
			}
		}
	}
	return ""
}
