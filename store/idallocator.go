package store

import (
	"context"
	"crypto/rand"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"issues-index/store/git"
)

// An idAllocator has the highest numbers that this process has ever seen, outliers
// aside, and what it needs to see new ones without reading everything again. It is
// used only under the lock.
type idAllocator struct {
	highest map[string]int // by series
	dirs    map[string]*scannedDir
	refs    refNumbers
	random  func([]byte) // fills in random bytes
}

// A scannedDir is a directory of another worktree.
type scannedDir struct {
	stamp   Stat              // as of the last look; zero when it may have changed since
	folders []string          // directories in it
	taken   numbers           // by the documents in it
	read    map[string]string // ids of the files whose names have no number
}

func newIDAllocator() *idAllocator {
	return &idAllocator{highest: map[string]int{}, dirs: map[string]*scannedDir{}, refs: refNumbers{refs: refsTime, history: historyTime}, random: func(b []byte) { _, _ = rand.Read(b) }}
}

// see remembers the highest of some numbers that is no outlier. The last one that
// can be given out is not remembered: when its document is gone, the numbers below
// are free for use.
func (s *idAllocator) see(seen numbers) {
	for series := range seen {
		if n := HighestNumber(s.highest[series], seen[series]); n < lastNumber {
			s.highest[series] = n
		}
	}
}

// seeGiven remembers the numbers given out that are near those remembered already.
// Whether the others are outliers, only the documents of their series can tell.
func (s *idAllocator) seeGiven(given map[string]int) {
	for series, number := range given {
		if number <= s.highest[series]+MaxNumberGap && number < lastNumber {
			s.highest[series] = max(s.highest[series], number)
		}
	}
}

// numbers are those of some documents, by series. Of the numbers up to MaxNumberGap,
// which are no outliers, the highest alone is kept, as the first.
type numbers map[string][]int

func (n numbers) add(series string, number int) {
	if n[series] == nil {
		n[series] = []int{0}
	}
	if number <= MaxNumberGap {
		n[series][0] = max(n[series][0], number)
		return
	}
	n[series] = append(n[series], number)
}

// addAll counts the numbers of an id or of a file name without .md, and reports whether it
// has any.
func (n numbers) addAll(ids []IDNumber) bool {
	for _, id := range ids {
		n.add(id.Series, id.Number)
	}
	return len(ids) > 0
}

func (n numbers) merge(others numbers) {
	for series, list := range others {
		for _, number := range list {
			n.add(series, number)
		}
	}
}

// scan reads every document of the workspace: names and ids may differ.
func (s *idAllocator) scan(ctx context.Context, w *Workspace) (numbers, error) {
	listing, err := w.List(ctx)
	if err != nil {
		return nil, err
	}
	seen := numbers{}
	for _, f := range listing.Files {
		seen.addAll(w.IDNumbers(f.Collection.Type, stem(f.Path)))
		if doc, _, err := w.Load(f.Path); err == nil {
			seen.addAll(w.IDNumbers(f.Collection.Type, doc.ID))
		}
	}
	s.see(seen)
	return seen, nil
}

func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// scanWorktrees returns the numbers of the documents in the repository's other
// worktrees, and those that were given out there. It goes by the names of documents,
// and reads those whose names have no number. A directory that has not changed is
// not listed again, so that the cost is that of describing a few directories. What
// cannot be read there is not ours to complain about.
func (s *idAllocator) scanWorktrees(w *Workspace) (seen numbers, given map[string][]int) {
	seen, given = numbers{}, map[string][]int{}
	for _, root := range git.OtherWorktrees(w.Root) {
		handle, err := os.OpenRoot(root)
		if err != nil {
			continue
		}
		other := &Workspace{Root: root, Collections: w.Collections, Layout: w.Layout, root: handle}
		if data, _, err := other.Read(path.Join(CacheDir, idsFile)); err == nil {
			numbers := w.parseGiven(data)
			s.seeGiven(numbers)
			for series, number := range numbers {
				given[series] = append(given[series], number)
			}
		}
		for _, c := range other.Collections {
			s.scanDir(other, c, c.Dir, seen)
		}
		closeQuietly(other)
	}
	s.see(seen)
	return seen, given
}

// settleTime is how old a directory's time must be to prove that nothing
// changed since: file systems count time in steps of up to two seconds.
const settleTime = 3 * time.Second

// scanDir adds the numbers of the documents in a directory and those below to seen.
func (s *idAllocator) scanDir(w *Workspace, c Collection, dir string, seen numbers) {
	f, err := w.openDir(dir)
	if err != nil {
		return
	}
	defer closeQuietly(f)
	info, err := f.Stat()
	if err != nil || !info.IsDir() {
		return
	}
	key := path.Join(w.Root, dir)
	d := s.dirs[key]
	if d == nil {
		d = &scannedDir{read: map[string]string{}}
		s.dirs[key] = d
	}
	if stamp := StatOf(info); d.stamp != stamp {
		names, err := f.Readdirnames(-1)
		if err != nil {
			return
		}
		d.folders, d.taken = nil, numbers{}
		for _, name := range names {
			d.addFile(w, c, path.Join(dir, name))
		}
		d.stamp = Stat{}
		if time.Since(info.ModTime()) > settleTime {
			d.stamp = stamp
		}
	}
	seen.merge(d.taken)
	for _, folder := range d.folders {
		s.scanDir(w, c, folder, seen)
	}
}

// addFile counts one name in the directory.
func (d *scannedDir) addFile(w *Workspace, c Collection, p string) {
	name := path.Base(p)
	id, read := d.read[name]
	switch {
	case read:
		d.taken.addAll(w.IDNumbers(c.Type, id))
	case name[0] == '.':
	case !documentName(name):
		if info, err := w.root.Lstat(p); err == nil && info.Mode()&fs.ModeType == fs.ModeDir {
			d.folders = append(d.folders, p)
		}
	case !d.taken.addAll(w.IDNumbers(c.Type, stem(name))):
		if data, st, err := w.Read(p); err == nil {
			id = w.Parse(File{Path: p, Collection: c, Stat: st}, data, nil).ID
			d.taken.addAll(w.IDNumbers(c.Type, id))
		}
		d.read[name] = id
	}
}
