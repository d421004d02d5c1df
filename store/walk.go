package store

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store/layout"
)

// A walk goes level by level: the directories of one level are opened in
// parallel, then read, and the files described while further names are being
// read. A symbolic link to a directory is followed where a collection begins, and nowhere
// below, so that each document has one path.
type walk struct {
	w       *Workspace
	level   []*directory
	enter   func(dir string) error
	listing Listing
}

// addCollections puts the collections' own directories on the first level.
func (wk *walk) addCollections() {
	added := map[string]bool{}
	for _, c := range wk.w.Collections {
		if home, ok := wk.w.collectionOfDir(c.Dir); ok && !added[c.Dir] {
			added[c.Dir] = true
			if other, twice := wk.w.sharedFolder(c.Dir); twice {
				wk.problem(c.Dir, &PathError{c.Dir, reasonSharedFolder(other)})
				continue
			}
			wk.level = append(wk.level, &directory{path: c.Dir, collection: home})
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
		if c.Dir == dir {
			continue
		}
		there, err := w.Resolve(c.Dir)
		_, inside := below(there, real)
		_, around := below(real, there)
		_, named := below(dir, c.Dir)
		if rel, nested := below(c.Dir, dir); nested && path.Join(there, rel) == real {
			named = true
		}
		if err == nil && (inside || around) && !named && (there == c.Dir || c.Dir < dir) {
			return c.Dir, true
		}
	}
	return "", false
}

// run walks all levels. The files it finds are in no order.
func (wk *walk) run(ctx context.Context) (Listing, error) {
	for len(wk.level) > 0 {
		level := wk.level
		wk.level = nil
		for batch := range slices.Chunk(level, maxOpenDirs) {
			if err := ctx.Err(); err != nil {
				return Listing{}, err
			}
			if err := wk.walkBatch(batch); err != nil {
				return Listing{}, err
			}
		}
	}
	l := &wk.listing
	slices.Sort(l.Dirs)
	slices.SortFunc(l.Problems, func(a, b ListingProblem) int { return strings.Compare(a.Path, b.Path) })
	return *l, nil
}

// maxOpenDirs are open at once: far below any limit on open files.
const maxOpenDirs = 64

// walkBatch reads directories that are open at the same time, and puts those
// they hold on the next level.
func (wk *walk) walkBatch(batch []*directory) error {
	var refused [maxOpenDirs]error
	parallel(len(batch), func(i int) {
		if wk.enter != nil {
			refused[i] = wk.enter(batch[i].path)
		}
		wk.w.enterDir(batch[i])
	})
	defer func() {
		for _, d := range batch {
			if d.handle != nil {
				closeQuietly(d.handle)
			}
		}
	}()

	var walked []*directory
	for _, d := range batch {
		if d.handle != nil {
			walked = append(walked, d)
		}
	}
	wk.w.readDirs(walked)
	for _, d := range batch {
		if d.err != nil {
			wk.problem(d.path, d.err)
		}
	}
	files := 0
	for _, d := range walked {
		for _, s := range d.shares {
			files += len(s.files)
		}
	}
	wk.listing.Files = slices.Grow(wk.listing.Files, files)
	for _, d := range walked {
		wk.listing.Dirs = append(wk.listing.Dirs, d.path)
		for _, s := range d.shares {
			wk.listing.Files = append(wk.listing.Files, s.files...)
			for _, name := range s.temporary {
				wk.listing.Temporary = append(wk.listing.Temporary, d.in(name))
			}
			for i := range s.others {
				wk.take(d, &s.others[i])
			}
		}
		d.shares = nil
	}
	return errors.Join(refused[:]...)
}

// take puts an entry that is no document where it belongs.
func (wk *walk) take(d *directory, e *entry) {
	p := d.in(e.name)
	document := documentName(e.name)
	switch {
	case !utf8.ValidString(e.name):
		if document || e.mode.IsDir() {
			wk.problem(p, errors.New("its name is not UTF-8"))
		}
	case e.err != nil:
		if document || !errors.Is(e.err, fs.ErrNotExist) {
			wk.problem(p, e.err)
		}
	case e.mode.IsDir() && (wk.w.isCollection(p) || isTemplateDir(p) && !isTemplateDir(d.path)):
		// Collections are walked on their own account, templates are no documents.
	case e.mode.IsDir() && e.stat.Symlink:
		wk.problem(p, &PathError{p, reasonLinkedFolder})
	case e.mode.IsDir():
		wk.level = append(wk.level, &directory{path: p, collection: d.collection})
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
