package store

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// A directory is a folder that is being walked.
type directory struct {
	path       string
	collection Collection
}

// An entry is a name in a directory, and what it leads to.
type entry struct {
	name string
	mode fs.FileMode // fs.ModeIrregular when it vanished or leads nowhere
	stat Stat
	err  error
}

// in is the path of a name in a directory.
func (d directory) in(name string) string {
	if d.path == "." {
		return name
	}
	return d.path + "/" + name
}

// readDir describes what is in a directory, in no order; of hidden files it has the names only.
func (w *Workspace) readDir(d directory) ([]entry, error) {
	f, err := w.openDir(d.path)
	if err != nil {
		return nil, err
	}
	defer closeQuietly(f)
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		if w.isCollection(d.path) {
			return nil, errors.New("is not a directory")
		}
		return nil, fs.ErrNotExist
	}
	// Names only: os.File.ReadDir would describe each below an os.Root, one after the other.
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, at("list", d.path, err)
	}
	entries := make([]entry, len(names))
	parallel(len(names), func(i int) {
		if entries[i].name = names[i]; names[i][0] != '.' {
			w.describe(d, f, &entries[i])
		}
	})
	return entries, nil
}

// describe fills in what e leads to.
func (w *Workspace) describe(d directory, f *os.File, e *entry) {
	e.mode = fs.ModeIrregular
	st, mode, err := lstatAt(f, e.name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // gone since
		return
	case err == nil && mode&fs.ModeSymlink != 0:
		var info fs.FileInfo
		if info, err = w.follow(d.in(e.name)); err == nil {
			st, mode = StatAt(w.Root, d.in(e.name), info), info.Mode()
			st.Symlink = true
		}
	}
	e.stat, e.err = st, err
	if err == nil {
		e.mode = mode
	}
}

// workers is how many goroutines share work on files. At least two: describing
// files waits for the disk.
var workers = max(2, runtime.GOMAXPROCS(0))

// share is how many calls a goroutine makes at a time.
const share = 64

// parallel calls f for 0 to n-1 from a few goroutines.
func parallel(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min((n+share-1)/share, workers) {
		wg.Go(func() {
			for end := int(next.Add(share)); end-share < n; end = int(next.Add(share)) {
				for i := end - share; i < min(end, n); i++ {
					f(i)
				}
			}
		})
	}
	wg.Wait()
}
