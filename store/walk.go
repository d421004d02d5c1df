package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// A walk goes level by level: the directories of one level are read in
// parallel, then their files described in parallel. Linked directories come
// after all real ones, one at a time in path order, so that the same tree gives
// the same listing whatever the scheduling.
type walk struct {
	w       *Workspace
	level   []*directory
	seen    map[dirKey]bool
	links   []string // symbolic links to directories, not followed yet
	linked  bool     // a symbolic link to a directory was met
	enter   func(dir string) error
	listing Listing
}

// A directory is one that is being walked.
type directory struct {
	path       string
	collection Collection

	handle  *os.File // nil when there is nothing to walk
	key     dirKey
	entries []entry
	err     error
}

// An entry is a name in a directory, hidden ones excepted, and what it leads to.
type entry struct {
	name string
	mode fs.FileMode // fs.ModeIrregular when it vanished or leads nowhere
	stat Stat
	err  error
}

func newWalk(w *Workspace) *walk { return &walk{w: w, seen: map[dirKey]bool{}} }

// add puts a directory on the next level, if documents can be in it.
func (wk *walk) add(dir string) {
	c, ok := wk.w.collectionOfDir(dir)
	if !ok || slices.ContainsFunc(wk.level, func(d *directory) bool { return d.path == dir }) {
		return
	}
	wk.level = append(wk.level, &directory{path: dir, collection: c})
}

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
	slices.SortFunc(l.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(l.Dirs)
	slices.SortFunc(l.Problems, func(a, b ListingProblem) int { return strings.Compare(a.Path, b.Path) })
	return *l, nil
}

const (
	maxOpenDirs = 64  // at once; far below any limit on open files
	statChunk   = 256 // names described by one worker at a time
)

// walkBatch reads directories that are open at the same time, and puts those
// they hold on the next level.
func (wk *walk) walkBatch(batch []*directory) error {
	var refused [maxOpenDirs]error
	parallel(len(batch), func(i int) {
		if wk.enter != nil {
			refused[i] = wk.enter(batch[i].path)
		}
		wk.w.readDir(batch[i])
	})
	defer func() {
		for _, d := range batch {
			if d.handle != nil {
				closeQuietly(d.handle)
			}
		}
	}()

	type chunk struct {
		d       *directory
		entries []entry
	}
	var chunks []chunk
	var walked []*directory
	for _, d := range batch {
		if d.err != nil {
			wk.problem(d.path, d.err)
		}
		if d.handle == nil || wk.seen[d.key] {
			continue
		}
		wk.seen[d.key] = true
		walked = append(walked, d)
		for entries := range slices.Chunk(d.entries, statChunk) {
			chunks = append(chunks, chunk{d, entries})
		}
	}
	parallel(len(chunks), func(i int) {
		for j := range chunks[i].entries {
			wk.w.describe(chunks[i].d, &chunks[i].entries[j])
		}
	})
	for _, d := range walked {
		wk.listing.Dirs = append(wk.listing.Dirs, d.path)
		for i := range d.entries {
			wk.take(d, &d.entries[i])
		}
	}
	return errors.Join(refused[:]...)
}

// take puts an entry where it belongs.
func (wk *walk) take(d *directory, e *entry) {
	p := e.name
	if d.path != "." {
		p = d.path + "/" + e.name
	}
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
		wk.linked = true
		wk.links = append(wk.links, p)
	case e.mode.IsDir():
		if !wk.w.isCollection(p) { // those are walked on their own account
			wk.level = append(wk.level, &directory{path: p, collection: d.collection})
		}
	case e.mode.IsRegular() && document:
		wk.listing.Files = append(wk.listing.Files, File{p, d.collection, e.stat})
	}
}

func (wk *walk) problem(p string, err error) {
	wk.listing.Problems = append(wk.listing.Problems, ListingProblem{strings.ToValidUTF8(p, "�"), err})
}

// isCollection reports whether dir is a collection's own directory.
func (w *Workspace) isCollection(dir string) bool {
	return slices.ContainsFunc(w.Collections, func(c Collection) bool { return c.Dir == dir })
}

// readDir opens d and reads its names. Names only: os.File.ReadDir would
// describe each below an os.Root, one after the other.
func (w *Workspace) readDir(d *directory) {
	f, err := w.openDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		d.err = err
		return
	}
	info, err := f.Stat()
	if err != nil || !info.IsDir() {
		closeQuietly(f)
		if w.isCollection(d.path) {
			d.err = errors.New("is not a directory")
		}
		return
	}
	d.handle, d.key = f, w.keyOf(d.path, info)
	names, err := f.Readdirnames(-1)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.err = at("list", d.path, err)
	}
	d.entries = make([]entry, 0, len(names))
	for _, name := range names {
		if name[0] != '.' {
			d.entries = append(d.entries, entry{name: name})
		}
	}
}

// describe fills in what e leads to.
func (w *Workspace) describe(d *directory, e *entry) {
	e.mode = fs.ModeIrregular
	st, mode, err := lstatAt(d.handle, e.name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // gone since
		return
	case err == nil && mode&fs.ModeSymlink != 0:
		var info fs.FileInfo
		if info, err = w.follow(path.Join(d.path, e.name)); err == nil {
			st, mode = statOf(info), info.Mode()
			st.Symlink = true
		}
	}
	e.stat, e.err = st, err
	if err == nil {
		e.mode = mode
	}
}

// parallel calls f for 0 to n-1 from a few goroutines. At least two: describing
// files waits for the disk.
func parallel(n int, f func(i int)) {
	workers := min(n, max(2, runtime.GOMAXPROCS(0)))
	if workers < 2 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}
