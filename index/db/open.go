package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"issues-index/store"
	"issues-index/store/cachedir"
)

// DefaultLockWait is far longer than any process holds a lock that is at work.
const DefaultLockWait = 10 * time.Second

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

// An Opener opens the index of one workspace: where it belongs, else where it can be
// kept. It remembers the paths that could not be written. It is not safe for
// concurrent use.
type Opener struct {
	Options
	ws      *store.Workspace
	covers  coverage
	givenUp map[string]error // paths that could not be written
	noFiles error            // why no file is tried any more: the disk is full
	warned  string           // the last path other than its own that was warned of
}

// NewOpener returns an Opener for a workspace.
func NewOpener(ws *store.Workspace, o Options) *Opener {
	return &Opener{Options: o, ws: ws, covers: coverageOf(ws)}
}

// Open opens the index. It is built anew where it is missing, damaged, of another
// version or of other folders, and always when rebuild is set. Where a file
// is not this program's, the index is kept beside it, and where none can be written, in
// memory. Error: *LockedError.
func (o *Opener) Open(ctx context.Context, rebuild bool, fill Fill) (*DB, error) {
	err := o.noFiles
	for err == nil {
		l, locateErr := o.locate()
		if err = locateErr; err != nil {
			break
		}
		if l.instead != nil {
			o.warn(l.path, l.instead)
		}
		db, openErr := o.openAt(ctx, l, rebuild, fill)
		if openErr == nil || ctx.Err() != nil {
			return db, openErr
		}
		var busy *LockedError
		if rebuild && errors.As(openErr, &busy) { // another index is not what was asked for
			return nil, openErr
		}
		if err = openErr; FailureOf(err) == ReadOnly {
			o.giveUp(l.path, err)
			err = nil
		}
	}
	if o.Path != MemoryPath {
		o.warn(MemoryPath, err)
	}
	return o.openMemory(ctx, fill)
}

// openAt opens the index at a location or, while servers that cannot share it are using
// that, beside it.
func (o *Opener) openAt(ctx context.Context, l *Location, rebuild bool, fill Fill) (*DB, error) {
	for {
		db, err := o.openHere(ctx, l, rebuild, fill)
		if err == nil {
			return db, nil
		}
		suffix, tell := o.alternative(err, rebuild)
		if suffix == "" || strings.HasSuffix(l.path, suffix) {
			return nil, errors.Join(err, l.Close())
		}
		own, ownErr := l.sibling(l.files.Name + suffix)
		err = errors.Join(err, ownErr, l.Close())
		if ownErr != nil {
			return nil, err
		}
		tell(own.path)
		l = own
	}
}

// openHere opens the index at a location, under the lock for opening. An
// *incompatibleError says that others are using the index.
func (o *Opener) openHere(ctx context.Context, l *Location, rebuild bool, fill Fill) (*DB, error) {
	unlock, err := l.LockOpening(ctx, o.LockWait)
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
		if err := l.checkOurs(); err != nil {
			return nil, err
		}
		if err := l.files.Restrict(); err != nil {
			return nil, fmt.Errorf("restrict the index: %w", err)
		}
		o.removeUnused(l)
	}
	renewed := rebuild
	switch {
	case rebuild:
		if err = o.checkCompatible(ctx, l, alone); err == nil {
			err = o.renew(ctx, l, alone, fill)
		}
	case alone:
		if reason := l.CheckFingerprint(); reason != nil {
			o.Log.Info("building the index", "path", l.path, "reason", reason)
			renewed = true
			err = o.renew(ctx, l, true, fill)
		}
	}
	if err != nil {
		return nil, err
	}
	db, err := o.openFile(ctx, l)
	if err == nil && !renewed {
		if err = checkRows(ctx, db.Read); err != nil {
			err = errors.Join(err, db.closePools())
		}
	}
	var other *incompatibleError
	switch {
	case err == nil:
	case ctx.Err() != nil: // nothing is wrong with the index
		return nil, err
	case errors.As(err, &other) && o.leaves(l, other, alone):
		return nil, errors.Join(err, l.restoreFingerprint(alone))
	default:
		level := slog.LevelWarn
		if other != nil && other.layout { // somebody has changed it, and nothing is wrong
			level = slog.LevelInfo
		}
		o.Log.Log(ctx, level, "building the index again", "path", l.path, "reason", err)
		renewed = true
		if err = o.renew(ctx, l, true, fill); err != nil {
			return nil, err
		}
		if db, err = o.openFile(ctx, l); err != nil {
			return nil, err
		}
	}
	if renewed { // opening it has set its journal mode
		err = l.WriteFingerprint()
	}
	if err = errors.Join(err, l.share(ctx)); err != nil {
		return nil, errors.Join(err, db.closePools())
	}
	return db, nil
}

// renew builds a new index beside the old one and puts it in its place: at once
// when nobody uses the old one, else by a copy inside it, so that readers go on.
func (o *Opener) renew(ctx context.Context, l *Location, alone bool, fill Fill) error {
	name, err := l.construct(ctx, o.covers, fill)
	if err != nil {
		return err
	}
	if !alone {
		err := copyInto(ctx, l.path, l.files.Dir.Join(name), o.LockWait)
		if err == nil || ctx.Err() != nil {
			return errors.Join(err, l.files.Dir.Discard(name))
		}
		o.Log.Warn("replacing the index file", "path", l.path, "reason", err)
	}
	if err := l.remove(); err != nil {
		return errors.Join(err, l.files.Dir.Discard(name))
	}
	if err := l.files.Dir.Rename(name, l.files.Name); err != nil {
		return fmt.Errorf("put the new index in place: %w", err)
	}
	return l.WriteFingerprint()
}

// CanReopen reports whether to open the index again can help after a failure, and
// prepares for that: a damaged index is deleted, and one that cannot be written is kept
// elsewhere from then on.
func (o *Opener) CanReopen(db *DB, failed error) bool {
	if db == nil || db.location == nil {
		return false
	}
	l := db.location
	switch FailureOf(failed) {
	case Damaged:
		if db.Replaced() { // another process has built it again
			return true
		}
		o.Log.Warn("the index is damaged", "path", l.path, "error", failed)
		err := l.remove()
		var foreign *cachedir.ForeignError
		if err != nil && !errors.As(err, &foreign) { // Open goes around a file that is not ours
			o.giveUp(l.path, errors.Join(failed, err))
		}
	case ReadOnly:
		o.giveUp(l.path, failed)
	case NoRoom:
		o.noFiles = failed
	case Moved:
	default:
		return false
	}
	return true
}

// giveUp has the index kept at another path from now on.
func (o *Opener) giveUp(path string, reason error) {
	if o.givenUp == nil {
		o.givenUp = map[string]error{}
	}
	o.givenUp[path] = reason
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
