package store

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
)

// A DocumentChange is what a mutation did to the file of one document, with all that is needed to
// take it back.
type DocumentChange struct {
	OldPath string      `json:"oldPath,omitempty"` // "" for a new document
	Path    string      `json:"path,omitempty"`    // "" for a deleted one
	Was     []byte      `json:"was,omitempty"`     // the bytes at OldPath
	Is      string      `json:"is,omitempty"`      // the hash (HashOf) of the bytes at Path, or where Link leads
	Now     []byte      `json:"-"`                 // the bytes at Path, nil when they are not known
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

// Revert takes changes back, each of another document: every file gets the path and the
// bytes that it had. It looks at all of them first. If any is neither as its change left it
// nor as it was before, Revert changes nothing and returns a *ConflictError. After a crash
// half way it can be called again. Errors of the file system are *DiskError.
func (m *Mutation) Revert(changes []DocumentChange) error {
	var left []Fix
	for _, c := range changes {
		if c.Unread {
			return &ConflictError{c.OldPath, "could not be read when it was deleted, so there is no copy of it"}
		}
		f := Fix{From: c.Path, To: c.OldPath, Was: c.Is, Is: HashOf(c.Was), reverts: &c}
		reverted, err := m.locate(&f)
		if err != nil {
			return err
		}
		if !reverted {
			left = append(left, f)
		}
	}
	left, err := m.inOrder(left)
	if err != nil {
		return err
	}
	for _, f := range left {
		if f.From == "" {
			if err := m.restore(f); err != nil {
				return err
			}
			if f.From = f.To; f.reverts.Link == "" || f.Is == f.Was {
				continue // else the file that the link leads to was changed before it was deleted
			}
		}
		if err := m.fix(f); err != nil {
			return err
		}
		m.done()
	}
	return nil
}

// restore makes a deleted document, or the link to it, again.
func (m *Mutation) restore(f Fix) error {
	c := f.reverts
	if c.Link == "" {
		_, err := m.add(f.To, c.Was, &attributes{mode: c.Mode.Perm(), uid: -1, gid: -1})
		return err
	}
	dir, err := m.makeParent(f.To)
	if err != nil {
		return err
	}
	if err := m.disk.Symlink(filepath.FromSlash(c.Link), path.Join(dir, path.Base(f.To))); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return &ConflictError{f.To, reasonTaken}
		}
		return WrapDiskError("create", f.To, err)
	}
	m.done()
	return m.syncNames(f.To, dir)
}
