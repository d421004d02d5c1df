package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// A FixBatch has changes of several files that belong together, such as those of a document
// that gets another id and of all that name it.
type FixBatch struct {
	Fixes []Fix
	// NewIDs are the ids from FreeIDs that the fixes write, by the paths that the documents
	// have before, in the order of FreeIDs.
	NewIDs []ReplacedID
}

// FixOptions have the numbers of a batch's new ids agreed with others. Without them they are
// those of the batch. Its functions are called under the lock, before the first change.
type FixOptions struct {
	// Number is as that of CreateOptions. It is asked for each new id that is not of a child
	// whose parent gets a new one, too: nobody else has children of that.
	Number func(series string, next int) (number int, note string, err error)
	// Renumber returns the same changes with other ids, which are in the order of NewIDs.
	Renumber func(ids []string) (FixBatch, error)
}

// batchFile has the batch that is being made. It is there only while that is done, or after a
// crash.
const batchFile = "unfinished-fixes.json"

// UnfinishedFixes is where a crash has left the changes that FixTogether did not finish.
const UnfinishedFixes = CacheDir + "/" + batchFile

// FixTogether makes the changes, all under one lock. It looks at all files and ids first: if
// one is not as it was when the changes were chosen, it changes nothing and returns a
// *ConflictError. The changes are written down before the first is made. After a crash, or an
// error half way, each file is as it was or as it is to be, and Unfinished returns the batch,
// with which FixTogether goes on. A change of a Markdown file that is no document keeps its
// path. note is what is to be said of the numbers, "" for nothing. Errors of the file system are
// *DiskError.
func (w *Workspace) FixTogether(ctx context.Context, b FixBatch, o FixOptions) (note string, err error) {
	err = w.Mutate(ctx, func(m *Mutation) error {
		unlock, err := w.lockWorktrees(ctx)
		if err != nil {
			return err
		}
		defer unlock()
		p, err := m.cacheFile(batchFile)
		if err != nil {
			return err
		}
		data, err := json.Marshal(b)
		if err != nil {
			return fmt.Errorf("write down the changes: %w", err)
		}
		begun, _, err := m.disk.read(p)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return WrapDiskError("read", UnfinishedFixes, err)
		}
		resumed := sameBatch(begun, data)
		if len(begun) > 0 && !resumed {
			return &ConflictError{
				UnfinishedFixes, "has changes that a crash has left unfinished: make these first, or delete the file",
			}
		}
		left, err := m.standingFixes(b.Fixes, resumed)
		if err != nil {
			return err
		}
		if !resumed && o.Number != nil {
			var ids []string
			if ids, note, err = m.agreeNumbers(b.NewIDs, o); err != nil {
				return err
			}
			if ids != nil {
				if b, err = o.Renumber(ids); err != nil {
					return err
				}
				if left, err = m.standingFixes(b.Fixes, false); err != nil {
					return err
				}
				if data, err = json.Marshal(b); err != nil {
					return fmt.Errorf("write down the changes: %w", err)
				}
			}
		}
		if !resumed {
			if err := m.reserve(ctx, b.NewIDs); err != nil {
				return err
			}
			if err := m.WriteFile(p, data); err != nil {
				return err
			}
			m.done()
		}
		for _, f := range left {
			if err := m.fixOne(f); err != nil {
				return err
			}
			m.done()
		}
		return m.forgetBatch(p)
	})
	return note, err
}

// sameBatch reports whether a file has a batch, which is given as it is written.
func sameBatch(file, written []byte) bool {
	var b FixBatch
	if json.Unmarshal(file, &b) != nil {
		return false
	}
	again, err := json.Marshal(b)
	return err == nil && bytes.Equal(again, written)
}

// Unfinished returns the batch that a crash has left, nil for none.
func (w *Workspace) Unfinished() (*FixBatch, error) {
	data, st, err := w.Read(UnfinishedFixes)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
		return nil, nil //nolint:nilnil // there is none
	}
	b := &FixBatch{}
	if err == nil && st.Symlink {
		err = errors.New(reasonLink)
	}
	if err == nil {
		err = json.Unmarshal(data, b)
	}
	if err == nil && len(b.Fixes) == 0 {
		err = errors.New("it has no changes")
	}
	if err != nil {
		return nil, &ConflictError{UnfinishedFixes, "cannot be read: " + cause(err).Error() + ": delete it"}
	}
	return b, nil
}

func (m *Mutation) forgetBatch(p string) error {
	err := m.disk.remove(p)
	if err == nil {
		err = m.disk.syncDir(path.Dir(p))
	}
	return WrapDiskError("delete", UnfinishedFixes, err)
}

// standingFixes returns the fixes that have to be made still. In a batch that is resumed some
// are made already.
func (m *Mutation) standingFixes(fixes []Fix, resumed bool) (left []Fix, err error) {
	seen := map[string]bool{}
	for _, f := range fixes {
		if seen[f.From] || !f.Deletes() && f.To != f.From && seen[f.To] {
			return nil, &ConflictError{f.From, "is to be changed twice"}
		}
		seen[f.From] = true
		if !f.Deletes() {
			seen[f.To] = true
		}
		made, err := m.standingFix(&f)
		switch {
		case err != nil:
			return nil, err
		case !made:
			left = append(left, f)
		case !resumed:
			return nil, &ConflictError{f.From, reasonChanged}
		default:
			if err := m.madeBefore(f); err != nil {
				return nil, err
			}
		}
	}
	return left, nil
}

// standingFix reports whether a fix is made already. One that was stopped between the move of
// the file and its new bytes becomes one without the move.
func (m *Mutation) standingFix(f *Fix) (made bool, err error) {
	for _, p := range []string{f.From, f.To} {
		if p == "" {
			continue
		}
		if err := m.fixable(*f, p); err != nil {
			return false, err
		}
	}
	data, st, err := m.disk.read(f.From)
	switch {
	case err == nil && st.Symlink && (f.Deletes() || !m.isDocument(f.From)):
		return false, &ConflictError{f.From, "is a symbolic link"}
	case err == nil && HashOf(data) == f.Was:
		if f.Moves() && !m.free(f.To) {
			return false, &ConflictError{f.To, reasonTaken}
		}
		return false, nil
	case err == nil && !f.Moves() && !f.Deletes() && HashOf(data) == f.Is:
		return true, nil
	case err == nil:
		return false, &ConflictError{f.From, reasonChanged}
	case !errors.Is(err, fs.ErrNotExist):
		return false, WrapDiskError("read", f.From, err)
	case f.Deletes():
		return true, nil
	case !f.Moves():
		return false, &ConflictError{f.From, "is no longer there"}
	}
	data, _, err = m.disk.read(f.To)
	switch {
	case err == nil && HashOf(data) == f.Is:
		return true, nil
	case err == nil && HashOf(data) == f.Was:
		moved := DocumentChange{OldPath: f.From, Path: f.To, Was: data, Is: f.Was}
		f.From = f.To
		return false, m.changing(moved)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, WrapDiskError("read", f.To, err)
	}
	return false, &ConflictError{f.From, "is no longer there"}
}

func (m *Mutation) isDocument(p string) bool {
	_, ok := m.w.CollectionOf(p)
	return ok
}

// fixable refuses a path that a batch must not change: the file of the batch may be a
// stranger's.
func (m *Mutation) fixable(f Fix, p string) error {
	clean, err := CleanPath(p)
	if err != nil {
		return err
	}
	if clean != p {
		return &PathError{p, reasonNoDocument}
	}
	if m.isDocument(p) {
		return nil
	}
	markdown := strings.EqualFold(path.Ext(p), ".md")
	if real, err := m.w.Resolve(p); err != nil || real != p || f.Moves() || f.Deletes() || !markdown {
		return &PathError{p, "is neither a document of this workspace nor a Markdown file that can be changed"}
	}
	return nil
}

// fixOne makes one change.
func (m *Mutation) fixOne(f Fix) error {
	switch {
	case f.Deletes():
		l, err := m.load(f.From)
		if err == nil && HashOf(l.data) != f.Was {
			err = &ConflictError{f.From, reasonChanged}
		}
		if err != nil {
			return err
		}
		_, err = m.deleteLoaded(l, nil)
		return err
	case m.isDocument(f.From):
		return m.fix(f)
	}
	data, st, err := m.disk.read(f.From)
	if err != nil {
		return WrapDiskError("read", f.From, err)
	}
	changed, ok := f.apply(data)
	if !ok {
		return &ConflictError{f.From, reasonChanged}
	}
	at, err := m.placeOf(f.From)
	if err != nil {
		return err
	}
	err = m.replace(at, f.From, &loaded{File: File{Path: f.From, Stat: st}, data: data}, changed)
	if errors.Is(err, errConcurrentEdit) {
		err = &ConflictError{f.From, reasonChanged}
	}
	return err
}

// madeBefore tells of a change that was made before a crash, so that it can be taken back with
// the others.
func (m *Mutation) madeBefore(f Fix) error {
	if !m.isDocument(f.From) {
		return nil
	}
	if f.Deletes() {
		return m.changing(DocumentChange{OldPath: f.From, Was: []byte(f.Old), Mode: 0o666})
	}
	data, _, err := m.disk.read(f.To)
	if err != nil || f.At+len(f.New) > len(data) {
		return WrapDiskError("read", f.To, err)
	}
	was := string(data[:f.At]) + f.Old + string(data[f.At+len(f.New):])
	return m.changing(DocumentChange{OldPath: f.From, Path: f.To, Was: []byte(was), Is: f.Is})
}
