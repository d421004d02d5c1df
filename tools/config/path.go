package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var errOutside = errors.New("it leads out of the workspace's cache")

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
			case r.home.stranger:
				return confine(r.home, r.text)
			case r.home.root != "" && !filepath.IsAbs(r.text):
				return filepath.Join(r.home.root, filepath.FromSlash(r.text)), nil
			}
			return r.text, nil
		},
		format: func(s string) string { return s },
	}
}

// cacheDir is the folder below a workspace that a repository's paths must lie in.
const cacheDir = ".wrangler/cache"

// confine returns the absolute path of a name that lies below the workspace's cache,
// symbolic links included, as far as it exists.
func confine(h home, name string) (string, error) {
	name = filepath.FromSlash(name)
	real, err := filepath.EvalSymlinks(h.workspace)
	if err != nil || h.workspace == "" || !filepath.IsLocal(name) {
		return "", errOutside
	}
	path := filepath.Join(h.root, name)
	cache := filepath.Join(h.workspace, filepath.FromSlash(cacheDir))
	if within, err := filepath.Rel(cache, path); err != nil || !filepath.IsLocal(within) || within == "." {
		return "", errOutside
	}
	for existing := path; ; existing = filepath.Dir(existing) {
		resolved, err := filepath.EvalSymlinks(existing)
		if errors.Is(err, fs.ErrNotExist) && !isLink(existing) && len(existing) > len(h.workspace) {
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
