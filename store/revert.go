package store

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
)

// A DocumentChange is what a mutation did to the file of one document, with all that is needed to
// take it back.
type DocumentChange struct {
	OldPath string      `json:"oldPath,omitempty"` // "" for a new document
	Path    string      `json:"path,omitempty"`    // "" for a deleted one
	Was     []byte      `json:"was,omitempty"`     // the bytes at OldPath
	Is      string      `json:"is,omitempty"`      // the hash (HashOf) of the bytes at Path, or where Link leads
	Mode    fs.FileMode `json:"mode,omitempty"`    // the permissions of a deleted file
	Link    string      `json:"link,omitempty"`    // where a deleted symbolic link led
	Unread  bool        `json:"unread,omitempty"`  // the deleted file could not be read: Was is missing
}

// Then is the change that has the result of c and of a later change of the same file. ok
// is false for a document that is as it was before c.
func (c DocumentChange) Then(later DocumentChange) (both DocumentChange, ok bool) {
	both = later
	both.OldPath, both.Was = c.OldPath, c.Was
	if later.Link != "" && c.OldPath != "" && !filepath.IsAbs(later.Link) {
		// It leads to the same file from where the link was at first.
		target := path.Join(path.Dir(later.OldPath), filepath.ToSlash(later.Link))
		if link, err := filepath.Rel(path.Dir(c.OldPath), target); err == nil {
			both.Link = link
		}
	}
	return both, both.OldPath != "" || both.Path != ""
}

// reasonChangedSince refuses to take back a change of a document that is another one by now.
const reasonChangedSince = "has changed since"

// Revert takes changes back, each of another document: every file gets the path and the
// bytes that it had. It looks at all of them first. If any is neither as its change left it
// nor as it was before, Revert changes nothing and returns a *ConflictError. After a crash
// half way it can be called again. Errors of the file system are *DiskError.
func (w *Workspace) Revert(ctx context.Context, changes []DocumentChange) error {
	return w.Mutate(ctx, func(m *Mutation) error {
		var left []DocumentChange
		for _, c := range changes {
			reverted, err := m.standing(&c)
			if err != nil {
				return err
			}
			if !reverted {
				left = append(left, c)
			}
		}
		left, err := m.inOrder(left)
		if err != nil {
			return err
		}
		for _, c := range left {
			if err := m.revert(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// standing finds the file of a change. Where it has its old place already, but not its old
// bytes, it sets the path of the change to the old one.
func (m *Mutation) standing(c *DocumentChange) (reverted bool, err error) {
	if c.Unread {
		return false, &ConflictError{c.OldPath, "could not be read when it was deleted, so there is no copy of it"}
	}
	for _, p := range []string{c.Path, c.OldPath} {
		if p == "" {
			continue
		}
		if _, ok := m.w.CollectionOf(p); !ok {
			return false, &PathError{p, reasonNoDocument}
		}
		l, err := m.load(p)
		switch {
		case l == nil && errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return false, err
		case p == c.OldPath && HashOf(l.data) == HashOf(c.Was):
			return true, nil
		case HashOf(l.data) == c.Is:
			c.Path = p
			return false, nil
		case HashOf(l.data) == HashOf(c.Was): // a death came between the move and the new bytes
			c.Path, c.Is = p, HashOf(c.Was)
			return false, nil
		}
		return false, &ConflictError{p, reasonChangedSince}
	}
	if c.Path != "" && c.OldPath != "" {
		return false, &ConflictError{c.Path, "has been moved or deleted since"}
	}
	return c.OldPath == "", nil
}

// inOrder sorts changes so that each file goes back to a path that is free by then.
func (m *Mutation) inOrder(changes []DocumentChange) (sorted []DocumentChange, err error) {
	for len(changes) > 0 {
		next := slices.IndexFunc(changes, func(c DocumentChange) bool {
			return c.OldPath == "" || c.OldPath == c.Path || m.free(c.OldPath) ||
				slices.ContainsFunc(sorted, func(earlier DocumentChange) bool { return earlier.Path == c.OldPath })
		})
		if next < 0 {
			return nil, &ConflictError{changes[0].OldPath, reasonTaken}
		}
		sorted = append(sorted, changes[next])
		changes = slices.Delete(changes, next, next+1)
	}
	return sorted, nil
}

// revert takes one change back.
func (m *Mutation) revert(ctx context.Context, c DocumentChange) error {
	if c.Path == "" {
		return m.restore(ctx, c)
	}
	l, err := m.load(c.Path)
	switch {
	case err != nil:
		return err
	case HashOf(l.data) != c.Is:
		return &ConflictError{c.Path, reasonChangedSince}
	case c.OldPath == "":
		_, err = m.deleteLoaded(l, nil)
		return err
	case HashOf(c.Was) != c.Is:
		err = m.write(l, c.OldPath, c.Was)
	default:
		err = m.relocate(c.Path, c.OldPath)
	}
	if errors.Is(err, errConcurrentEdit) {
		return &ConflictError{c.Path, reasonChangedSince}
	}
	if err == nil {
		_, err = m.readBack(c.OldPath, c.Was)
	}
	return err
}

// restore makes a deleted document again.
func (m *Mutation) restore(ctx context.Context, c DocumentChange) error {
	if c.Link == "" {
		_, err := m.add(c.OldPath, c.Was, &attributes{mode: c.Mode.Perm(), uid: -1, gid: -1})
		return err
	}
	dir, err := m.makeParent(c.OldPath)
	if err != nil {
		return err
	}
	entry := path.Join(dir, path.Base(c.OldPath))
	if err := m.disk.symlink(filepath.FromSlash(c.Link), entry); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return &ConflictError{c.OldPath, reasonTaken}
		}
		return WrapDiskError("create", c.OldPath, err)
	}
	m.done()
	if err := m.settle(c.OldPath, dir); err != nil || HashOf(c.Was) == c.Is {
		return err
	}
	c.Path = c.OldPath // the file that it leads to was changed before the link was deleted
	return m.revert(ctx, c)
}
