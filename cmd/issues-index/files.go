package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"issues-index/store"
	"issues-index/store/pattern"
)

// file returns the absolute path of a document, given the path relative to the workspace.
func (p *program) file(path string) string { return filepath.Join(p.root, filepath.FromSlash(path)) }

// absolute is a path as it is seen from the working directory.
func (p *program) absolute(path string) string {
	here, err := p.getwd()
	if filepath.IsAbs(path) || err != nil {
		return path
	}
	return filepath.Join(here, path)
}

// documentNamed returns an id unchanged. It makes a path that is relative to the working
// directory relative to the workspace.
func (p *program) documentNamed(ws *store.Workspace, name string) string {
	if !strings.ContainsAny(name, `/\`) && !strings.EqualFold(filepath.Ext(name), ".md") {
		return name // an id
	}
	if _, err := os.Lstat(filepath.Join(ws.Root, filepath.FromSlash(name))); err == nil {
		return name
	}
	here := p.absolute(filepath.FromSlash(name))
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

// readText reads the text that a file has for a document, or standard input for -. A byte
// order mark before it is no part of it.
func (p *program) readText(file string) (string, error) {
	text, err := p.readFile(file)
	return strings.TrimPrefix(text, "\ufeff"), err
}

// readFile reads all of a file, or of standard input for -.
func (p *program) readFile(file string) (string, error) {
	if file == "-" {
		return textFrom(p.in, "standard input")
	}
	f, err := os.Open(p.absolute(file))
	if err != nil {
		return "", failed(err.Error(), "a file is named from the working directory; - is standard input")
	}
	defer func() { _ = f.Close() }() // it was only read
	return textFrom(f, file)
}

// textFrom reads all of a file, which must be a text that fits a document.
func textFrom(in io.Reader, name string) (string, error) {
	if f, ok := in.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return "", failed(name+" is a folder", "name a file with the text")
		}
	}
	data, err := io.ReadAll(io.LimitReader(in, store.MaxFileSize+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", name, err)
	case len(data) > store.MaxFileSize:
		return "", failed(
			fmt.Sprintf("%s is over the limit of %d bytes", name, store.MaxFileSize), "split the text into several documents",
		)
	case !utf8.Valid(data):
		return "", failed(name+" is not UTF-8", "convert it, for example with iconv")
	}
	return string(data), nil
}
