package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"issues-index/store"
	"issues-index/store/pattern"
)

// file returns the absolute path of a document, given the path relative to the workspace.
func (p *program) file(path string) string { return filepath.Join(p.root, filepath.FromSlash(path)) }

// documentNamed returns an id unchanged. It makes a path that is relative to the working
// directory relative to the workspace.
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

// plainWord matches words that need no quotes in any shell.
var plainWord = pattern.Lazy(`^[\pL\pN_./:@%+=,\\-]+$`)

// shellWord quotes a word so that it can be pasted into a shell.
func shellWord(word string) string {
	switch {
	case runtime.GOOS == "windows":
		if plainWord().MatchString(word) {
			return word
		}
		return `"` + word + `"`
	case plainWord().MatchString(word) && !strings.Contains(word, `\`):
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
