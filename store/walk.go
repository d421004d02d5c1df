package store

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store/cachedir"
	"issues-index/store/layout"
)

// A walk goes directory by directory, and describes the files of each in parallel. A symbolic link
// to a directory is followed where a collection begins, and nowhere below, so that each document
// has one path.
type walk struct {
	w       *Workspace
	dirs    []directory // to be walked
	files   [][]File    // put together at the end, which takes room for all at once
	listing Listing
}

// ListEach is List with the files in no order, which calls enter, if not nil,
// with each directory before it reads the names there. Its errors end the walk.
func (w *Workspace) ListEach(ctx context.Context, enter func(dir string) error) (Listing, error) {
	wk := &walk{w: w}
	wk.addCollections()
	for len(wk.dirs) > 0 {
		d := wk.dirs[0]
		wk.dirs = wk.dirs[1:]
		err := ctx.Err()
		if err == nil && enter != nil {
			err = enter(d.path)
		}
		if err != nil {
			return Listing{}, err
		}
		parts, err := w.readDir(d)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			wk.problem(d.path, err)
		}
		wk.listing.Dirs = append(wk.listing.Dirs, d.path)
		for _, part := range parts {
			wk.files = append(wk.files, part.files)
			for _, e := range part.others {
				wk.take(d, e)
			}
		}
	}
	l := wk.listing
	l.Files = slices.Concat(wk.files...)
	slices.Sort(l.Dirs)
	slices.SortFunc(l.Problems, func(a, b ListingProblem) int { return strings.Compare(a.Path, b.Path) })
	return l, nil
}

// addCollections puts the collections' own directories first.
func (wk *walk) addCollections() {
	added := map[string]bool{}
	for _, c := range wk.w.Collections {
		if home, ok := wk.w.collectionOfDir(c.Dir); ok && !added[c.Dir] {
			added[c.Dir] = true
			if other, twice := wk.w.sharedFolder(c.Dir); twice {
				wk.problem(c.Dir, &PathError{c.Dir, reasonSharedFolder(other)})
				continue
			}
			wk.dirs = append(wk.dirs, directory{c.Dir, &home})
		}
	}
}

// sharedFolder returns another collection whose documents the directory of a collection has,
// too, since it is reached through a link. Collections that nest by their names share nothing:
// each document belongs to the inner one.
func (w *Workspace) sharedFolder(dir string) (other string, ok bool) {
	if w.Mirror() { // whose folders are the program's own
		return "", false
	}
	real, err := w.Resolve(dir)
	if err != nil || real == dir {
		return "", false
	}
	for _, c := range w.Collections {
		there, err := w.Resolve(c.Dir)
		_, inside := below(there, real)
		_, around := below(real, there)
		_, named := below(dir, c.Dir)
		if rel, inner := below(c.Dir, dir); inner && path.Join(there, rel) == real {
			named = true
		}
		if err == nil && (inside || around) && !named && (there == c.Dir || c.Dir < dir) {
			return c.Dir, true
		}
	}
	return "", false
}

// take puts an entry that is no document where it belongs.
func (wk *walk) take(d directory, e entry) {
	p := d.in(e.name)
	document := documentName(e.name)
	switch {
	case e.name[0] == '.':
		if cachedir.IsTemporary(e.name) {
			wk.listing.Temporary = append(wk.listing.Temporary, p)
		}
	case !utf8.ValidString(e.name):
		if document || e.mode.IsDir() {
			wk.problem(p, errors.New("its name is not UTF-8"))
		}
	case e.err != nil:
		if document || !errors.Is(e.err, fs.ErrNotExist) {
			wk.problem(p, e.err)
		}
	case e.mode.IsRegular():
	case e.mode.IsDir() && (wk.w.isCollection(p) || isTemplateDir(p) && !isTemplateDir(d.path)):
		// Collections are walked on their own account, templates are no documents.
	case e.mode.IsDir() && e.stat.Symlink:
		wk.problem(p, &PathError{p, reasonLinkedFolder})
	case e.mode.IsDir():
		wk.dirs = append(wk.dirs, directory{p, d.collection})
	case document && e.mode != fs.ModeIrregular:
		wk.problem(p, errors.New("is a pipe, a socket or a device"))
	}
}

func (wk *walk) problem(p string, err error) {
	wk.listing.Problems = append(wk.listing.Problems, ListingProblem{strings.ToValidUTF8(p, "�"), err})
}

// reasonLinkedFolder refuses documents that would have several paths.
const reasonLinkedFolder = "is a link to a folder, which is not followed: put the folder in its place, " +
	"or name it below folders in " + layout.File

// reasonSharedFolder refuses a collection whose documents are another one's, too.
func reasonSharedFolder(other string) string {
	return "is a link to a folder of the collection " + other + ": have it lead elsewhere, or delete it"
}

// isCollection reports whether dir is a collection's own directory.
func (w *Workspace) isCollection(dir string) bool {
	return slices.ContainsFunc(w.near(dir), func(c Collection) bool { return c.Dir == dir })
}
