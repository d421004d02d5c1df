// Package userfile replaces files that are not a workspace's own, such as the configuration of a
// program, or the file that git hands to a merge driver.
//
// It knows nothing of what is in them. Its invariants: a file is replaced as a whole, durably,
// or not at all; a link to it goes on leading to it; its mode stays.
package userfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a file. Its folder is made where it is missing; nobody else may look into a
// new file or folder. Errors name the path.
func Replace(path string, data []byte) (err error) {
	target, mode := path, fs.FileMode(0o600)
	info, err := os.Stat(path)
	switch {
	case err == nil:
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return fmt.Errorf("find %s: %w", path, err)
		}
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("find %s: %w", path, err)
	default:
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return fmt.Errorf("make the folder of %s: %w", path, err)
		}
	}
	temporary, err := os.CreateTemp(filepath.Dir(target), ".config-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // it is gone when all went well
	_, err = temporary.Write(data)
	if err = errors.Join(err, temporary.Chmod(mode), temporary.Sync(), temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), target)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
