package index

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"issues-index/store"
)

// A watchError says that a folder cannot be watched.
type watchError struct {
	dir string
	err error
}

func (e *watchError) Error() string { return fmt.Sprintf("watch %s: %v", e.dir, e.err) }
func (e *watchError) Unwrap() error { return e.err }

// chains are the collections and the folders above them, up to the root.
func chains(ws *store.Workspace) []string {
	var dirs []string
	for _, c := range ws.Collections {
		for dir := c.Dir; !slices.Contains(dirs, dir); dir = path.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// watchChains watches the folders that lead to the collections, so that one that
// comes, goes or is replaced is noticed.
func (w *watcher) watchChains() error {
	for _, dir := range chains(w.ws) {
		if err := w.watch(dir); err != nil {
			return err
		}
	}
	return nil
}

// checkChains gives the watcher up when another folder stands in the place of one
// that leads to a collection: no event tells of what is mounted there, or no more.
func (w *watcher) checkChains() {
	for _, dir := range chains(w.ws) {
		w.mu.Lock()
		was, watched := w.dirs[dir]
		w.mu.Unlock()
		if !watched {
			continue
		}
		if now, err := w.folderAt(dir); err != nil || now != was {
			w.fail(fmt.Errorf("%w: %s is another folder now", errWatchBroken, dir))
			return
		}
	}
}

// exhausted are the errors that say the system grants no more watches. Any other
// says something of the one folder: that it is gone, a file by now, or closed to
// us, and then it cannot be listed either.
var exhausted = []error{syscall.ENOSPC, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}

// watch adds one folder; a folder that is not there is no error. One that is watched
// by another name, which it still has, stays so: the system has one watch for both,
// and would take it away when either name goes.
func (w *watcher) watch(dir string) error {
	w.adding.Lock()
	defer w.adding.Unlock()
	found, err := w.folderAt(dir)
	w.mu.Lock()
	was, watched := w.dirs[dir]
	w.mu.Unlock()
	if watched && (err != nil || was == found) {
		return nil // of one that is gone, an event will tell
	}
	if watched { // something was mounted there, or is no more
		w.drop(dir)
	}
	w.followLink(dir)
	if err == nil {
		if w.watchedAs(found) != "" {
			return nil
		}
		err = w.fs.Add(w.absolute(dir))
	}
	for _, limit := range exhausted {
		if errors.Is(err, limit) {
			return &watchError{dir, err}
		}
	}
	if errors.Is(err, fsnotify.ErrClosed) {
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	if err != nil {
		return nil
	}
	if now, err := w.folderAt(dir); err != nil || now != found {
		// Another took its place meanwhile. The next scan will watch that.
		w.forget(dir)
		w.noteFolders()
		return nil
	}
	w.mu.Lock()
	w.dirs[dir], w.names[found] = found, dir
	w.mu.Unlock()
	return nil
}

// A folder is what the system watches, whatever its name.
type folder struct{ device, inode uint64 }

func (w *watcher) folderAt(dir string) (folder, error) {
	info, err := os.Stat(w.absolute(dir))
	if err != nil {
		return folder{}, err
	}
	stat := store.StatOf(info)
	return folder{stat.Device, stat.Inode}, nil
}

// watchedAs returns the name by which a folder is watched, "" when it is not. The
// watch that it got under a name that it has no more is dropped. Else the event that
// says so, which may still be under way, would take the watch away from a new name.
func (w *watcher) watchedAs(found folder) string {
	w.mu.Lock()
	name, known := w.names[found]
	w.mu.Unlock()
	if !known {
		return ""
	}
	if now, err := w.folderAt(name); err == nil && now == found {
		return name
	}
	w.drop(name)
	w.noteFolders()
	return ""
}

// covers reports whether what happens in a folder is reported, by whatever name.
func (w *watcher) covers(dir string) bool {
	if w.watches(dir) {
		return true
	}
	found, err := w.folderAt(dir)
	w.mu.Lock()
	defer w.mu.Unlock()
	_, watched := w.names[found]
	return err == nil && watched
}

// noteListed keeps by which names the folders were listed.
func (w *watcher) noteListed(folders store.Folders) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listed = folders
}

// watches reports whether a folder is watched.
func (w *watcher) watches(dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, watched := w.dirs[dir]
	return watched
}

// unwatch drops a folder and all below it, before a folder of the same name,
// or the same folder under another name, is watched anew.
func (w *watcher) unwatch(dir string) {
	w.adding.Lock()
	defer w.adding.Unlock()
	w.drop(dir)
}

// drop is unwatch for who holds adding.
func (w *watcher) drop(dir string) {
	w.mu.Lock()
	var gone []string
	for known, was := range w.dirs {
		if known == dir || strings.HasPrefix(known, dir+"/") {
			gone = append(gone, known)
			delete(w.dirs, known)
			if w.names[was] == known {
				delete(w.names, was)
			}
		}
	}
	w.mu.Unlock()
	for _, known := range gone {
		w.forget(known)
	}
}

// forget takes a folder's watch away.
func (w *watcher) forget(dir string) {
	if err := w.fs.Remove(w.absolute(dir)); err != nil && !errors.Is(err, fsnotify.ErrNonExistentWatch) {
		w.log.Debug("drop a watch", "dir", dir, "error", err)
	}
}

func (w *watcher) absolute(dir string) string {
	return filepath.Join(w.ws.Root, filepath.FromSlash(dir))
}
