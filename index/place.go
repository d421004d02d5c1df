package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"issues-index/store"
)

// DefaultPath is where an index lies in its workspace.
const DefaultPath = ".wrangler/cache/issues-index.db"

// memoryPath stands for an index that has no file.
const memoryPath = ":memory:"

// lockRetry is how often a lock that another process holds is tried again.
const lockRetry = 5 * time.Millisecond

// A place is where an index lies, with the locks that processes share there.
// Presence is held shared by every process that has the index open: who gets it
// exclusively is alone. Turn is held by who opens, rebuilds, scans at start or
// seals.
type place struct {
	path     string
	instead  error // why it is not where it belongs
	common   bool  // the folder has the indexes of other workspaces, too
	presence *flock.Flock
	turn     *flock.Flock
}

// findPlace chooses where the index lies: the asked path, else the workspace,
// else, where that cannot be written, the user's cache folder.
func findPlace(ws *store.Workspace, asked string) (*place, error) {
	if asked == memoryPath {
		return nil, errors.New("asked to keep the index in memory")
	}
	if asked != "" {
		return newPlace(asked)
	}
	var errs []error
	if inhabited(ws) {
		p, err := newPlace(filepath.Join(ws.Root, filepath.FromSlash(DefaultPath)))
		if err == nil {
			return p, nil
		}
		errs = append(errs, err)
	}
	path, err := cachePath(ws)
	if err != nil {
		return nil, errors.Join(append(errs, err)...)
	}
	p, err := newPlace(path)
	if err != nil {
		return nil, errors.Join(append(errs, err)...)
	}
	p.instead, p.common = errors.Join(errs...), true
	return p, nil
}

// cachePath is where the index of a workspace lies in the user's cache folder.
func cachePath(ws *store.Workspace) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder: %w", err)
	}
	root := sha256.Sum256([]byte(ws.Root))
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
	places := []string{filepath.Join(ws.Root, filepath.FromSlash(DefaultPath))}
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
		if info, err := os.Stat(filepath.Join(ws.Root, filepath.FromSlash(dir))); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

// newPlace makes the folder of an index, which ignores itself in git when it is
// the default one, and proves that it can be written.
func newPlace(path string) (*place, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("place the index: %w", err)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // as readable as the documents
		return nil, fmt.Errorf("place the index: %w", err)
	}
	if filepath.Base(dir) == "cache" {
		if err := ignoreInGit(dir); err != nil {
			return nil, err
		}
	}
	p := &place{path: path, presence: flock.New(path + ".lock"), turn: flock.New(path + ".turn")}
	if _, err := p.presence.TryRLock(); err != nil {
		return nil, fmt.Errorf("place the index: %w", err)
	}
	if err := p.presence.Unlock(); err != nil {
		return nil, fmt.Errorf("place the index: %w", err)
	}
	return p, nil
}

func ignoreInGit(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // as readable as the documents
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("place the index: %w", err)
	}
	_, err = f.WriteString("*\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("place the index: %w", err)
	}
	return nil
}

// lockTurn waits until no other process is opening or rebuilding.
func (p *place) lockTurn(ctx context.Context) (unlock func(), err error) {
	if _, err := p.turn.TryLockContext(ctx, lockRetry); err != nil {
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
	return errors.Join(p.presence.Close(), p.turn.Close())
}
