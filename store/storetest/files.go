// Package storetest has what the tests of several packages do with a workspace's files.
package storetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store/cachedir"
)

// WriteFiles makes files below root, by slash-separated path.
func WriteFiles(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// RealDir returns dir with its symbolic links resolved, as Workspace.Root spells it.
func RealDir(t testing.TB, dir string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// Tree is everything below root by slash-separated path: bytes of files,
// "-> target" of symbolic links, "/" for directories. The cache is left out but
// for temporary files in it.
func Tree(t testing.TB, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case strings.HasPrefix(rel, ".wrangler/cache") && !cachedir.IsTemporary(e.Name()):
		case e.IsDir():
			all[rel] = "/"
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			all[rel] = "-> " + target
		default:
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			all[rel] = string(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
