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

// Files calls visit with the path of each file of a line and the sum of what is in it. sound
// is false for what is no file that can be read.
func (w *CopyWriter) Files(l Line, visit func(path string, sum Sum, sound bool)) error {
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
		var sum Sum
		sound := e.Type().IsRegular()
		if sound {
			sum, err = w.sum(name)
			sound = err == nil
		}
		visit(strings.TrimPrefix(name, top+"/"), sum, sound)
		return nil
	})
}

func (w *CopyWriter) sum(name string) (sum Sum, err error) {
	f, err := w.root.Open(name)
	if err != nil {
		return sum, err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return Sum(hash.Sum(nil)), errors.Join(err, f.Close())
}
