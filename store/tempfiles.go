package store

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"issues-index/store/cachedir"
)

// RemoveStaleTempFiles removes the temporary files that dead writers have left in the
// folders of sessions and of the documents in l, an answer of List, and returns how many.
// It takes the lock only when there are some: under the lock, no file that was seen
// before belongs to a living writer. A folder that cannot be read is passed over.
func (w *Workspace) RemoveStaleTempFiles(ctx context.Context, l Listing) (removed int, err error) {
	found := w.tempFiles(l)
	if len(found) == 0 {
		return 0, nil
	}
	err = w.Mutate(ctx, func(m *Mutation) error {
		var errs []error
		for _, p := range found {
			dir, err := w.Resolve(path.Dir(p))
			if err == nil {
				err = m.disk.remove(path.Join(dir, path.Base(p)))
			}
			if errors.Is(err, fs.ErrNotExist) { // its writer has finished since
				continue
			}
			if err == nil {
				removed++
			}
			errs = append(errs, WrapDiskError("remove", p, err))
		}
		return errors.Join(errs...)
	})
	return removed, err
}

// tempFiles lists the temporary files in every directory that mutations write to: those that the walk
// has met, and those in the cache, in the folders of sessions, and beside the targets of links.
func (w *Workspace) tempFiles(l Listing) []string {
	found, dirs := slices.Clone(l.Temporary), []string{CacheDir}
	sessions, _ := w.Names(SessionsDir)
	for _, name := range sessions {
		dirs = append(dirs, path.Join(SessionsDir, name))
	}
	for _, f := range l.Files {
		if !f.Stat.Symlink {
			continue
		}
		if target, err := w.Resolve(f.Path); err == nil {
			dirs = append(dirs, path.Dir(target))
		}
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		names, _ := w.Names(dir)
		for _, name := range names {
			if cachedir.IsTemporary(name) {
				found = append(found, path.Join(dir, name))
			}
		}
	}
	return found
}
