package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A Fix is one exact change of one document, as a person has seen and agreed to
// it: a move, other bytes in one place of the file, or both. It is made for the
// file as it was then, and for no other.
type Fix struct {
	From string // slash-separated, relative to the root, as is To
	To   string // From again when the file stays where it is, "" when it is deleted
	// Was and Is are the hashes (HashOf) of the whole file before and after.
	Was string
	Is  string
	// At is where in the file, in bytes from 0, New takes the place of Old. Both are whole lines, and
	// all three are zero where the bytes stay.
	At  int
	Old string
	New string

	reverts *DocumentChange // which the fix takes back: its Was is what the file gets
}

// HashOf is the SHA-256 of a file's bytes, in hexadecimal digits.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// NewFix describes the change from the bytes at from to those at to. Old and
// New are whole lines, as few as there can be in one place.
func NewFix(from, to string, was, is []byte) Fix {
	f := Fix{From: from, To: to, Was: HashOf(was), Is: HashOf(is)}
	if f.Was == f.Is {
		return f
	}
	before, after := slices.Collect(strings.Lines(string(was))), slices.Collect(strings.Lines(string(is)))
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		f.At += len(before[0])
		before, after = before[1:], after[1:]
	}
	last, end := len(before)-1, len(after)-1
	for last >= 0 && end >= 0 && before[last] == after[end] {
		last, end = last-1, end-1
	}
	f.Old, f.New = strings.Join(before[:last+1], ""), strings.Join(after[:end+1], "")
	return f
}

// Moves reports whether the file gets another path.
func (f Fix) Moves() bool { return f.From != f.To && f.To != "" }

// Deletes reports whether the file goes.
func (f Fix) Deletes() bool { return f.To == "" }

// Edits reports whether the file gets other bytes.
func (f Fix) Edits() bool { return f.Old != f.New }

// Fix makes an exact change. A file with other bytes than the change was made
// for, and a file in the way of a move, is a *ConflictError; a missing file
// is fs.ErrNotExist; a refusal of the file system is a *DiskError. A file that
// only moves keeps its times.
func (w *Workspace) Fix(ctx context.Context, f Fix) error {
	return w.Mutate(ctx, func(m *Mutation) error {
		if err := m.fixable(f); err != nil {
			return err
		}
		return m.fix(f)
	})
}

// The reasons that refuse a document which is another one by now.
const (
	reasonChanged = "has changed since"
	reasonGone    = "is no longer there"
)

// fixable refuses paths that a change must not have: what says so may be a stranger's file. A
// Markdown file that is no document can be changed in its place.
func (m *Mutation) fixable(f Fix) error {
	for _, p := range []string{f.From, f.To} {
		if p == "" {
			continue
		}
		clean, err := CleanPath(p)
		if err != nil {
			return err
		}
		if clean == p && m.isDocument(p) {
			continue
		}
		markdown := clean == p && strings.EqualFold(path.Ext(p), ".md")
		if real, err := m.w.Resolve(p); err != nil || real != p || f.From != f.To || !markdown {
			return &PathError{p, "is neither a document of this workspace nor a Markdown file that can be changed"}
		}
	}
	return nil
}

func (m *Mutation) isDocument(p string) bool {
	_, ok := m.w.CollectionOf(p)
	return ok
}

// locate finds the file of a change, and reports whether the change is made already. A change
// that was stopped between the move of the file and its new bytes goes on without the move.
func (m *Mutation) locate(f *Fix) (made bool, err error) {
	if err := m.fixable(*f); err != nil {
		return false, err
	}
	for _, p := range []string{f.From, f.To} {
		if p == "" {
			continue
		}
		data, st, err := m.disk.read(p)
		hash := HashOf(data)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return false, WrapDiskError("read", p, err)
		case st.Symlink && f.reverts == nil && (f.Deletes() || !m.isDocument(p)):
			return false, &ConflictError{p, "is a symbolic link"}
		case p == f.To && hash == f.Is:
			return true, nil
		case f.reverts != nil && hash == f.Is: // a death came between the move and the new bytes
			f.Was = hash
		case hash != f.Was:
			return false, &ConflictError{p, reasonChanged}
		}
		f.From = p
		return false, nil
	}
	if f.From != "" && f.To != "" {
		return false, &ConflictError{f.From, reasonGone}
	}
	return f.To == "", nil
}

// inOrder sorts changes so that each file gets a path that is free by then.
func (m *Mutation) inOrder(fixes []Fix) (sorted []Fix, err error) {
	for len(fixes) > 0 {
		next := slices.IndexFunc(fixes, func(f Fix) bool {
			return f.To == "" || f.To == f.From || m.free(f.To) ||
				slices.ContainsFunc(sorted, func(earlier Fix) bool { return earlier.From == f.To })
		})
		if next < 0 {
			return nil, &ConflictError{fixes[0].To, reasonTaken}
		}
		sorted = append(sorted, fixes[next])
		fixes = slices.Delete(fixes, next, next+1)
	}
	return sorted, nil
}

// fix makes a change whose paths are fixable.
func (m *Mutation) fix(f Fix) error {
	next := func(_ *Mutation, l *loaded) (data []byte, to string, err error) {
		data, ok := f.apply(l.data)
		if !ok {
			return nil, "", &ConflictError{l.Path, reasonChanged}
		}
		return data, f.To, nil
	}
	if m.isDocument(f.From) {
		_, err := m.change(f.From, next)
		return err
	}
	data, st, err := m.disk.read(f.From)
	if err != nil {
		return WrapDiskError("read", f.From, err)
	}
	l := &loaded{File: File{Path: f.From, Stat: st}, data: data}
	if data, _, err = next(m, l); err == nil {
		err = m.write(l, f.To, data)
	}
	if errors.Is(err, errConcurrentEdit) {
		err = &ConflictError{f.From, reasonChanged}
	}
	return err
}

// apply changes the bytes; ok is false when they are not those of the fix.
func (f Fix) apply(data []byte) (changed []byte, ok bool) {
	if HashOf(data) != f.Was {
		return nil, false
	}
	switch {
	case f.reverts != nil:
		return f.reverts.Was, true
	case f.Deletes():
		return nil, true
	case f.At < 0 || f.At > len(data) || !strings.HasPrefix(string(data[f.At:]), f.Old):
		return nil, false
	}
	changed = slices.Concat(data[:f.At], []byte(f.New), data[f.At+len(f.Old):])
	return changed, HashOf(changed) == f.Is
}

// ArchivePath is where the collection keeps a finished document of p's name.
func (c Collection) ArchivePath(p string) string { return c.home(path.Base(p), true) }
