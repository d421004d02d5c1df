// Package db is the SQLite file of an index: where it lies, its tables, its connections
// and the locks that processes share.
//
// It knows nothing of queries or of how rows are made from documents: its caller fills a
// new index. Its invariants: a file that is not ours is never changed; readers see an
// index whole, before or after it is built again; one that SQLite finds damaged is built
// again, as a new file in the place of the old one.
package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
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

// newSuffix follows the index's name in that of one that is being built, with a
// random number behind it.
const newSuffix = ".new-"

// A Location is where an index lies, with the locks that processes share there.
// presence is held shared by every process that has the index open: a process that
// gets it exclusively is alone. opening is held by a process that opens or builds.
type Location struct {
	path     string
	files    cachedir.Database
	instead  error // why it is not where it belongs
	beside   bool  // the file where it belongs is another's
	common   bool  // the folder has the indexes of other workspaces, too
	presence *flock.Flock
	opening  *flock.Flock
}

// locate chooses where the index lies: the asked path, else the workspace, else, where
// that cannot be written, the user's cache folder. Paths that have been given up are
// passed over.
func (o *Opener) locate() (*Location, error) {
	if o.Path == MemoryPath {
		return nil, errors.New("asked to keep the index in memory")
	}
	if o.Path != "" {
		return o.openAsked(o.Path)
	}
	var errs []error
	if inhabited(o.ws) {
		l, err := o.openAsked(filepath.Join(o.ws.Root, filepath.FromSlash(DefaultPath)))
		if err == nil {
			return l, nil
		}
		errs = append(errs, err)
	}
	path, err := cachePath(o.ws)
	if err == nil {
		err = o.givenUp[path]
	}
	if err != nil {
		return nil, errors.Join(append(errs, err)...)
	}
	l, err := o.openCommon(path)
	if err != nil {
		return nil, errors.Join(append(errs, err)...)
	}
	l.instead, l.common = errors.Join(errs...), true
	return l, nil
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

// openAsked opens the folder of an index, which git ignores when it is the default one.
func (o *Opener) openAsked(path string) (*Location, error) {
	path, err := filepath.Abs(path)
	if err == nil {
		err = o.givenUp[path]
	}
	if err != nil {
		return nil, fmt.Errorf("place the index: %w", err)
	}
	dir, err := o.ws.OpenCache(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("place the index: %w", err)
	}
	if path == filepath.Join(o.ws.Root, filepath.FromSlash(DefaultPath)) {
		err = dir.Restrict()
	}
	if filepath.Base(dir.Path()) == "cache" {
		err = errors.Join(err, dir.IgnoreInGit())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("place the index: %w", err), dir.Close())
	}
	return o.place(dir, filepath.Base(path))
}

// openCommon opens the folder in the user's cache that has the indexes of several
// workspaces. Nobody else has a right to it.
func (o *Opener) openCommon(path string) (*Location, error) {
	dir, err := cachedir.Open(filepath.Dir(path), 0)
	if err != nil {
		return nil, fmt.Errorf("place the index: %w", err)
	}
	if err := dir.Restrict(); err != nil {
		return nil, errors.Join(fmt.Errorf("place the index: %w", err), dir.Close())
	}
	return o.place(dir, filepath.Base(path))
}

// place is NewLocation for a name or, where a file of others stands there, beside it. It
// owns dir from now on, also when it fails.
func (o *Opener) place(dir *cachedir.Dir, name string) (*Location, error) {
	l, err := NewLocation(dir, name)
	var foreign *cachedir.ForeignError
	if errors.As(err, &foreign) {
		if l, err = NewLocation(dir, besideName(name, o.covers)); err == nil {
			l.instead, l.beside = foreign, true
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("place the index: %w", err), dir.Close())
	}
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
	err := l.checkKinds()
	if _, unlocked := dir.Stat(name + ".lock"); err == nil && unlocked != nil {
		err = l.checkOurs() // it is not used yet, and no lock is left beside a file of others
	}
	if err == nil {
		_, err = l.presence.TryRLock()
	}
	if err == nil {
		err = errors.Join(l.presence.Unlock(), l.tryWriting())
	}
	return l, err
}

// sibling is the location of another index in the same folder.
func (l *Location) sibling(name string) (*Location, error) {
	dir, err := l.files.Dir.Sub(".")
	if err != nil {
		return nil, fmt.Errorf("place the index: %w", err)
	}
	other, err := NewLocation(dir, name)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("place the index: %w", err), dir.Close())
	}
	other.beside = true
	return other, nil
}

// tryWriting proves that the locks can be written, and that files can be made beside
// them: on a file system that is mounted for reading only, a lock that is there can
// still be taken. What it makes is a leftover should the process die here.
func (l *Location) tryWriting() error {
	for _, name := range []string{l.files.Name + ".lock", l.files.Name + ".turn"} {
		if err := l.files.Dir.Touch(name); err != nil {
			return err
		}
	}
	f, name, err := l.files.Dir.CreateUnique(l.files.Name + newSuffix)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), l.files.Dir.Discard(name))
}

// checkKinds is a *cachedir.ForeignError when a link, a folder or the like stands in
// the place of one of the index's files. It opens none of them.
func (l *Location) checkKinds() error {
	for _, name := range []string{l.files.Name + ".lock", l.files.Name + ".turn"} {
		if _, err := l.files.Dir.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return cachedir.CheckKinds(l.path)
}

// checkOurs is a *cachedir.ForeignError when the index was not made by this program. No
// process may have the index open.
func (l *Location) checkOurs() error { return l.files.Check() }

// LockOpening waits until no other process is opening or rebuilding, for so long at
// most: one that was stopped, or hangs, is a *LockedError.
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
