package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// A watch tells when a file may have changed, be it written, replaced, made
// after all, or reached by other symbolic links than before. It watches the
// folders whose entries decide that, and only these entries count.
type watch struct {
	file file
	fs   *fsnotify.Watcher
	err  error // why not everything is watched
	seen chan struct{}

	mu      sync.Mutex
	folders map[string]os.FileInfo
	entries map[string]bool // whole paths
}

func newWatch(f file, start func() (*fsnotify.Watcher, error)) *watch {
	w := &watch{file: f, seen: make(chan struct{}, 1), folders: map[string]os.FileInfo{}}
	if f.path == "" {
		return w
	}
	if w.fs, w.err = start(); w.err != nil {
		return w
	}
	w.renew()
	go w.listen()
	return w
}

func (w *watch) close() {
	if w.fs != nil {
		_ = w.fs.Close() // nothing is lost with a watch
	}
}

// changed gets a value after one or several events.
func (w *watch) changed() <-chan struct{} { return w.seen }

// listen ends when the watch is closed.
func (w *watch) listen() {
	events, failures := w.fs.Events, w.fs.Errors
	for events != nil || failures != nil {
		select {
		case event, open := <-events:
			if !open {
				events = nil
			} else if w.counts(event.Name) {
				w.notify()
			}
		case _, open := <-failures:
			if !open {
				failures = nil
			} else {
				w.notify() // events may have been lost
			}
		}
	}
}

func (w *watch) notify() {
	select {
	case w.seen <- struct{}{}:
	default: // one is waiting already
	}
}

func (w *watch) counts(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, folder := w.folders[name]
	return folder || w.entries[name]
}

// renew watches what decides now. What is changed after it returns is told.
func (w *watch) renew() {
	if w.fs == nil {
		return
	}
	for range 8 { // until nothing moved between looking and watching
		folders, entries := trail(w.file)
		if w.watchAll(folders, entries) {
			return
		}
	}
}

// watchAll makes these the watched folders; true if they were already.
func (w *watch) watchAll(folders map[string]os.FileInfo, entries map[string]bool) (same bool) {
	w.mu.Lock()
	old := w.folders
	w.folders, w.entries = folders, entries
	w.mu.Unlock()
	same, w.err = true, nil
	for dir, was := range old {
		if now, still := folders[dir]; !still || !os.SameFile(was, now) {
			_ = w.fs.Remove(dir) // it may be gone, and its watch with it
		}
	}
	for dir, now := range folders {
		if was, watched := old[dir]; watched && os.SameFile(was, now) {
			continue
		}
		same = false
		if err := w.fs.Add(dir); err != nil {
			w.err = errors.Join(w.err, err)
			w.mu.Lock()
			delete(w.folders, dir)
			w.mu.Unlock()
		}
	}
	return same || w.err != nil
}

// trail follows a path to its file, and returns the folders and their entries
// that decide what is found there: the file itself, what is missing, symbolic
// links, and, in a workspace, every folder on the way from its root.
func trail(f file) (folders map[string]os.FileInfo, entries map[string]bool) {
	folders, entries = map[string]os.FileInfo{}, map[string]bool{}
	path := f.path
	root, err := filepath.EvalSymlinks(f.root)
	if err != nil {
		root = f.root
	}
	for range 40 { // links
		next := follow(path, func(dir, entry string, matters bool) {
			if !matters && (f.root == "" || !below(root, dir)) {
				return
			}
			if info, err := os.Stat(dir); err == nil {
				folders[dir], entries[entry] = info, true
			}
		})
		if next == "" {
			break
		}
		path = next
	}
	return folders, entries
}

// follow goes down a path to its end, or to the first symbolic link, and then
// returns where that leads. It visits each step; one matters by itself when it is
// the last, or a link.
func follow(path string, visit func(dir, entry string, matters bool)) (next string) {
	separator := string(filepath.Separator)
	dir := filepath.VolumeName(path) + separator
	steps := strings.Split(strings.TrimPrefix(filepath.Clean(path), dir), separator)
	for i, step := range steps {
		entry := filepath.Join(dir, step)
		info, err := os.Lstat(entry)
		if err != nil {
			visit(dir, entry, true)
			return ""
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			visit(dir, entry, true)
			target, err := os.Readlink(entry)
			if err != nil {
				return ""
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(dir, target)
			}
			return filepath.Join(append([]string{target}, steps[i+1:]...)...)
		}
		visit(dir, entry, i == len(steps)-1)
		dir = entry
	}
	return ""
}

// below reports whether dir is root or in it.
func below(root, dir string) bool {
	within, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(within)
}
