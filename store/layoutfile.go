package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"

	"issues-index/store/layout"
	"issues-index/store/yamlfile"
)

// ErrRelaid says that the workspace's layout is another one than when it was opened.
var ErrRelaid = errors.New("the workspace's layout has changed")

// CheckLayout is nil while the workspace's file describes the layout that the workspace was
// opened with. Otherwise it is ErrRelaid or, once for each broken content, a
// *layout.InvalidError: the layout stays what it was then.
func (w *Workspace) CheckLayout() error {
	if w.layoutFile.Unchanged() || !w.layoutFile.Reread() {
		return nil
	}
	if w.Mirror() {
		now, err := w.readMirror()
		if err == nil && !reflect.DeepEqual(now, w.mirror.branches) {
			err = ErrRelaid
		}
		return err
	}
	now, err := w.parseLayout()
	if err == nil {
		data, _ := w.layoutFile.Content()
		err = layout.Misspelt(data)
	}
	w.RefuseLayout(err)
	if err == nil && !reflect.DeepEqual(now, w.Layout) {
		err = ErrRelaid
	}
	return err
}

// LayoutUnchanged reports whether CheckLayout is certain to be nil without reading the file.
func (w *Workspace) LayoutUnchanged() bool { return w.layoutFile.Unchanged() }

// RefuseLayout notes why the workspace keeps its layout although the file says another one,
// nil when it does not.
func (w *Workspace) RefuseLayout(reason error) { w.refusedLayout.Store(&reason) }

// RefusedLayout is why the workspace keeps its layout although the file says another one, nil
// when it does not: mostly a *layout.InvalidError.
func (w *Workspace) RefusedLayout() error {
	if reason := w.refusedLayout.Load(); reason != nil {
		return *reason
	}
	return nil
}

// parseLayout makes a layout of what was read of the file. What is not there, or no regular
// file, says nothing. Errors: *layout.InvalidError.
func (w *Workspace) parseLayout() (*layout.Layout, error) {
	data, err := w.layoutFile.Content()
	if errors.Is(err, fs.ErrNotExist) {
		return layout.Default(), nil
	}
	if err != nil {
		problem := layout.KeyProblem{Message: fmt.Sprintf("it cannot be read: %v", cause(err))}
		return nil, &layout.InvalidError{Problems: []layout.KeyProblem{problem}}
	}
	return layout.Parse(data)
}

// statLayout describes the file. It may follow a link out of the workspace, for it reads
// nothing there.
func (w *Workspace) statLayout() (os.FileInfo, error) {
	return os.Stat(w.Absolute(w.settings))
}

// readLayout returns at most one byte more than the file may have.
func (w *Workspace) readLayout() ([]byte, error) {
	f, _, err := w.OpenFile(w.settings)
	if err != nil {
		return nil, err
	}
	defer closeQuietly(f)
	return io.ReadAll(io.LimitReader(f, yamlfile.MaxSize+1))
}
