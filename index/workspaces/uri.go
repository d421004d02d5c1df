package workspaces

import (
	"errors"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// fileScheme begins the URI of a file, in any case.
const fileScheme = "file:"

// errURI completes "workspace X …".
var errURI = errors.New("is no file:// URI of this machine")

// IsURI reports whether a text is meant as the URI of a file.
func IsURI(text string) bool {
	return len(text) >= len(fileScheme) && strings.EqualFold(text[:len(fileScheme)], fileScheme)
}

// PathOf returns the absolute path of a file:// URI of this machine.
func PathOf(uri string) (string, error) {
	if !IsURI(uri) {
		return "", errURI
	}
	rest := uri[len(fileScheme):]
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		host, _, _ := strings.Cut(authority, "/")
		if host != "" && !strings.EqualFold(host, "localhost") {
			return "", errURI
		}
		rest = authority[len(host):]
	}
	// A query or a fragment is no part of a path; a folder that is called so is escaped.
	path, err := url.PathUnescape(rest)
	if err != nil || strings.ContainsAny(rest, "?#") || strings.ContainsRune(path, 0) {
		return "", errURI
	}
	path = filepath.FromSlash(path)
	if runtime.GOOS == "windows" { // file:///C:/x
		path = strings.TrimPrefix(path, `\`)
	}
	if !filepath.IsAbs(path) {
		return "", errURI
	}
	return filepath.Clean(path), nil
}
