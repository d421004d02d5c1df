package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"issues-index/store"
	"issues-index/store/cachedir"
)

// DefaultLockWait is far longer than any process holds a lock that is at work.
const DefaultLockWait = 10 * time.Second

// buildWaits is for how many times LockWait another process may take to build the index
// when this one would build it, too, as when both see that many files have changed: two
// minutes by default, some times what 100,000 documents take.
const buildWaits = 12

// Options says where the index of a workspace lies and how to open it.
type Options struct {
	// Path of the index file; "" is DefaultPath in the workspace.
	Path string
	// LockWait is how long to wait for another process that has locked the index.
	LockWait time.Duration
	Log      *slog.Logger
	Now      func() time.Time
	// Small keeps less in memory: many indexes are open in the process.
	Small bool
}

// Fill writes all documents into an index that has tables but no indexes on them.
type Fill func(ctx context.Context, db *sql.DB) error

// AnyGeneration in place of an outdated generation has Open build the index whatever is there.
const AnyGeneration = "any"

// An Opener opens the index of one workspace: where it belongs, else where it can be
// kept. It passes over paths that could not be written, and remembers the file that was damaged.
// It is not safe for concurrent use.
type Opener struct {
	Options
	ws      *store.Workspace
	covers  coverage
	path    string      // that was tried last
	failed  []string    // paths that are tried no more
	reason  error       // why
	damaged os.FileInfo // the file that is to be built again; nil for none
	warned  string      // the last path other than its own that was warned of
}

// NewOpener returns an Opener for a workspace.
func NewOpener(ws *store.Workspace, o Options) *Opener {
	return &Opener{Options: o, ws: ws, covers: coverageOf(ws)}
}

// Exists reports whether there is a file where the index may lie.
func (o *Opener) Exists() bool {
	for _, path := range Paths(o.ws, o.Path) {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}

// Open opens the index. It is built where it is missing, damaged, of another layout or of
// an older schema, and where it is of the generation that is outdated, "" for none.
// Where the file belongs to others, the index is kept beside it, and where no file can be
// written, in memory. Error: *LockedError.
func (o *Opener) Open(ctx context.Context, outdated string, fill Fill) (*DB, error) {
	reason := o.reason
	for _, o.path = range Paths(o.ws, o.Path) {
		if slices.Contains(o.failed, o.path) {
			continue
		}
		db, err := o.openAt(ctx, outdated, fill)
		if err == nil && reason != nil {
			o.warn(db.Path, reason)
		}
		if err == nil || ctx.Err() != nil {
			return db, err
		}
		var busy *LockedError
		held := errors.As(err, &busy)
		if outdated != "" && held || outdated == AnyGeneration && errors.Is(err, errHeld) {
			return nil, err // another index is not what was asked for
		}
		if reason = errors.Join(reason, err); held {
			break
		}
	}
	if o.Path != MemoryPath {
		o.warn(MemoryPath, reason)
	}
	return o.openMemory(ctx, fill)
}

// openAt opens the index at its path, or beside it where the file belongs to others.
func (o *Opener) openAt(ctx context.Context, outdated string, fill Fill) (*DB, error) {
	db, err := o.openHere(ctx, o.path, outdated, fill)
	beside := filepath.Join(filepath.Dir(o.path), besideName(filepath.Base(o.path), o.covers))
	var foreign *cachedir.ForeignError
	var other *otherError
	switch {
	case errors.As(err, &foreign):
		o.warn(beside, foreign)
	case errors.As(err, &other):
		o.Log.Info("using an index of our own", "path", beside, "reason", other)
	default:
		return db, err
	}
	return o.openHere(ctx, beside, outdated, fill)
}

// openHere opens the index at a path, under the lock for opening. An *otherError or
// a *cachedir.ForeignError says that the file belongs to others.
func (o *Opener) openHere(ctx context.Context, path, outdated string, fill Fill) (db *DB, err error) {
	l, err := o.place(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	wait := o.LockWait
	if outdated != "" {
		wait *= buildWaits
	}
	unlock, err := l.LockOpening(ctx, wait)
	var stuck *LockedError
	if errors.As(err, &stuck) {
		stuck.Path = o.short(stuck.Path)
	}
	if err != nil {
		return nil, err
	}
	defer unlock()
	alone, err := l.Enter()
	if err != nil {
		return nil, err
	}
	if alone {
		if err := l.files.Check(); err != nil {
			return nil, err
		}
		if err := l.files.Restrict(); err != nil {
			return nil, fmt.Errorf("restrict the index: %w", err)
		}
	}
	db, err = o.openIntact(ctx, l, outdated)
	var other *otherError
	switch {
	case err == nil:
	case ctx.Err() != nil: // nothing is wrong with the index
		return nil, err
	case errors.As(err, &other) && (!alone || other.kept > 0 && !o.unchangedFor(other.kept, l.files.Dir, l.files.Name)):
		return nil, err
	default:
		level := slog.LevelInfo
		if FailureOf(err) == Damaged || other != nil && other.kept > 0 {
			level = slog.LevelWarn
		}
		o.Log.Log(ctx, level, "building the index", "path", l.path, "reason", err)
		if err := o.build(ctx, l, fill); err != nil {
			return nil, err
		}
		if db, err = o.openFile(ctx, l); err != nil {
			return nil, err
		}
	}
	o.damaged = nil
	if alone {
		o.removeUnused(l)
	}
	if err := l.share(ctx); err != nil {
		return nil, errors.Join(err, db.closePools())
	}
	return db, nil
}

var (
	errOutdated = errors.New("it is to be built again")
	errHeld     = errors.New("delete the old index, which another program may have open")
)

// openIntact is openFile for an index that is not to be built again.
func (o *Opener) openIntact(ctx context.Context, l *Location, outdated string) (*DB, error) {
	if o.damaged != nil { // unless another process has built it again since
		if now, err := os.Stat(l.path); err == nil && os.SameFile(now, o.damaged) {
			return nil, ErrDamaged
		}
	}
	db, err := o.openFile(ctx, l)
	if err == nil && (outdated == AnyGeneration || outdated == db.generation) {
		return nil, errors.Join(errOutdated, db.closePools())
	}
	return db, err
}

// build makes a new index beside the old one and puts it in its place. Processes that
// have the old one open read it on, and open the new one at their next call.
func (o *Opener) build(ctx context.Context, l *Location, fill Fill) error {
	f, name, err := l.files.Dir.CreateUnique(l.files.Name + newSuffix)
	if err != nil {
		return fmt.Errorf("make the new index: %w", err)
	}
	if err = f.Close(); err == nil {
		err = build(ctx, l.files.Dir.Join(name), o.covers, fill)
	}
	if err == nil {
		if err = l.files.Discard(); err != nil {
			err = fmt.Errorf("%w: %w", errHeld, err)
		}
	}
	if err != nil {
		return errors.Join(err, l.files.Dir.Discard(name))
	}
	if err := l.files.Dir.Rename(name, l.files.Name); err != nil {
		return fmt.Errorf("put the new index in place: %w", err)
	}
	return nil
}

// CanReopen reports whether to open the index again can help after a failure, and
// prepares for that: a damaged index is built again then, and an index that cannot be written
// is kept elsewhere.
func (o *Opener) CanReopen(db *DB, failed error) bool {
	if db == nil || db.location == nil {
		return false
	}
	l := db.location
	switch FailureOf(failed) {
	case Damaged:
		o.Log.Warn("the index is damaged", "path", l.path, "error", failed)
		o.damaged = db.file
	case ReadOnly:
		o.failed, o.reason = append(o.failed, o.path), failed
	case DiskFailed:
		o.failed, o.reason = Paths(o.ws, o.Path), failed
	case Moved:
	default:
		return false
	}
	return true
}

// short is a path relative to the workspace when it lies there.
func (o *Opener) short(path string) string {
	if rel, err := filepath.Rel(o.ws.Root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// warn says, once, that the index is not where it belongs.
func (o *Opener) warn(path string, reason error) {
	if o.warned != path {
		o.Log.Warn("keeping the index elsewhere", "path", path, "reason", reason)
	}
	o.warned = path
}
