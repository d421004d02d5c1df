package mirror

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// CacheDir is where the program keeps what is its own in a mirror.
const CacheDir = ".wrangler/cache"

// unfinished is the file that every other one is before it has its name.
const unfinished = CacheDir + "/mirror.tmp"

// Others of the machine have no rights to what a team has published.
const (
	folderPerm = 0o700
	filePerm   = 0o600
)

// An UnsafeError says that a version is not written: it has no place in a mirror.
type UnsafeError struct {
	Line   Line
	Path   string
	Reason string // completes "it …"
}

func (e *UnsafeError) Error() string {
	return fmt.Sprintf("%s of %s is not used: it %s", e.Path, e.Line, e.Reason)
}

// A CopyWriter writes a mirror. One goroutine uses it at a time, and one process: who has it sees
// to that. Nothing is synced to the disk, since a mirror can be had again.
type CopyWriter struct {
	root      *os.Root
	folders   map[string]bool // that are known to be there, and to be no links
	manifests map[Line]storedManifest
	marker    []byte // as it is written
}

// A storedManifest is the manifest that a line has in the mirror.
type storedManifest struct {
	Manifest
	data []byte
}

// NewCopyWriter returns the writer of the mirror in a folder, which is made unless it is there.
func NewCopyWriter(dir string) (*CopyWriter, error) {
	if err := Make(dir); err != nil {
		return nil, err
	}
	root, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	w := &CopyWriter{root: root, manifests: map[Line]storedManifest{}}
	if err := errors.Join(w.makeFolder(CacheDir), w.read()); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return w, nil
}

// read reads what the mirror has, and writes its marker where a writer was killed before it
// did.
func (w *CopyWriter) read() error {
	marker, err := w.root.ReadFile(Marker)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := CheckMarker(marker); errors.Is(err, ErrFormat) {
		return err
	}
	w.marker = marker
	lines, err := w.Lines()
	if err != nil {
		return err
	}
	for _, l := range lines {
		data, err := w.readManifest(l)
		if err != nil {
			continue // it is published, and written, again
		}
		if m, err := ParseManifest(data); err == nil {
			w.manifests[l] = storedManifest{m, data}
		}
	}
	return w.Mark()
}

func (w *CopyWriter) readManifest(l Line) ([]byte, error) {
	f, err := w.root.Open(l.String() + "/" + ManifestPath)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxManifest+1))
	return data, errors.Join(err, f.Close())
}

// Close ends the writing.
func (w *CopyWriter) Close() error { return w.root.Close() }

// Put writes a file of a line, whole or not at all. What is in its way goes. An *UnsafeError
// says that it has no place in a mirror.
func (w *CopyWriter) Put(l Line, p string, data []byte) error {
	if err := checkPlace(l, p); err != nil {
		return err
	}
	var manifest Manifest
	if p == ManifestPath {
		m, err := ParseManifest(data)
		if err != nil {
			return &UnsafeError{l, p, "is no manifest: " + err.Error()}
		}
		manifest = m
	}
	name := l.String() + "/" + p
	err := w.write(name, data)
	if errors.Is(err, fs.ErrNotExist) { // somebody has removed the folder
		w.folders = nil
		err = w.write(name, data)
	}
	if err == nil && p == ManifestPath {
		w.manifests[l] = storedManifest{manifest, slices.Clone(data)}
	}
	return err
}

// checkPlace refuses what can be no file of a line.
func checkPlace(l Line, p string) error {
	switch {
	case !IsName(l.Workspace) || !IsName(l.Name):
		return &UnsafeError{l, p, "is of no line that could be"}
	case p == ManifestPath:
		return nil
	case !isPath(p):
		return &UnsafeError{l, p, "has an unsafe path"}
	case !strings.EqualFold(path.Ext(p), ".md"):
		return &UnsafeError{l, p, "is neither a document nor a manifest"}
	}
	return nil
}

// write writes a file by way of another one.
func (w *CopyWriter) write(name string, data []byte) error {
	if err := w.makeFolder(path.Dir(name)); err != nil {
		return err
	}
	if err := w.root.Remove(unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := w.root.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if info, err := w.root.Lstat(name); err == nil && info.IsDir() {
		if err := w.removeAll(name); err != nil {
			return err
		}
	}
	return w.root.Rename(unfinished, name)
}

// makeFolder makes a folder and those above it. A link or a file in the place of one goes.
func (w *CopyWriter) makeFolder(name string) error {
	if name == "." || w.folders[name] {
		return nil
	}
	if err := w.makeFolder(path.Dir(name)); err != nil {
		return err
	}
	info, err := w.root.Lstat(name)
	if err == nil && !info.IsDir() {
		if err = w.root.Remove(name); err == nil {
			err = fs.ErrNotExist
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = w.root.Mkdir(name, folderPerm)
	}
	if err != nil {
		return err
	}
	if w.folders == nil {
		w.folders = map[string]bool{}
	}
	w.folders[name] = true
	return nil
}

// isFolder reports whether a folder is there, and neither it nor one above it is a link.
func (w *CopyWriter) isFolder(name string) bool {
	if name == "." || w.folders[name] {
		return true
	}
	info, err := w.root.Lstat(name)
	return err == nil && info.IsDir() && w.isFolder(path.Dir(name))
}

func (w *CopyWriter) removeAll(name string) error {
	maps.DeleteFunc(w.folders, func(folder string, _ bool) bool { return folder == name || strings.HasPrefix(folder, name+"/") })
	return w.root.RemoveAll(name)
}

// Delete removes a file of a line, if it is there.
func (w *CopyWriter) Delete(l Line, p string) error {
	if err := checkPlace(l, p); err != nil {
		return err
	}
	return w.Discard(l, p)
}

// Discard removes whatever Files has named.
func (w *CopyWriter) Discard(l Line, p string) error {
	name := l.String() + "/" + p
	if p == ManifestPath {
		delete(w.manifests, l)
	}
	if !w.isFolder(path.Dir(name)) {
		return nil
	}
	info, err := w.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() { // other documents are in it
		return nil
	}
	if err == nil {
		err = w.root.Remove(name)
	}
	if err == nil {
		w.prune(path.Dir(name))
	}
	return err
}

// prune removes a folder and those above it, as far as they are empty: a line of which nothing is
// left is none.
func (w *CopyWriter) prune(name string) {
	for ; name != "." && w.root.Remove(name) == nil; name = path.Dir(name) {
		delete(w.folders, name)
	}
}

// Remove removes all of a line.
func (w *CopyWriter) Remove(l Line) error {
	delete(w.manifests, l)
	return w.removeAll(l.String())
}

// Mark writes the marker if manifests have changed: readers look at it alone.
func (w *CopyWriter) Mark() error {
	manifests := make(map[Line][]byte, len(w.manifests))
	for l, m := range w.manifests {
		manifests[l] = m.data
	}
	marker, err := MarkerBytes(manifests)
	if err != nil || bytes.Equal(marker, w.marker) {
		return err
	}
	if err := w.write(Marker, marker); err != nil {
		return err
	}
	w.marker = marker
	return nil
}

// Check finds out whether the mirror can be written at all.
func (w *CopyWriter) Check() error {
	w.folders, w.marker = nil, nil
	return errors.Join(w.makeFolder(CacheDir), w.Mark())
}

// Holds reports whether a path is that of a document by the line's manifest; known is false
// while there is none.
func (w *CopyWriter) Holds(l Line, p string) (held, known bool) {
	m, known := w.manifests[l]
	return known && (p == ManifestPath || m.Holds(p)), known
}
