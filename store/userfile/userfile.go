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

	"issues-index/store/cachedir"
)

// Replace writes a file. Its folder is made where it is missing; no other user may look into a
// new file or folder. Errors name the path.
func Replace(path string, data []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return errors.New(path + " is a link that leads nowhere: delete it or make its target")
		}
		target, err = path, nil
	}
	if err != nil {
		return fmt.Errorf("find %s: %w", path, err)
	}
	dir, err := cachedir.Open(filepath.Dir(target), 0)
	if err != nil {
		return fmt.Errorf("make the folder of %s: %w", path, err)
	}
	if err := errors.Join(dir.ReplaceDurably(filepath.Base(target), data), dir.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
