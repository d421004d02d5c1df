package index

import (
	"io/fs"
	"maps"
	"os"
)

// followLink notes a symbolic link and the folder it leads to. A watch is on
// what was found there once: no event tells when the same name comes to mean
// something else.
func (w *watcher) followLink(name string) {
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
func (w *watcher) linkedFolder(name string) os.FileInfo {
	info, err := os.Stat(w.absolute(name))
	if err != nil || !info.IsDir() {
		return nil
	}
	return info
}

// checkLinks looks at the links again. Where one leads to another folder now,
// or to none, all folders have to be looked at. It returns the links that lead
// to a file or to nothing.
func (w *watcher) checkLinks() (others []string) {
	w.mu.Lock()
	links := maps.Clone(w.links)
	w.mu.Unlock()
	for name, before := range links {
		now := w.linkedFolder(name)
		switch {
		case before == nil && now == nil:
			others = append(others, name)
		case before == nil || now == nil || !os.SameFile(before, now):
			w.followLink(name)
			w.unwatch(name)
			w.noteFolders()
		}
	}
	return others
}
