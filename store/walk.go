package store

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"
)

// A walk goes level by level: the directories of one level are opened in
// parallel, then read, and the files described while further names are being
// read. Linked directories come after all real ones, one at a time in path order,
// so that the same tree gives the same listing whatever the scheduling.
type walk struct {
	w       *Workspace
	level   []*directory
	folders Folders
	links   []string // symbolic links to directories, not followed yet
	enter   func(dir string) error
	listing Listing
}

// add puts a directory on the next level, if documents can be in it.
func (wk *walk) add(dir string) {
	c, ok := wk.w.collectionOfDir(dir)
	if !ok || slices.ContainsFunc(wk.level, func(d *directory) bool { return d.path == dir }) {
		return
	}
	wk.level = append(wk.level, &directory{path: dir, collection: c})
}

// run walks all levels. The files it finds are in no order.
func (wk *walk) run(ctx context.Context) (Listing, error) {
	for len(wk.level) > 0 || len(wk.links) > 0 {
		if len(wk.level) == 0 {
			slices.Sort(wk.links)
			wk.add(wk.links[0])
			wk.links = wk.links[1:]
		}
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
	l.Folders = wk.folders
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
		if d.handle != nil && wk.folders.add(d) {
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
	case e.mode.IsDir() && e.stat.Symlink:
		wk.folders.several = true
		wk.links = append(wk.links, p)
	case e.mode.IsDir():
		templates := isTemplateDir(p) && !isTemplateDir(d.path)
		if !templates && !wk.w.isCollection(p) { // those are walked on their own account
			wk.level = append(wk.level, &directory{path: p, collection: d.collection})
		}
	case document && e.mode != fs.ModeIrregular:
		wk.problem(p, errors.New("is a pipe, a socket or a device"))
	}
}

func (wk *walk) problem(p string, err error) {
	wk.listing.Problems = append(wk.listing.Problems, ListingProblem{strings.ToValidUTF8(p, "�"), err})
}

// isCollection reports whether dir is a collection's own directory.
func (w *Workspace) isCollection(dir string) bool {
	return slices.ContainsFunc(w.near(dir), func(c Collection) bool { return c.Dir == dir })
}
