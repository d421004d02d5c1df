package main

import (
	"os"
	"path/filepath"
	"strings"

	"issues-index/store"
)

// file is the absolute path of a document, which holds in any folder. Its path is
// relative to the workspace's root, and an id that every command takes.
func (p *program) file(path string) string { return filepath.Join(p.root, filepath.FromSlash(path)) }

// documentNamed is what the index knows a document by that a person named in a folder
// of the workspace: for the path of a file from there, the path from the root.
func documentNamed(ws *store.Workspace, name string) string {
	if !strings.ContainsAny(name, `/\`) && !strings.EqualFold(filepath.Ext(name), ".md") {
		return name // an id
	}
	if _, err := os.Lstat(filepath.Join(ws.Root, filepath.FromSlash(name))); err == nil {
		return name
	}
	here, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil {
		return name
	}
	if _, err := os.Lstat(here); err != nil {
		return name
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(here))
	if err != nil {
		return name
	}
	path, err := filepath.Rel(ws.Root, filepath.Join(folder, filepath.Base(here)))
	if err != nil || !filepath.IsLocal(path) {
		return name
	}
	return filepath.ToSlash(path)
}
