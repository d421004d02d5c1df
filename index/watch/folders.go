package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"issues-index/store"
)

// A LimitError says that the system cannot watch all folders.
type LimitError struct {
	Dir string // that could not be watched
	Err error
}

func (e *LimitError) Error() string { return fmt.Sprintf("watch %s: %v", e.Dir, e.Err) }

func (e *LimitError) Unwrap() error { return e.Err }

// chains returns the collections and the folders above them, up to the root.
func chains(ws *store.Workspace) []string {
	var dirs []string
	seen := map[string]bool{} // a mirror has thousands
	for _, c := range ws.Collections {
		for dir := c.Dir; !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// watchChains watches the folders that lead to the collections, so that a folder that
// comes, goes or is replaced is noticed.
func (w *Watcher) watchChains() error {
	for _, dir := range chains(w.ws) {
		if err := w.watch(dir); err != nil {
			return err
		}
	}
	return nil
}

// checkChains fails the watcher when a folder that leads to a collection was replaced
// by another: no event tells that something was mounted or unmounted there. In a mirror, which
// has thousands of folders, no program does that below its root: they are the program's own.
func (w *Watcher) checkChains() {
	dirs := []string{"."}
	if !w.ws.Mirror() {
		dirs = chains(w.ws)
	}
	for _, dir := range dirs {
		w.mu.Lock()
		was, known := w.dirs[dir]
		w.mu.Unlock()
		if !known {
			continue
		}
		if now, err := w.folderAt(dir); err != nil || now != was.folder {
			w.Fail(fmt.Errorf("%w: %s is another folder now", errBroken, dir))
			return
		}
	}
}

// exhausted are the errors that say the system grants no more watches. Any other
// error is about the one folder: it is gone, is a file by now, or may not be read,
// and then it cannot be listed either.
var exhausted = []error{syscall.ENOSPC, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, errElsewhere}

// errElsewhere is of a queue whose one watch does not reach a folder.
var errElsewhere = &UnprovenError{errors.New("what is behind a link cannot be watched here")}

// watch adds one folder; a missing folder is no error. A folder that is already watched
// under another name, which it still has, is a LimitError: the system has one watch for both
// names, and tells of one of them alone.
func (w *Watcher) watch(dir string) error {
	w.adding.Lock()
	defer w.adding.Unlock()
	found, err := w.folderAt(dir)
	w.mu.Lock()
	was, known := w.dirs[dir]
	w.mu.Unlock()
	if known && (err != nil || was.folder == found) {
		return nil // of a folder that is gone, an event will tell
	}
	if known { // something was mounted there, or is no more
		w.drop(dir)
	}
	w.FollowLink(dir)
	if err != nil {
		return nil
	}
	other, err := w.add(dir, found)
	if other != "" {
		if now, err := w.folderAt(other); err == nil && now == found {
			return &LimitError{dir, fmt.Errorf("the folder is %s, too", other)}
		}
		// The event about the lost name may still come, and would drop this watch.
		w.drop(other)
		w.noteFolders()
		_, err = w.add(dir, found)
	}
	for _, limit := range exhausted {
		if errors.Is(err, limit) {
			return &LimitError{dir, err}
		}
	}
	if errors.Is(err, fs.ErrClosed) {
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	if err != nil {
		return nil
	}
	if now, err := w.folderAt(dir); err != nil || now != found {
		// Another took its place meanwhile. The next scan will watch that.
		w.drop(dir)
		w.noteFolders()
	}
	return nil
}

// add watches a folder, unless it is watched by another name, which it returns. Events of the
// new watch are handled no sooner than it is known.
func (w *Watcher) add(dir string, found folder) (other string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	watch, err := w.queue.add(w.absolute(dir))
	if err != nil {
		return "", err
	}
	if other, known := w.names[watch]; known {
		return other, nil
	}
	w.dirs[dir], w.names[watch] = watched{found, watch}, dir
	return "", nil
}

// A watched folder has one watch, by whatever of its names.
type watched struct {
	folder
	watch int32
}

// A folder identifies a folder, whatever its name.
type folder struct{ device, inode uint64 }

func (w *Watcher) folderAt(dir string) (folder, error) {
	info, err := os.Stat(w.absolute(dir))
	if err != nil {
		return folder{}, err
	}
	stat := store.StatOf(info)
	return folder{stat.Device, stat.Inode}, nil
}

// watches reports whether a folder is watched.
func (w *Watcher) watches(dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, known := w.dirs[dir]
	return known
}

// unwatch drops a folder and all below it, before a folder of the same name,
// or the same folder under another name, is watched anew.
func (w *Watcher) unwatch(dir string) {
	w.adding.Lock()
	defer w.adding.Unlock()
	w.drop(dir)
}

// drop is unwatch; the caller holds w.adding.
func (w *Watcher) drop(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, known := range w.dirs {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			delete(w.dirs, name)
			delete(w.names, known.watch)
			w.queue.remove(known.watch)
		}
	}
}

func (w *Watcher) absolute(dir string) string {
	return filepath.Join(w.ws.Root, filepath.FromSlash(dir))
}

// FollowLink notes a symbolic link and the folder it leads to. A watch is on
// what was found there once: no event tells when the same name comes to mean
// something else.
func (w *Watcher) FollowLink(name string) {
	path := w.absolute(name)
	link, err := os.Lstat(path)
	isLink := err == nil && link.Mode()&fs.ModeSymlink != 0
	folder := w.linkedFolder(name)
	w.mu.Lock()
	defer w.mu.Unlock()
	if isLink {
		w.links[name] = folder
	} else {
		delete(w.links, name)
	}
}

// linkedFolder describes the folder that a name leads to, nil for a file or nothing.
func (w *Watcher) linkedFolder(name string) os.FileInfo {
	info, err := os.Stat(w.absolute(name))
	if err != nil || !info.IsDir() {
		return nil
	}
	return info
}

// CheckLinks looks at the links again. Where one leads to another folder now,
// or to none, all folders have to be looked at. It returns the links that lead
// to a file or to nothing.
func (w *Watcher) CheckLinks() (others []string) {
	w.mu.Lock()
	links := maps.Clone(w.links)
	w.mu.Unlock()
	for name, before := range links {
		now := w.linkedFolder(name)
		switch {
		case before == nil && now == nil:
			others = append(others, name)
		case before == nil || now == nil || !os.SameFile(before, now):
			w.FollowLink(name)
			w.unwatch(name)
			w.noteFolders()
		}
	}
	return others
}

// List lists all documents, in no order, and watches each folder before it lists it.
func (w *Watcher) List(ctx context.Context) (store.Listing, error) {
	if err := w.watchChains(); err != nil {
		return store.Listing{}, err
	}
	tried := map[string]bool{}
	for {
		listing, err := w.ws.ListEach(ctx, w.watch)
		if err != nil {
			return store.Listing{}, err
		}
		for _, problem := range listing.Problems {
			w.FollowLink(problem.Path)
		}
		again := false
		for _, dir := range listing.Dirs {
			if w.watches(dir) || tried[dir] {
				continue
			}
			tried[dir], again = true, true // listed before it was watched
			if err := w.watch(dir); err != nil {
				return store.Listing{}, err
			}
		}
		if !again {
			return listing, nil
		}
	}
}
