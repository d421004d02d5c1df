package cachedir

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// RealPath is path with its symbolic links resolved. The error of links that lead in a
// circle is the system's, syscall.ELOOP, where package filepath has words of its own.
func RealPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	var located *fs.PathError
	if err != nil && !errors.As(err, &located) {
		err = &fs.PathError{Op: "resolve", Path: path, Err: syscall.ELOOP}
	}
	return real, err
}

// Ancestor returns the nearest directory, from dir upwards, that fits.
func Ancestor(dir string, fits func(dir string) bool) (string, bool) {
	for !fits(dir) {
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
	return dir, true
}

// Inside reports whether p is dir or lies in it. Both are absolute and clean.
func Inside(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && filepath.IsLocal(rel)
}
