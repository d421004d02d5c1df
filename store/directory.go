package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"
)

// A directory is a folder that is being walked.
type directory struct {
	path       string
	collection *Collection
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

// A dirPart is what some names of a directory lead to.
type dirPart struct {
	files  []File  // documents
	others []entry // all else; of hidden files it has the names only
}

// readDir describes what is in a directory, in no order.
func (w *Workspace) readDir(d directory) ([]dirPart, error) {
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
	var mu sync.Mutex // for what follows, and for reading names
	var parts []dirPart
	var failed error
	next := func(done *dirPart) []string {
		mu.Lock()
		defer mu.Unlock()
		if done != nil {
			parts = append(parts, *done)
		}
		// Names only: os.File.ReadDir would describe each below an os.Root, one after the other.
		names, err := f.Readdirnames(share)
		if err != nil && !errors.Is(err, io.EOF) {
			failed = at("list", d.path, err)
		}
		return names
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for names := next(nil); len(names) > 0; {
				part := w.describeAll(d, f, names)
				names = next(&part)
			}
		})
	}
	wg.Wait()
	return parts, failed
}

// describeAll describes what is at some names of a directory.
func (w *Workspace) describeAll(d directory, f *os.File, names []string) dirPart {
	part := dirPart{files: make([]File, 0, len(names))}
	for _, name := range names {
		e := entry{name: name}
		hidden := name[0] == '.'
		if !hidden {
			w.describe(d, f, &e)
		}
		if !hidden && e.err == nil && e.mode.IsRegular() && documentName(name) && utf8.ValidString(name) {
			part.files = append(part.files, File{d.in(name), d.collection, e.stat})
		} else {
			part.others = append(part.others, e)
		}
	}
	return part
}

// describe fills in what e leads to.
func (w *Workspace) describe(d directory, f *os.File, e *entry) {
	e.mode = fs.ModeIrregular
	if runtime.GOOS == "windows" && !isNameOnWindows(e.name) {
		e.err = errNoName
		return
	}
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

// errNoName says of a name that another system made why nothing can be done with it.
var errNoName = errors.New("is a name that Windows cannot open: rename it on the system that made it")

// isNameOnWindows reports whether programs on Windows can open a file of a name: they take some for
// devices, and ignore dots and blanks at the end.
func isNameOnWindows(name string) bool {
	return filepath.IsLocal(name) && !strings.ContainsAny(name, `<>:"|?*`) && strings.TrimRight(name, ". ") == name
}

// workers is how many goroutines share work on files. At least two: describing
// files waits for the disk.
var workers = max(2, runtime.GOMAXPROCS(0))

// share is how many names a goroutine reads and describes at a time.
const share = 256
