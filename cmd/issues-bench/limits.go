package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// The files of a corpus, and what nothing that reads or writes them can beat.
type files struct {
	root  string
	paths []string // absolute, as a walk finds them
}

func listFiles(root string) (*files, error) {
	f := &files{root: root}
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, ".wrangler", folder), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".md") && !entry.IsDir() {
				f.paths = append(f.paths, path)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("list the corpus: %w", err)
		}
	}
	return f, nil
}

// of finds the file of a document.
func (f *files) of(id string) (string, error) {
	for _, path := range f.paths {
		if strings.HasPrefix(filepath.Base(path), id+"-") {
			return path, nil
		}
	}
	return "", fmt.Errorf("find the file of %s: %w", id, fs.ErrNotExist)
}

// each does something with every file, on every processor.
func (f *files) each(do func(path string) error) error {
	var group errgroup.Group
	next := new(atomic.Int64)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			for i := next.Add(1) - 1; int(i) < len(f.paths); i = next.Add(1) - 1 {
				if err := do(f.paths[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func (f *files) statAll() error {
	return f.each(func(path string) error {
		_, err := os.Lstat(path)
		return err
	})
}

// scan reads every file and looks for a text in it: what a search without an
// index does, started processes and patterns aside.
func (f *files) scan(text string) error {
	found := new(atomic.Int64)
	return f.each(func(path string) error {
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			found.Add(1)
		}
		return err
	})
}

// replaceDurably is the least that a change of a file takes to be whole and to
// last: write, fsync, rename, fsync of the folder.
func replaceDurably(path string, data []byte) error {
	return replace(path, data, func(f *os.File) error { return f.Sync() })
}

// replace writes a file beside another and puts it in its place.
func replace(path string, data []byte, settle func(*os.File) error) error {
	beside, err := os.CreateTemp(filepath.Dir(path), ".bench-*")
	if err != nil {
		return fmt.Errorf("replace a file: %w", err)
	}
	_, err = beside.Write(data)
	if err = errors.Join(err, settle(beside), beside.Close()); err == nil {
		err = os.Rename(beside.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("replace a file: %w", err)
	}
	if runtime.GOOS == "windows" { // where folders cannot be synced
		return nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("replace a file: %w", err)
	}
	return errors.Join(settle(folder), folder.Close())
}
