package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
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
	// Number is asked for each new id that is not of a child whose parent gets a new one, too: no
	// other document has children of that.
	Number NumberSource
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
		begun, err := w.Unfinished()
		if err != nil {
			return err
		}
		resumed := begun != nil
		if resumed && !reflect.DeepEqual(*begun, b) {
			return &ConflictError{
				UnfinishedFixes, "has changes that a crash has left unfinished: make these first, or delete the file",
			}
		}
		left, err := m.leftToFix(b.Fixes, resumed)
		if err != nil {
			return err
		}
		if !resumed && o.Number != nil {
			ids, err := m.agreeNumbers(b.NewIDs, o)
			if err != nil {
				return err
			}
			note = m.note
			if ids != nil {
				if b, err = o.Renumber(ids); err != nil {
					return err
				}
				if left, err = m.leftToFix(b.Fixes, false); err != nil {
					return err
				}
			}
		}
		p, err := m.cacheFile(batchFile)
		if err != nil {
			return err
		}
		if !resumed {
			if err := m.reserve(ctx, b.NewIDs); err != nil {
				return err
			}
			data, err := json.Marshal(b)
			if err != nil {
				return fmt.Errorf("write down the changes: %w", err)
			}
			if err := m.WriteFile(p, data); err != nil {
				return err
			}
			m.done()
		}
		for _, f := range left {
			if err := m.fix(f); err != nil {
				return err
			}
			m.done()
		}
		if err := m.disk.remove(p); err != nil {
			return WrapDiskError("delete", UnfinishedFixes, err)
		}
		return WrapDiskError("delete", UnfinishedFixes, m.disk.syncDir(path.Dir(p)))
	})
	return note, err
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

// leftToFix returns the fixes of a batch that are not made yet: in a batch that is resumed some
// are made already.
func (m *Mutation) leftToFix(fixes []Fix, resumed bool) (left []Fix, err error) {
	seen := map[string]bool{"": true}
	for _, f := range fixes {
		if seen[f.From] || f.To != f.From && f.To != "" && seen[f.To] {
			return nil, &ConflictError{f.From, "is to be changed twice"}
		}
		seen[f.From], seen[f.To] = true, true
		switch made, err := m.locate(&f); {
		case err != nil:
			return nil, err
		case !made:
			left = append(left, f)
		case !resumed:
			return nil, &ConflictError{f.From, reasonChanged}
		}
	}
	return m.inOrder(left)
}
