package store

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// A File is one document as a walk finds it.
type File struct {
	Path       string      // slash-separated, relative to the root
	Collection *Collection // nil where it does not matter
	Stat       Stat
}

// A Listing is what a walk found, in path order.
type Listing struct {
	Files []File
	// Dirs are all the directories that were walked.
	Dirs     []string
	Problems []ListingProblem
	// Temporary are our own temporary files: of a write under way, or of a writer
	// who died. They are in no order.
	Temporary []string
}

// A ListingProblem is something a walk could not look into, or a name that
// looks like a document's and leads to none.
type ListingProblem struct {
	Path string // valid UTF-8, whatever the name on disk
	Err  error
}

// Reason is the error without the path it happened at, which may be an absolute
// one.
func (p ListingProblem) Reason() string {
	var refused *PathError
	if errors.As(p.Err, &refused) {
		return refused.Reason
	}
	return reasonOf(cause(p.Err))
}

// List walks all collections. A directory that is missing, or vanishes
// meanwhile, is empty. The error is the context's.
func (w *Workspace) List(ctx context.Context) (Listing, error) {
	l, err := w.ListEach(ctx, nil)
	slices.SortFunc(l.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return l, err
}
