package store

import (
	"context"
	"crypto/rand"
	"os"
	"path"
	"time"

	"issues-index/store/git"
)

// An idAllocator has the numbers that this process has given out, and what it needs to
// see those of others without reading everything again. It is used only under the lock.
type idAllocator struct {
	given  numbers
	dirs   map[string]scannedDir // by absolute path
	refs   refNumbers
	random func([]byte) // fills in random bytes
}

// A scannedDir is a directory of another worktree.
type scannedDir struct {
	stamp   Stat     // as of the last look; zero when it may have changed since
	folders []string // directories in it
	taken   numbers  // by the names of the documents in it
}

func newIDAllocator() *idAllocator {
	return &idAllocator{
		given: numbers{}, dirs: map[string]scannedDir{}, refs: refNumbers{time: refsTime},
		random: func(b []byte) { _, _ = rand.Read(b) },
	}
}

// numbers are the highest of some documents, by series.
type numbers map[string]int

// add counts the numbers of an id or of a file name without .md.
func (n numbers) add(ids []IDNumber) {
	for _, id := range ids {
		n[id.Series] = max(n[id.Series], id.Number)
	}
}

func (n numbers) merge(others numbers) {
	for series, number := range others {
		n[series] = max(n[series], number)
	}
}

// The presentIDs are those of the documents that a workspace has.
type presentIDs struct {
	highest   numbers
	ids       map[string]bool // in the form of FoldID
	documents int
}

// readIDs reads every document of the workspace: names and ids may differ.
func (w *Workspace) readIDs(ctx context.Context) (presentIDs, error) {
	listing, err := w.List(ctx)
	present := presentIDs{numbers{}, map[string]bool{}, len(listing.Files)}
	for _, f := range listing.Files {
		present.highest.add(w.IDNumbers(f.Collection.Type, Stem(f.Path)))
		if doc, _, err := w.Load(f.Path); err == nil {
			present.highest.add(w.IDNumbers(f.Collection.Type, doc.ID))
			present.ids[FoldID(doc.ID)] = true
		}
	}
	return present, err
}

// floor is that of CreateOptions.
func (p presentIDs) floor(series string) (int, error) { return p.highest[series], nil }

// taken is that of CreateOptions.
func (p presentIDs) taken(id string) (bool, int, error) { return p.ids[FoldID(id)], p.documents, nil }

// inWorktrees returns the highest number of a series that the documents in the repository's
// other worktrees have by their names, or that was given out there. A directory that has not
// changed is not listed again, so that the cost is that of describing a few directories. What
// cannot be read there is not ours to complain about.
func (s *idAllocator) inWorktrees(w *Workspace, series string) (highest int) {
	for _, root := range git.OtherWorktrees(w.Root) {
		handle, err := os.OpenRoot(root)
		if err != nil {
			continue
		}
		other := &Workspace{Root: root, Collections: w.Collections, Layout: w.Layout, root: handle}
		if data, _, err := other.Read(path.Join(CacheDir, idsFile)); err == nil {
			highest = max(highest, w.parseGiven(data)[series])
		}
		for _, c := range other.Collections {
			highest = max(highest, s.scanDir(other, c, c.Dir, series))
		}
		closeQuietly(other)
	}
	return highest
}

// settleTime is how old a directory's time must be to prove that nothing
// changed since: file systems count time in steps of up to two seconds.
const settleTime = 3 * time.Second

// scanDir returns the highest number of a series in a directory and those below.
func (s *idAllocator) scanDir(w *Workspace, c Collection, dir, series string) (highest int) {
	f, err := w.openDir(dir)
	if err != nil {
		return 0
	}
	defer closeQuietly(f)
	info, err := f.Stat()
	if err != nil || !info.IsDir() {
		return 0
	}
	d, stamp := s.dirs[w.Absolute(dir)], StatOf(info)
	if d.stamp != stamp {
		names, err := f.Readdirnames(-1)
		if err != nil {
			return 0
		}
		d = scannedDir{taken: numbers{}}
		for _, name := range names {
			p := path.Join(dir, name)
			if documentName(name) {
				d.taken.add(w.IDNumbers(c.Type, Stem(name)))
			} else if info, err := w.root.Lstat(p); err == nil && info.IsDir() && name[0] != '.' {
				d.folders = append(d.folders, p)
			}
		}
		if time.Since(info.ModTime()) > settleTime {
			d.stamp = stamp
		}
		s.dirs[w.Absolute(dir)] = d
	}
	highest = d.taken[series]
	for _, folder := range d.folders {
		highest = max(highest, s.scanDir(w, c, folder, series))
	}
	return highest
}
