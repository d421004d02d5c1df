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
// before belongs to a living writer.
func (w *Workspace) RemoveStaleTempFiles(ctx context.Context, l Listing) (removed int, err error) {
	found, problem := w.tempFiles(l)
	if len(found) == 0 {
		return 0, problem
	}
	err = w.Mutate(ctx, func(m *Mutation) error {
		errs := []error{problem}
		for _, p := range found {
			err := m.disk.remove(p)
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

// tempFiles lists the temporary files in every directory that mutations write to.
func (w *Workspace) tempFiles(l Listing) ([]string, error) {
	var found []string
	for _, p := range l.Temporary {
		if real, err := w.Resolve(path.Dir(p)); err == nil { // else gone, or outside by now
			found = append(found, path.Join(real, path.Base(p)))
		}
	}
	var errs []error
	list := func(dir string) (real string, names []string) {
		real, err := w.Resolve(dir)
		if err != nil {
			return "", nil
		}
		names, err = w.disk.names(real)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, WrapDiskError("list", dir, err))
		}
		return real, names
	}
	// A walk does not come by the cache, the sessions, and the targets of links.
	dirs := []string{CacheDir}
	sessions, names := list(SessionsDir)
	for _, name := range names {
		if info, err := w.disk.lstat(path.Join(sessions, name)); err != nil || info.Mode().IsRegular() {
			continue
		}
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
	for _, dir := range dirs {
		real, names := list(dir)
		for _, name := range names {
			if cachedir.IsTemporary(name) {
				found = append(found, path.Join(real, name))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), errors.Join(errs...)
}
