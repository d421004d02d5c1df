package mirror

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// CacheDir is where the program keeps what is its own in a mirror.
const CacheDir = ".wrangler/cache"

// unfinished is the temporary file that each file is written to before it gets its name.
const unfinished = CacheDir + "/mirror.tmp"

// Others of the machine have no rights to what a team has published.
const (
	folderPerm = 0o700
	filePerm   = 0o600
)

// An UnsafeError says why a version is not written: it has no place in a mirror. It completes "it …".
type UnsafeError string

func (e UnsafeError) Error() string { return "it " + string(e) }

// A CopyWriter writes a mirror. One goroutine uses it at a time, and one process, which the caller
// sees to. Nothing is synced to the disk, since a mirror can be had again.
type CopyWriter struct {
	root      *os.Root
	manifests map[Branch]Manifest
	marked    bool // the marker is that of the manifests
}

// Make makes an empty mirror in a folder, unless there is one. A folder with anything else is
// refused.
func Make(dir string) error {
	root, err := openFolder(dir)
	if err != nil {
		return err
	}
	return errors.Join(makeIn(root, dir), root.Close())
}

func makeIn(root *os.Root, dir string) error {
	_, err := root.Lstat(Marker)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := checkEmpty(root, dir); err != nil {
		return err
	}
	return (&CopyWriter{root: root}).Mark()
}

func openFolder(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, folderPerm); err != nil {
		return nil, fmt.Errorf("make the folder of a mirror: %w", err)
	}
	return os.OpenRoot(dir)
}

// checkEmpty refuses a folder in which a mirror would be among other files.
func checkEmpty(root *os.Root, dir string) error {
	for _, allowed := range []struct{ folder, name string }{{".", ".wrangler"}, {".wrangler", path.Base(CacheDir)}} {
		entries, err := fs.ReadDir(root.FS(), allowed.folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if e.Name() != allowed.name {
				return fmt.Errorf("make a mirror in %s: it has other files, such as %s: "+
					"name a folder that is empty or missing", dir, e.Name())
			}
		}
	}
	return nil
}

// NewCopyWriter returns the writer of the mirror in a folder, which is made unless it is there. It
// writes the marker where a writer was killed before it did.
func NewCopyWriter(dir string) (*CopyWriter, error) {
	root, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	w := &CopyWriter{root: root, manifests: map[Branch]Manifest{}}
	if err := errors.Join(makeIn(root, dir), w.read()); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return w, nil
}

// read reads the manifests that the mirror has.
func (w *CopyWriter) read() error {
	marker, err := w.root.ReadFile(Marker)
	if err != nil {
		return err
	}
	if err := CheckMarker(marker); errors.Is(err, ErrFormat) {
		return err
	}
	branches, err := ReadBranches(w.root) // a branch that is left out is published, and written, again
	if err != nil {
		return err
	}
	for _, b := range branches {
		w.manifests[b.Branch] = b.Manifest
	}
	return w.Mark()
}

// Close ends the writing.
func (w *CopyWriter) Close() error { return w.root.Close() }

// Put writes a file of a branch, whole or not at all, if it is not there. What is in its way goes.
// p is slash-separated, from the root of the workspace. Errors: UnsafeError for a path without a place
// in a mirror, ParseManifest's for ManifestPath, and those of the file system.
func (w *CopyWriter) Put(b Branch, p string, data []byte) error {
	if err := checkPlace(b, p); err != nil {
		return err
	}
	var m Manifest
	if p == ManifestPath {
		var err error
		if m, err = ParseManifest(data); err != nil {
			return UnsafeError("is no manifest: " + err.Error())
		}
	}
	err := w.write(b.String()+"/"+p, data)
	if err == nil && p == ManifestPath {
		w.manifests[b], w.marked = m, false
	}
	return err
}

// checkPlace refuses what can be no file of a branch.
func checkPlace(b Branch, p string) error {
	switch {
	case !IsName(b.Workspace) || !IsName(b.Name):
		return UnsafeError("is of no line that could be")
	case p == ManifestPath:
		return nil
	case !isPath(p):
		return UnsafeError("has an unsafe path")
	case !strings.EqualFold(path.Ext(p), ".md"):
		return UnsafeError("is neither a document nor a manifest")
	}
	return nil
}

// write writes a file by way of another one, unless it is there.
func (w *CopyWriter) write(name string, data []byte) error {
	if err := errors.Join(w.clearWay(unfinished), w.clearWay(name)); err != nil {
		return err
	}
	if info, err := w.root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(data)) {
		if now, err := w.root.ReadFile(name); err == nil && bytes.Equal(now, data) {
			return nil
		}
	}
	if err := w.root.WriteFile(unfinished, data, filePerm); err != nil {
		return err
	}
	return w.root.Rename(unfinished, name)
}

// clearWay makes the folders that a file lies in, and removes what is in its place or in theirs:
// links, files and folders.
func (w *CopyWriter) clearWay(name string) error {
	for i, c := range name {
		if c != '/' {
			continue
		}
		if info, err := w.root.Lstat(name[:i]); err == nil && !info.IsDir() {
			if err := w.root.Remove(name[:i]); err != nil {
				return err
			}
		}
	}
	if err := w.root.MkdirAll(path.Dir(name), folderPerm); err != nil {
		return err
	}
	if info, err := w.root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return w.root.RemoveAll(name)
	}
	return nil
}

// isFolder reports whether a folder is there, and neither it nor one above it is a link.
func (w *CopyWriter) isFolder(name string) bool {
	if name == "." {
		return true
	}
	info, err := w.root.Lstat(name)
	return err == nil && info.IsDir() && w.isFolder(path.Dir(name))
}

// Delete removes a file of a branch, if it is there.
func (w *CopyWriter) Delete(b Branch, p string) error {
	if err := checkPlace(b, p); err != nil {
		return err
	}
	return w.Discard(b, p)
}

// Discard removes whatever Files has named, and the folders that become empty: a branch without
// files has no folder.
func (w *CopyWriter) Discard(b Branch, p string) error {
	name := b.String() + "/" + p
	if p == ManifestPath {
		w.forget(b)
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
	for folder := path.Dir(name); err == nil && folder != "." && w.root.Remove(folder) == nil; {
		folder = path.Dir(folder)
	}
	return err
}

// Remove removes all of a branch.
func (w *CopyWriter) Remove(b Branch) error {
	w.forget(b)
	return w.root.RemoveAll(b.String())
}

func (w *CopyWriter) forget(b Branch) {
	delete(w.manifests, b)
	w.marked = false
}

// Check finds out whether the mirror can be written at all.
func (w *CopyWriter) Check() error {
	if err := w.clearWay(unfinished); err != nil {
		return err
	}
	return w.root.WriteFile(unfinished, []byte(Marker), filePerm)
}

// Mark writes the marker if manifests have changed: readers look at it alone.
func (w *CopyWriter) Mark() error {
	if w.marked {
		return nil
	}
	marker, err := MarkerBytes(w.manifests)
	if err == nil {
		err = w.write(Marker, marker)
	}
	w.marked = err == nil
	return err
}

// Holds reports whether a path is that of a document by the branch's manifest; known is false
// while there is none.
func (w *CopyWriter) Holds(b Branch, p string) (held, known bool) {
	m, known := w.manifests[b]
	return known && (p == ManifestPath || m.Holds(p)), known
}

// Branches returns the branches that have a folder in the mirror.
func (w *CopyWriter) Branches() ([]Branch, error) { return branchFolders(w.root) }

// A MirroredFile is a file of a branch.
type MirroredFile struct {
	Path     string
	Size     int64             // bytes
	Sum      [sha256.Size]byte // the SHA-256 of its bytes
	Readable bool              // false for what is no file that can be read: it has neither size nor sum
}

// Files calls visit with each file of a branch.
func (w *CopyWriter) Files(b Branch, visit func(f MirroredFile)) error {
	top := b.String()
	if info, err := w.root.Lstat(top); err != nil || !info.IsDir() {
		if err == nil {
			err = w.root.Remove(top) // a link to elsewhere
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return fs.WalkDir(w.root.FS(), top, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		found := MirroredFile{Path: strings.TrimPrefix(name, top+"/")}
		if e.Type().IsRegular() {
			found.Sum, found.Size, err = w.sum(name)
			found.Readable = err == nil
		}
		visit(found)
		return nil
	})
}

func (w *CopyWriter) sum(name string) (sum [sha256.Size]byte, size int64, err error) {
	f, err := w.root.Open(name)
	if err != nil {
		return sum, 0, err
	}
	hash := sha256.New()
	size, err = io.Copy(hash, f)
	return [sha256.Size]byte(hash.Sum(nil)), size, errors.Join(err, f.Close())
}

// Size is how many bytes the file of a document has, -1 for no file.
func (w *CopyWriter) Size(b Branch, p string) int64 {
	info, err := w.root.Lstat(b.String() + "/" + p)
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}
