//go:build !linux && !darwin

package store

import (
	"io/fs"
	"os"
	"path/filepath"
)

// syncDirectory has no counterpart on some of these systems.
func syncDirectory(*os.File) error { return nil }

// attributesOf gives the mode only.
func attributesOf(f *os.File) (attributes, error) {
	info, err := f.Stat()
	if err != nil {
		return attributes{}, err
	}
	return attributes{mode: info.Mode().Perm(), uid: -1, gid: -1}, nil
}

func (f rootFile) setXattr(xattr) error { return nil }

// lstatAt describes a name in an open directory.
func lstatAt(dir *os.File, name string) (Stat, fs.FileMode, error) {
	info, err := os.Lstat(filepath.Join(dir.Name(), name))
	if err != nil {
		return Stat{}, 0, err
	}
	return StatAt(dir.Name(), name, info), info.Mode(), nil
}

// StatOf is what info says of a file. On Windows StatAt and statOpen know more.
func StatOf(info fs.FileInfo) Stat {
	return Stat{Size: info.Size(), Mtime: info.ModTime().UnixNano()}
}

// bornAt is 0: this system does not tell when a file was made.
func bornAt(*os.File, fs.FileInfo) int64 { return 0 }
