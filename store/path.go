package store

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// A PathError refuses a string as a path: it leads out of the workspace, or to
// something that is no document.
type PathError struct {
	Path   string
	Reason string // completes "path X …", such as "leads out of the workspace"
}

func (e *PathError) Error() string { return fmt.Sprintf("path %q %s", e.Path, e.Reason) }

const reasonOutside = "leads out of the workspace"

// cleanPath checks a slash-separated path from outside and returns it in its
// shortest form. ".." is refused even where it would stay inside: no caller
// needs it, and a symbolic link in front of it changes what it means.
func cleanPath(p string) (string, error) {
	switch {
	case p == "":
		return "", &PathError{p, "is empty"}
	case strings.IndexByte(p, 0) >= 0:
		return "", &PathError{p, "has a NUL byte"}
	case !utf8.ValidString(p):
		return "", &PathError{p, "is not UTF-8"}
	case path.IsAbs(p) || filepath.IsAbs(p):
		return "", &PathError{p, "is absolute"}
	}
	for part := range strings.SplitSeq(filepath.ToSlash(p), "/") {
		if part == ".." {
			return "", &PathError{p, reasonOutside}
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(p)) { // device names of this system
		return "", &PathError{p, "names a device"}
	}
	return path.Clean(filepath.ToSlash(p)), nil
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
