package sqlfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"

	"issues-index/store/cachedir"
)

// A Keeper keeps a file open between uses. It follows a file that was deleted or moved,
// and begins a new one in place of a damaged one. It is not safe for concurrent use.
type Keeper struct {
	Format
	// Place opens the folder of the file. The keeper closes it.
	Place func(ctx context.Context) (dir *cachedir.Dir, name string, err error)
	// MovedAside, if not nil, is called after a damaged file was moved.
	MovedAside func(path, kept string, reason error)

	file *OpenFile
	at   cachedir.Database // the location that was opened last, successfully or not
	seen os.FileInfo       // the file found there; nil when there was none
	ours bool              // that file could be opened
}

// Use calls use with the open file. After damage, it calls it a second time with a new
// file.
func (k *Keeper) Use(ctx context.Context, use func(*OpenFile) error) error {
	if k.file != nil && k.file.Replaced() {
		k.closeFile()
	}
	err := k.try(ctx, use)
	if !Damaged(err) || k.seen == nil {
		return err
	}
	damaged := k.at
	k.closeFile()
	kept, moved := moveAside(ctx, damaged, k.seen, k.ours)
	if moved != nil {
		return errors.Join(err, moved)
	}
	if k.MovedAside != nil {
		k.MovedAside(damaged.Path(), kept, err)
	}
	return k.try(ctx, use)
}

// try opens the file if necessary.
func (k *Keeper) try(ctx context.Context, use func(*OpenFile) error) error {
	if k.file == nil {
		if err := k.open(ctx); err != nil {
			return err
		}
	}
	return use(k.file)
}

func (k *Keeper) open(ctx context.Context) error {
	k.closeFolder()
	dir, name, err := k.Place(ctx)
	if err != nil {
		return err
	}
	k.at, k.ours = k.Database(dir, name), false
	if k.seen, err = dir.Stat(name); err != nil {
		k.seen = nil // Open creates it, or refuses it
	}
	if k.file, err = k.Open(ctx, k.at); err != nil {
		k.file = nil
		return err
	}
	k.seen, k.ours = k.file.Info, true
	return nil
}

// File returns the file that is open, nil when none is.
func (k *Keeper) File() *OpenFile { return k.file }

// Close closes the file and its folder, if they are open. The keeper can be used again.
func (k *Keeper) Close() {
	k.closeFile()
	k.closeFolder()
}

func (k *Keeper) closeFile() {
	if k.file != nil {
		_ = k.file.Close() // everything is committed: at worst the -wal file stays
		k.file = nil
	}
}

func (k *Keeper) closeFolder() {
	if k.at.Dir != nil {
		_ = k.at.Dir.Close() // it was only read
		k.at.Dir = nil
	}
}

// CorruptSuffix ends the name of a damaged file that was moved aside. Only the last
// one is kept.
const CorruptSuffix = ".corrupt"

// moveAside renames a damaged file of ours and returns its new path. seen is the file
// that was found damaged: another process may have replaced it already. opened says
// that the file could be opened before.
func moveAside(ctx context.Context, at cachedir.Database, seen os.FileInfo, opened bool) (aside string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("move a damaged file aside: %w", err)
		}
	}()
	unlock, err := lockTurn(ctx, at)
	if err != nil {
		return "", err
	}
	defer unlock()
	info, err := at.Dir.Stat(at.Name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, seen) {
		return "", nil
	}
	if err == nil && !opened { // a file that could be opened was ours
		err = at.Check()
	}
	if err != nil {
		return "", err
	}
	name := at.Name + CorruptSuffix
	if at.Dir.Check(name, at.Ours) != nil { // another program's, or too damaged to tell
		name += fmt.Sprintf("-%08x", rand.Uint32())
	}
	if err := at.Dir.Rename(at.Name, name); err != nil {
		return "", err
	}
	for _, suffix := range cachedir.Suffixes {
		err = errors.Join(err, at.Dir.Discard(at.Name+suffix))
	}
	return at.Dir.Join(name), err
}

// lockTurn waits until no other process is opening the file or moving it aside:
// between the two, a process that opened it could lose its -wal.
func lockTurn(ctx context.Context, at cachedir.Database) (unlock func(), err error) {
	lock := at.Dir.Lock(at.Name + ".lock")
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("wait for another process: %w", err)
	}
	return func() { _ = lock.Close() }, nil // the lock is released in any case
}

// Opening the file takes another process a few milliseconds.
const (
	lockTimeout = time.Second
	lockRetry   = 5 * time.Millisecond
)
