package index

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// A workload is how far the work has come that calls wait for, in files.
type workload struct{ done, total atomic.Int64 }

func (w *workload) end() {
	w.done.Store(0)
	w.total.Store(0)
}

// report notes how far work has come, and tells who asked to be told. Work that is
// finished has done all.
func (ix *Index) report(done, total int) {
	ix.work.done.Store(int64(done))
	ix.work.total.Store(int64(total))
	if ix.options.Progress != nil {
		ix.options.Progress(done, total)
	}
}

// reporting is report for a caller that wants to be told, too; tell may be nil.
func (ix *Index) reporting(tell func(done, total int)) func(done, total int) {
	return func(done, total int) {
		ix.report(done, total)
		if tell != nil {
			tell(done, total)
		}
	}
}

// A BehindError says that a call's time ran out while the index was still taking in
// files. That goes on without the call.
type BehindError struct {
	Done, Total int // files
}

func (e *BehindError) Error() string {
	return fmt.Sprintf("the index is catching up with the files: %d of %d are done", e.Done, e.Total)
}

// Is has it count as the end of the call's time.
func (e *BehindError) Is(target error) bool { return target == context.DeadlineExceeded }

// behind explains why a wait for the index ended.
func (ix *Index) behind(err error) error {
	done, total := int(ix.work.done.Load()), int(ix.work.total.Load())
	if errors.Is(err, context.DeadlineExceeded) && done < total {
		return &BehindError{done, total}
	}
	return err
}
