package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"issues-index/store/layout"
	"issues-index/store/yamlfile"
)

// readLayout reads how the workspace's documents are laid out. What is not there, or no
// regular file, says nothing. Errors: *layout.InvalidError.
func (w *Workspace) readLayout() (*layout.Layout, error) {
	data, err := w.readLayoutFile()
	if errors.Is(err, fs.ErrNotExist) {
		return layout.Default(), nil
	}
	if err != nil {
		return nil, &layout.InvalidError{Problems: []layout.KeyProblem{{Message: fmt.Sprintf("it cannot be read: %v", cause(err))}}}
	}
	return layout.Parse(data)
}

// readLayoutFile returns at most one byte more than the file may have.
func (w *Workspace) readLayoutFile() ([]byte, error) {
	f, _, err := w.OpenFile(layout.File)
	if err != nil {
		return nil, err
	}
	defer closeQuietly(f)
	return io.ReadAll(io.LimitReader(f, yamlfile.MaxSize+1))
}
