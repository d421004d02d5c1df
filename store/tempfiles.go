package store

import (
	"context"
	"errors"
	"io/fs"
	"path"

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
func (w *Workspace) tempFiles(l Listing) (found []string) {
	dirs := map[string]bool{}
	add := func(p string) []string { // returns the names there
		real, err := w.Resolve(p)
		if err != nil { // gone, or outside by now
			return nil
		}
		dirs[real] = true
		names, _ := w.disk.names(real)
		return names
	}
	// A walk does not come by the cache, the sessions, and the targets of links.
	add(CacheDir)
	for _, name := range add(SessionsDir) {
		add(path.Join(SessionsDir, name))
	}
	for _, p := range l.Temporary {
		add(path.Dir(p))
	}
	for _, f := range l.Files {
		if f.Stat.Symlink {
			if target, err := w.Resolve(f.Path); err == nil {
				add(path.Dir(target))
			}
		}
	}
	for dir := range dirs {
		names, _ := w.disk.names(dir)
		for _, name := range names {
			if cachedir.IsTemporary(name) {
				found = append(found, path.Join(dir, name))
			}
		}
	}
	return found
}
