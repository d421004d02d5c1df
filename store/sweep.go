package store

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"issues-index/store/cachedir"
)

// Sweep removes the temporary files that writers who died have left in the
// folders of sessions and where l, an answer of List, says that documents are,
// and returns how many. It takes the lock only when there are some: who has it
// knows that no file it saw before belongs to a writer who still lives.
func (w *Workspace) Sweep(ctx context.Context, l Listing) (removed int, err error) {
	left, problem := w.leftovers(l)
	if len(left) == 0 {
		return 0, problem
	}
	err = w.mutate(ctx, func(m *mutation) error {
		errs := []error{problem}
		for _, p := range left {
			err := m.disk.remove(p)
			if errors.Is(err, fs.ErrNotExist) { // its writer has finished since
				continue
			}
			if err == nil {
				removed++
			}
			errs = append(errs, diskError("remove", p, err))
		}
		return errors.Join(errs...)
	})
	return removed, err
}

// leftovers are the temporary files in every directory that mutations write to.
func (w *Workspace) leftovers(l Listing) ([]string, error) {
	var left []string
	for _, p := range l.Temporary {
		if real, err := w.resolve(path.Dir(p)); err == nil { // else gone, or no longer ours
			left = append(left, path.Join(real, path.Base(p)))
		}
	}
	// What a walk does not come by: our own folder, sessions, and where links lead to.
	beside := []string{CacheDir}
	sessions, err := w.sessionIDs()
	errs := []error{err}
	for _, id := range sessions {
		beside = append(beside, path.Join(sessionsDir, id))
	}
	for _, f := range l.Files {
		if !f.Stat.Symlink {
			continue
		}
		if target, err := w.resolve(f.Path); err == nil {
			beside = append(beside, path.Dir(target))
		}
	}
	for _, dir := range beside {
		real, err := w.resolve(dir)
		if err != nil {
			continue
		}
		names, err := w.disk.names(real)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, diskError("list", dir, err))
		}
		for _, name := range names {
			if cachedir.IsTemporary(name) {
				left = append(left, path.Join(real, name))
			}
		}
	}
	slices.Sort(left)
	return slices.Compact(left), errors.Join(errs...)
}
