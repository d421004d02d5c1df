//go:build !linux && !darwin

package store

import (
	"io/fs"
	"os"
	"path/filepath"
)

// lstatAt describes a name in an open directory.
func lstatAt(dir *os.File, name string) (Stat, fs.FileMode, error) {
	info, err := os.Lstat(filepath.Join(dir.Name(), name))
	if err != nil {
		return Stat{}, 0, err
	}
	return statOf(info), info.Mode(), nil
}

// A dirKey tells directories apart by their resolved path, for want of an inode.
type dirKey string

func (w *Workspace) keyOf(path string, _ fs.FileInfo) dirKey {
	real, err := w.Resolve(path)
	if err != nil {
		real = path
	}
	return dirKey(real)
}
