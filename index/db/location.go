// Package db is the SQLite file of an index: where it lies, its tables, its connections
// and the locks that processes share.
//
// It knows nothing of queries or of how rows are made from documents: its caller fills a
// new index. Its invariants: a file that is not ours is never changed; readers see an
// index whole, before or after it is built again; an index that SQLite finds damaged is built
// again, as a new file in the place of the old one.
package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"issues-index/migrations"
	"issues-index/store"
	"issues-index/store/cachedir"
)

// DefaultPath is where an index lies in its workspace.
const DefaultPath = store.CacheDir + "/issues-index.db"

// MemoryPath stands for an index that has no file.
const MemoryPath = ":memory:"

// lockRetry is how often a lock that another process holds is tried again. The other
// opens or builds an index with it, which takes longer.
const lockRetry = 10 * time.Millisecond

// newSuffix follows the index's name in that of an index that is being built, with a
// random number behind it.
const newSuffix = ".new-"

// A Location is where an index lies, with the locks that processes share there.
// presence is held shared by every process that has the index open: a process that
// gets it exclusively is alone. opening is held by a process that opens or builds.
type Location struct {
	path     string
	files    cachedir.Database
	common   bool // the folder has the indexes of other workspaces, too
	presence *flock.Flock
	opening  *flock.Flock
}

// cachePath is where the index of a workspace lies in the user's cache folder. A new
// folder at the same path is another workspace: the numbers that ids had in the old
// one are free again.
func cachePath(ws *store.Workspace) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder: %w", err)
	}
	identity, err := ws.RootIdentity()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder: %w", err)
	}
	root := sha256.Sum256([]byte(ws.Root + "\n" + identity))
	return filepath.Join(cache, "issues-index", hex.EncodeToString(root[:8])+".db"), nil
}

// Paths lists the files that an index may be kept in, the first choice first, for
// callers that store files next to the index. It makes and opens nothing.
func Paths(ws *store.Workspace, asked string) []string {
	switch asked {
	case MemoryPath:
		return nil
	case "":
	default:
		return []string{asked}
	}
	var paths []string
	if inhabited(ws) && !ws.LeadsOut(store.CacheDir) {
		paths = append(paths, filepath.Join(ws.Root, filepath.FromSlash(DefaultPath)))
	}
	if path, err := cachePath(ws); err == nil {
		paths = append(paths, path)
	}
	return paths
}

// inhabited reports whether the workspace has a folder for documents. Where it
// has none, a .wrangler of ours would turn any folder the program is tried in
// into a workspace.
func inhabited(ws *store.Workspace) bool {
	return ws.HasDir(".wrangler") ||
		slices.ContainsFunc(ws.Collections, func(c store.Collection) bool { return ws.HasDir(c.Dir) })
}

// place opens the folder of an index. In the user's cache folder other users have no right to it;
// git ignores the one in the workspace.
func (o *Opener) place(path string) (l *Location, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("place the index: %w", err)
		}
	}()
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	folder := filepath.Dir(path)
	cache, err := cachePath(o.ws)
	common := err == nil && folder == filepath.Dir(cache)
	var dir *cachedir.Dir
	if common {
		dir, err = cachedir.Open(folder, 0)
	} else {
		dir, err = o.ws.OpenCache(folder)
	}
	if err != nil {
		return nil, err
	}
	if common || folder == filepath.Join(o.ws.Root, filepath.FromSlash(store.CacheDir)) {
		err = dir.Restrict()
	}
	if filepath.Base(dir.Path()) == "cache" {
		err = errors.Join(err, dir.IgnoreInGit())
	}
	if err == nil {
		l, err = NewLocation(dir, filepath.Base(path))
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	l.common = common
	return l, nil
}

// NewLocation proves that an index can be written in a folder under a name. A
// *cachedir.ForeignError says that a file of others stands there.
func NewLocation(dir *cachedir.Dir, name string) (*Location, error) {
	l := &Location{
		path:     dir.Join(name),
		files:    cachedir.Database{Dir: dir, Name: name, Application: migrations.ApplicationID},
		presence: dir.Lock(name + ".lock"), opening: dir.Lock(name + ".turn"),
	}
	err := cachedir.CheckKinds(l.path)
	if _, unlocked := dir.Stat(name + ".lock"); unlocked != nil {
		err = l.files.Check() // it is not used yet, and no lock is left beside a file of others
	}
	// On a file system that is mounted for reading only, a lock that is there can still be taken.
	for _, lock := range []string{name + ".lock", name + ".turn"} {
		if err == nil {
			err = dir.Touch(lock)
		}
	}
	if err != nil {
		return nil, err
	}
	f, probe, err := dir.CreateUnique(name + newSuffix) // a leftover should the process die here
	if err != nil {
		return nil, err
	}
	return l, errors.Join(f.Close(), dir.Discard(probe))
}

// LockOpening waits until no other process is opening or rebuilding, for so long at
// most: a process that was stopped, or hangs, is a *LockedError.
func (l *Location) LockOpening(ctx context.Context, most time.Duration) (unlock func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if _, err := l.opening.TryLockContext(waiting, lockRetry); err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return nil, &LockedError{Path: l.opening.Path(), Opening: true}
		}
		return nil, fmt.Errorf("wait for another process's start: %w", err)
	}
	return func() { _ = l.opening.Unlock() }, nil // closing the file frees it anyway
}

// Enter takes part in the index's use. alone reports whether no other process
// does; the caller holds the lock for opening.
func (l *Location) Enter() (alone bool, err error) {
	if alone, err = l.presence.TryLock(); err != nil {
		return false, fmt.Errorf("lock the index: %w", err)
	}
	return alone, nil
}

// share lets other processes take part, too.
func (l *Location) share(ctx context.Context) error {
	if err := l.presence.Unlock(); err != nil {
		return fmt.Errorf("unlock the index: %w", err)
	}
	if _, err := l.presence.TryRLockContext(ctx, lockRetry); err != nil {
		return fmt.Errorf("lock the index: %w", err)
	}
	return nil
}

// Close ends the part in the index's use and frees the locks.
func (l *Location) Close() error {
	return errors.Join(l.presence.Close(), l.opening.Close(), l.files.Dir.Close())
}
