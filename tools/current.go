package tools

import (
	"context"
	"sync/atomic"

	"issues-index/index"
)

// Current returns the toolset whose calls are answered from the index of the folder
// that lies at the workspace's path at that moment. bind makes the toolset of an
// index; for its definitions it is called with nil.
func Current(current *index.Current, bind func(*index.Index) Toolset) Toolset {
	type bound struct {
		ix    *index.Index
		tools []Tool
	}
	var last atomic.Pointer[bound] // most calls have the index of the one before
	toolsOf := func(ix *index.Index) []Tool {
		b := last.Load()
		if b == nil || b.ix != ix {
			b = &bound{ix, bind(ix).Tools}
			last.Store(b)
		}
		return b.tools
	}
	set := bind(nil)
	for i := range set.Tools {
		set.Tools[i].Handle = func(ctx context.Context, args *Args) (Result, error) {
			ix, release, err := current.Acquire(ctx)
			if err != nil {
				return Result{}, err
			}
			defer release()
			return toolsOf(ix)[i].Handle(ctx, args)
		}
	}
	return set
}
