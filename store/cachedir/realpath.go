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
