package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"issues-index/store"
	gitrepo "issues-index/store/git"
	"issues-index/store/userfile"
	"issues-index/tools/clientfile"
)

// apply writes what a plan says: the workspace's own files under its lock and through its
// root, then the settings of git, then the user's file. A run that was cut off is completed by
// the next one.
func (s *setupPlan) apply(ctx context.Context, ws *store.Workspace) error {
	err := ws.Mutate(ctx, func(m *store.Mutation) error {
		for _, dir := range s.folders {
			if err := makeFolder(ws, m, dir); err != nil {
				return err
			}
		}
		for _, f := range s.files {
			if filepath.IsAbs(f.path) {
				continue
			}
			if err := f.write(ws, m); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(s.settings) > 0 {
		err = gitrepo.SetSettings(ctx, ws.Root, s.settings)
	}
	for _, f := range s.files {
		if err == nil && filepath.IsAbs(f.path) {
			err = f.writeUserFile()
		}
	}
	return err
}

// makeFolder makes a folder of the workspace, unless somebody has made it since.
func makeFolder(ws *store.Workspace, m *store.Mutation, dir string) error {
	if ws.HasDir(dir) {
		return nil
	}
	return m.MakeDir(dir)
}

func (f setupFile) write(ws *store.Workspace, m *store.Mutation) error {
	now, err := ws.ReadFile(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return store.WrapDiskError("read", f.path, err)
	}
	if f.exists != (err == nil) || !bytes.Equal(now, f.before) {
		return f.changed()
	}
	if err := makeFolder(ws, m, path.Dir(f.path)); err != nil {
		return err
	}
	return m.WriteFile(f.path, f.after)
}

// changed refuses to write over what nobody has been shown.
func (f setupFile) changed() error {
	return &commandError{exitFailed, f.path + " was changed by another program since it was shown", "run init again; it writes what is still missing"}
}

// readUserFile reads a file of the user's, through whatever links lead to it.
func readUserFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, clientfile.MaxFile+1))
	if err == nil && data == nil {
		data = []byte{}
	}
	return data, err
}

// writeUserFile replaces a file of the user's as a whole, unless it was changed since.
func (f setupFile) writeUserFile() (err error) {
	now, err := readUserFile(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read %s: %w", f.path, err)
	}
	if f.exists != (err == nil) || !bytes.Equal(now, f.before) {
		return f.changed()
	}
	return userfile.Replace(f.path, f.after)
}
