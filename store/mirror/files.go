package mirror

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"strings"
)

// Lines returns the lines that have a folder in the mirror.
func (w *CopyWriter) Lines() ([]Line, error) {
	entries, err := fs.ReadDir(w.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var lines []Line
	for _, e := range entries {
		if l, ok := ParseLine(e.Name()); ok {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// A Sum is the SHA-256 of a file.
type Sum = [sha256.Size]byte

// A MirroredFile is a file of a line.
type MirroredFile struct {
	Path  string
	Size  int64 // bytes
	Sum   Sum
	Sound bool // false for what is no file that can be read: it has neither size nor sum
}

// Files calls visit with each file of a line.
func (w *CopyWriter) Files(l Line, visit func(f MirroredFile)) error {
	top := l.String()
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
			found.Sound = err == nil
		}
		visit(found)
		return nil
	})
}

func (w *CopyWriter) sum(name string) (sum Sum, size int64, err error) {
	f, err := w.root.Open(name)
	if err != nil {
		return sum, 0, err
	}
	hash := sha256.New()
	size, err = io.Copy(hash, f)
	return Sum(hash.Sum(nil)), size, errors.Join(err, f.Close())
}

// Size is how many bytes the file of a document has, -1 for no file.
func (w *CopyWriter) Size(l Line, p string) int64 {
	info, err := w.root.Lstat(l.String() + "/" + p)
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}
