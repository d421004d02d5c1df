package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"issues-index/store/cachedir"
)

// A directory is one that is being walked.
type directory struct {
	path       string
	collection Collection

	handle *os.File // nil when there is nothing to walk
	shares []*share
	err    error
}

// A share is some of the names in a directory, and what they lead to.
type share struct {
	d         *directory
	names     []string
	temporary []string // names of our own temporary files
	files     []File   // the documents
	others    []entry  // all else that is not hidden
}

// shareSize is how many names one worker describes at a time.
const shareSize = 256

// An entry is a name in a directory, and what it leads to.
type entry struct {
	name string
	mode fs.FileMode // fs.ModeIrregular when it vanished or leads nowhere
	stat Stat
	err  error
}

// in is the path of a name in a directory.
func (d *directory) in(name string) string {
	if d.path == "." {
		return name
	}
	return d.path + "/" + name
}

// enterDir opens d.
func (w *Workspace) enterDir(d *directory) {
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
	d.handle = f
}

// readDirs reads directories that are open, and then describes what is in them.
func (w *Workspace) readDirs(dirs []*directory) {
	parallel(len(dirs), func(i int) { dirs[i].readNames() })
	var shares []*share
	for _, d := range dirs {
		shares = append(shares, d.shares...)
	}
	parallel(len(shares), func(i int) { w.describeAll(shares[i]) })
}

// readNames reads the names in d, share by share. Names only: os.File.ReadDir
// would describe each below an os.Root, one after the other.
func (d *directory) readNames() {
	for {
		names, err := d.handle.Readdirnames(shareSize)
		if len(names) > 0 {
			d.shares = append(d.shares, &share{d: d, names: names})
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, fs.ErrNotExist) {
				d.err = at("list", d.path, err)
			}
			return
		}
	}
}

// describeAll sorts out what the names of a share lead to.
func (w *Workspace) describeAll(s *share) {
	s.files = make([]File, 0, len(s.names))
	for _, name := range s.names {
		if name[0] == '.' {
			if cachedir.IsTemporary(name) {
				s.temporary = append(s.temporary, name)
			}
			continue
		}
		e := entry{name: name}
		w.describe(s.d, &e)
		switch {
		case !e.mode.IsRegular() || e.err != nil || !utf8.ValidString(name):
			s.others = append(s.others, e)
		case documentName(name):
			s.files = append(s.files, File{s.d.in(name), s.d.collection, e.stat})
		}
	}
	s.names = nil
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

// parallel calls f for 0 to n-1 from a few goroutines.
func parallel(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, workers) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}
