package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"issues-index/migrations"
	"issues-index/store"
	"issues-index/store/cachedir"
)

// DefaultPath is where an index lies in its workspace.
const DefaultPath = store.CacheDir + "/issues-index.db"

// memoryPath stands for an index that has no file.
const memoryPath = ":memory:"

// lockRetry is how often a lock that another process holds is tried again. The other
// opens, builds or seals an index with it, which takes longer.
const lockRetry = 10 * time.Millisecond

// newSuffix follows the index's name in that of one that is being built, with a
// random number behind it.
const newSuffix = ".new-"

// A place is where an index lies, with the locks that processes share there.
// Presence is held shared by every process that has the index open: who gets it
// exclusively is alone. Turn is held by who opens, rebuilds, scans at start or
// seals.
type place struct {
	path     string
	db       cachedir.Database
	instead  error // why it is not where it belongs
	common   bool  // the folder has the indexes of other workspaces, too
	presence *flock.Flock
	turn     *flock.Flock
}

// findPlace chooses where the index lies: the asked path, else the workspace,
// else, where that cannot be written, the user's cache folder. Places that have been
// given up, for a reason each, are passed over.
func findPlace(ws *store.Workspace, asked string, givenUp map[string]error) (*place, error) {
	if asked == memoryPath {
		return nil, errors.New("asked to keep the index in memory")
	}
	if asked != "" {
		return openPlace(ws, asked, givenUp)
	}
	var errs []error
	if inhabited(ws) {
		p, err := openPlace(ws, filepath.Join(ws.Root, filepath.FromSlash(DefaultPath)), givenUp)
		var foreign *cachedir.ForeignError
		if err == nil || errors.As(err, &foreign) {
			return p, err
		}
		errs = append(errs, err)
	}
	path, err := cachePath(ws)
	if err == nil {
		err = givenUp[path]
	}
	if err != nil {
		return nil, errors.Join(append(errs, err)...)
	}
	p, err := openCommonPlace(path)
	if err != nil {
		return nil, errors.Join(append(errs, err)...)
	}
	p.instead, p.common = errors.Join(errs...), true
	return p, nil
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

// Places are the files that an index may be kept in, the first choice first,
// for who looks for what is kept beside it. It makes and opens nothing.
func Places(ws *store.Workspace, asked string) []string {
	switch asked {
	case memoryPath:
		return nil
	case "":
	default:
		return []string{asked}
	}
	var places []string
	if !ws.LeadsOut(store.CacheDir) {
		places = append(places, filepath.Join(ws.Root, filepath.FromSlash(DefaultPath)))
	}
	if path, err := cachePath(ws); err == nil {
		places = append(places, path)
	}
	return places
}

// inhabited reports whether the workspace has a folder for documents. Where it
// has none, a .wrangler of ours would turn any folder the program is tried in
// into a workspace.
func inhabited(ws *store.Workspace) bool {
	for _, dir := range []string{".wrangler", ws.Collections[0].Dir, ws.Collections[1].Dir, ws.Collections[2].Dir} {
		if ws.HasDir(dir) {
			return true
		}
	}
	return false
}

// openPlace opens the folder of an index, which ignores itself in git when it is
// the default one.
func openPlace(ws *store.Workspace, path string, givenUp map[string]error) (*place, error) {
	path, err := filepath.Abs(path)
	if err == nil {
		err = givenUp[path]
	}
	if err != nil {
		return nil, fmt.Errorf("place the index: %w", err)
	}
	dir, err := ws.OpenCache(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("place the index: %w", err)
	}
	if path == filepath.Join(ws.Root, filepath.FromSlash(DefaultPath)) {
		err = dir.Restrict()
	}
	if filepath.Base(dir.Path()) == "cache" {
		err = errors.Join(err, dir.IgnoreInGit())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("place the index: %w", err), dir.Close())
	}
	return newPlace(dir, filepath.Base(path))
}

// openCommonPlace opens the folder in the user's cache that has the indexes of
// several workspaces. Nobody else has a right to it.
func openCommonPlace(path string) (*place, error) {
	dir, err := cachedir.Open(filepath.Dir(path), 0)
	if err != nil {
		return nil, fmt.Errorf("place the index: %w", err)
	}
	if err := dir.Restrict(); err != nil {
		return nil, errors.Join(fmt.Errorf("place the index: %w", err), dir.Close())
	}
	return newPlace(dir, filepath.Base(path))
}

// newPlace proves that the place can be written. It owns dir from now on, also when
// it fails.
func newPlace(dir *cachedir.Dir, name string) (*place, error) {
	p := &place{
		path:     dir.Join(name),
		db:       cachedir.Database{Dir: dir, Name: name, Application: migrations.ApplicationID},
		presence: dir.Lock(name + ".lock"), turn: dir.Lock(name + ".turn"),
	}
	err := p.checkKinds()
	if _, unlocked := dir.Stat(p.db.Name + ".lock"); err == nil && unlocked != nil {
		err = p.check() // nobody has used it yet, and no lock is left beside a file that is not ours
	}
	if err == nil {
		_, err = p.presence.TryRLock()
	}
	if err == nil {
		err = errors.Join(p.presence.Unlock(), p.tryWriting())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("place the index: %w", err), dir.Close())
	}
	return p, nil
}

// tryWriting proves that the locks can be written, and that files can be made beside
// them: on a file system that is mounted for reading only, a lock that is there can
// still be taken. What it makes is a leftover should the process die here.
func (p *place) tryWriting() error {
	for _, name := range []string{p.db.Name + ".lock", p.db.Name + ".turn"} {
		if err := p.db.Dir.Touch(name); err != nil {
			return err
		}
	}
	f, name, err := p.db.Dir.CreateUnique(p.db.Name + newSuffix)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), p.db.Dir.Discard(name))
}

// checkKinds is a *cachedir.ForeignError when a link, a folder or the like stands in
// the place of one of the index's files. It opens none of them.
func (p *place) checkKinds() error {
	for _, name := range []string{p.db.Name + ".lock", p.db.Name + ".turn", p.sealName()} {
		if _, err := p.db.Dir.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return cachedir.CheckKinds(p.path)
}

// check is a *cachedir.ForeignError when one of the index's files was not made by
// this program. Nobody may have the index open.
func (p *place) check() error {
	return errors.Join(p.db.Check(p.sealed), p.db.Dir.Check(p.sealName(), isSeal))
}

// removeLeftovers deletes what a rebuild that was killed left behind.
func (p *place) removeLeftovers() error {
	names, err := p.db.Dir.Names(p.db.Name + newSuffix)
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	for _, name := range names {
		if err := p.db.Dir.Remove(name, p.db.Ours); err != nil {
			return fmt.Errorf("delete a leftover: %w", err)
		}
	}
	return nil
}

// remove deletes the index.
func (p *place) remove() error {
	if err := p.db.Remove(p.sealed); err != nil {
		return fmt.Errorf("delete the index: %w", err)
	}
	return nil
}

// lockTurn waits until no other process is opening or rebuilding, for so long at most:
// one that was stopped, or hangs, is a *LockedError.
func (p *place) lockTurn(ctx context.Context, most time.Duration) (unlock func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if _, err := p.turn.TryLockContext(waiting, lockRetry); err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return nil, &LockedError{Path: p.turn.Path(), Opening: true}
		}
		return nil, fmt.Errorf("wait for another process's start: %w", err)
	}
	return func() { _ = p.turn.Unlock() }, nil // closing the file frees it anyway
}

// enter takes part in the index's use. alone reports whether no other process
// does; the caller holds the turn.
func (p *place) enter() (alone bool, err error) {
	if alone, err = p.presence.TryLock(); err != nil {
		return false, fmt.Errorf("lock the index: %w", err)
	}
	return alone, nil
}

// share lets other processes take part, too.
func (p *place) share(ctx context.Context) error {
	if err := p.presence.Unlock(); err != nil {
		return fmt.Errorf("unlock the index: %w", err)
	}
	if _, err := p.presence.TryRLockContext(ctx, lockRetry); err != nil {
		return fmt.Errorf("lock the index: %w", err)
	}
	return nil
}

// leave ends the part in the index's use.
func (p *place) leave() error {
	return errors.Join(p.presence.Close(), p.turn.Close(), p.db.Dir.Close())
}
