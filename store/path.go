package store

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store/cachedir"
)

// A PathError refuses a string as a path: it leads out of the workspace, or to
// something that is no document.
type PathError struct {
	Path   string
	Reason string // completes "path X …", such as "leads out of the workspace"
}

func (e *PathError) Error() string { return fmt.Sprintf("path %q %s", e.Path, e.Reason) }

// ReasonOutside refuses a path that leads to something outside of the workspace.
const ReasonOutside = "leads out of the workspace"

// CleanPath checks a slash-separated path from outside and returns it in its
// shortest form. ".." is refused even where it would stay inside: no caller
// needs it, and a symbolic link in front of it changes what it means.
func CleanPath(p string) (string, error) {
	switch {
	case p == "":
		return "", &PathError{p, "is empty"}
	case strings.IndexByte(p, 0) >= 0:
		return "", &PathError{p, "has a NUL byte"}
	case !utf8.ValidString(p):
		return "", &PathError{p, "is not UTF-8"}
	case path.IsAbs(p) || filepath.IsAbs(p):
		return "", &PathError{p, "is absolute and " + ReasonOutside}
	}
	for part := range strings.SplitSeq(filepath.ToSlash(p), "/") {
		if part == ".." {
			return "", &PathError{p, ReasonOutside}
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(p)) { // device names of this system
		return "", &PathError{p, "names a device"}
	}
	return path.Clean(filepath.ToSlash(p)), nil
}

// Relative is p relative to the root where p is an absolute path inside the
// workspace, whatever symbolic links lead to the root; hosts hand models such paths.
// Any other string is returned as it is, for its reader to refuse or to take for
// something else than a path.
func (w *Workspace) Relative(p string) string {
	if !filepath.IsAbs(p) || strings.IndexByte(p, 0) >= 0 ||
		slices.Contains(strings.Split(filepath.ToSlash(p), "/"), "..") {
		return p
	}
	clean := filepath.Clean(p)
	if cachedir.Inside(w.Root, clean) {
		p, _ = filepath.Rel(w.Root, clean) // no error, since it lies inside
	} else if rel, ok := w.relative(clean); ok {
		p = rel
	}
	return filepath.ToSlash(p)
}

// Absolute is the absolute path of p, which is relative to the root.
func (w *Workspace) Absolute(p string) string { return filepath.Join(w.Root, filepath.FromSlash(p)) }

// Stem is the name of a document's file without its ending.
func Stem(p string) string {
	name := path.Base(p)
	return strings.TrimSuffix(name, path.Ext(name))
}

// isRoot reports whether an absolute path leads to the workspace's root.
func (w *Workspace) isRoot(dir string) bool {
	own, err := os.Stat(w.Root)
	if err != nil {
		return false
	}
	other, err := os.Stat(dir)
	return err == nil && os.SameFile(own, other)
}

// below returns p relative to dir, and whether p is dir or lies in it. Both are
// clean and relative to the root.
func below(dir, p string) (rel string, ok bool) {
	switch {
	case dir == p:
		return ".", true
	case dir == ".":
		return p, true
	case len(p) > len(dir) && p[len(dir)] == '/' && p[:len(dir)] == dir:
		return p[len(dir)+1:], true
	}
	return "", false
}
