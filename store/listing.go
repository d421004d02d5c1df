package store

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
)

// A File is one document as a walk finds it.
type File struct {
	Path       string // slash-separated, relative to the root
	Collection Collection
	Stat       Stat
}

// A Listing is what a walk found, in path order.
type Listing struct {
	Files []File
	// Dirs are all the directories that were walked.
	Dirs []string
	// Folders tells by which of its names each of them was walked.
	Folders  Folders
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
	return cause(p.Err).Error()
}

// List walks all collections. A directory that is missing, or vanishes
// meanwhile, is empty. The error is the context's.
func (w *Workspace) List(ctx context.Context) (Listing, error) {
	l, err := w.ListEach(ctx, nil)
	slices.SortFunc(l.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return l, err
}

// ListEach is List with the files in no order, which calls enter, if not nil,
// with each directory before it reads the names there, from several goroutines at
// once. Its errors end the walk.
func (w *Workspace) ListEach(ctx context.Context, enter func(dir string) error) (Listing, error) {
	wk := &walk{w: w, enter: enter, folders: Folders{names: map[dirKey]string{}}}
	for _, c := range w.Collections {
		wk.add(c.Dir)
	}
	return wk.run(ctx)
}

// Folders are the directories that a walk listed. Symbolic links give a directory
// several names; a walk lists its documents under one of them only.
type Folders struct {
	names   map[dirKey]string // by which each was listed
	several bool              // whether a directory may have another name, too
}

// add notes a directory that is about to be listed; ok is false when it has been,
// under another name.
func (f *Folders) add(d *directory) (ok bool) {
	if _, listed := f.names[d.key]; listed {
		f.several = true
		return false
	}
	f.names[d.key] = d.path
	return true
}

// ListedAs returns the path under which the walk listed, or would have listed, the
// document at p. It differs from p when the walk listed p's directory under another
// name, which it still has. A directory that the walk has not met keeps its name, and
// one of a collection that is reached without a link keeps it whatever link the walk has
// met: the walk may have missed it while it was being replaced.
func (w *Workspace) ListedAs(f Folders, p string) string {
	if !f.several {
		return p
	}
	dir := path.Dir(p)
	real, err := w.Resolve(dir)
	if err != nil {
		return p
	}
	info, err := w.root.Stat(real)
	if err != nil {
		return p
	}
	key := w.keyOf(dir, info)
	name, listed := f.names[key]
	_, walked := w.collectionOfDir(dir)
	if !listed || name == dir || walked && real == dir && w.linkedBelow(name, real) {
		return p
	}
	if info, err = w.follow(name); err != nil || w.keyOf(name, info) != key {
		return p
	}
	return path.Join(name, path.Base(p))
}

// linkedBelow reports whether there is a symbolic link in a directory's name below
// its collection.
func (w *Workspace) linkedBelow(name, real string) bool {
	c, ok := w.collectionOfDir(name)
	top, err := w.Resolve(c.Dir)
	if !ok || err != nil {
		return true
	}
	rel, _ := below(c.Dir, name)
	return path.Join(top, rel) != real
}
