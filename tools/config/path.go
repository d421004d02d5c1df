package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var errOutside = errors.New("it leads out of the workspace, which a file that comes with the workspace may not; a file named with --config, or the environment, may")

// inMemory is the index's own word for no file at all.
const inMemory = ":memory:"

// place is the path of a file or a folder.
func place() kind[string] {
	return kind[string]{
		allowed: "a path",
		parse: func(r raw) (string, error) {
			switch {
			case r.text == inMemory:
				return r.text, nil
			case r.text == "" || strings.ContainsRune(r.text, 0):
				return "", errNot
			case r.home.confined:
				return confine(r.home.root, r.text)
			case r.home.root != "" && !filepath.IsAbs(r.text):
				return filepath.Join(r.home.root, filepath.FromSlash(r.text)), nil
			}
			return r.text, nil
		},
		format: func(s string) string { return s },
	}
}

// confine returns the absolute path of a name that stays below root, symbolic
// links included, as far as it exists.
func confine(root, name string) (string, error) {
	name = filepath.FromSlash(name)
	if !filepath.IsLocal(name) {
		return "", errOutside
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", errOutside
	}
	path := filepath.Join(root, name)
	for existing := path; ; existing = filepath.Dir(existing) {
		resolved, err := filepath.EvalSymlinks(existing)
		if errors.Is(err, fs.ErrNotExist) && !isLink(existing) && len(existing) > len(root) {
			continue
		}
		if err != nil {
			return "", errOutside
		}
		if within, err := filepath.Rel(real, resolved); err != nil || !filepath.IsLocal(within) {
			return "", errOutside
		}
		return path, nil
	}
}

// isLink reports whether there is a symbolic link; one that leads nowhere is
// none that something may be made at.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
