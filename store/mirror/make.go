package mirror

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Make makes an empty mirror in a folder, unless there is one. A folder with anything else is
// refused.
func Make(dir string) error {
	root, err := openFolder(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // each file in it was closed
	_, err = root.Lstat(Marker)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := checkEmpty(root, dir); err != nil {
		return err
	}
	w := &CopyWriter{root: root}
	if err := w.makeFolder(CacheDir); err != nil {
		return err
	}
	return w.Mark()
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
				return fmt.Errorf("make a mirror in %s: it has other files, such as %s: name a folder that is empty or missing", dir, e.Name())
			}
		}
	}
	return nil
}
