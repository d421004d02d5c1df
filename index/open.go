package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
)

// How large the write-ahead log grows, in bytes, before its content is moved to the
// index file: while a change waits for that, and while nobody does. Both are above
// what SQLite leaves of the log's file, keptLog, when it begins it anew.
const (
	checkpointSize = 4 << 20
	quietSize      = 2 << 20
	keptLog        = 1 << 20
)

// connect opens the index, after building it anew where it is missing, damaged,
// of another version or other folders, or when asked to. It holds the place's
// turn. A *foreignError says that others are using the index.
func (ix *Index) connect(ctx context.Context, p *place, force bool, progress func(done, total int)) (*database, Summary, error) {
	unlock, err := p.lockTurn(ctx, ix.options.LockWait)
	var stuck *LockedError
	if errors.As(err, &stuck) {
		stuck.Path = ix.short(stuck.Path)
	}
	if err != nil {
		return nil, Summary{}, err
	}
	defer unlock()
	alone, err := p.enter()
	if err != nil {
		return nil, Summary{}, err
	}
	var summary Summary
	renewed := force
	if alone {
		if err := errors.Join(p.check(), p.removeLeftovers()); err != nil {
			return nil, Summary{}, err
		}
		if err := p.db.Restrict(); err != nil {
			return nil, Summary{}, fmt.Errorf("restrict the index: %w", err)
		}
		ix.removeBeside(p)
		if p.common {
			ix.removeForgotten(p)
		}
	}
	switch {
	case force:
		if err = ix.others(ctx, p, alone); err == nil {
			summary, err = ix.renew(ctx, p, alone, progress)
		}
	case alone:
		if reason := p.checkSeal(); reason != nil {
			ix.log.Info("building the index", "path", p.path, "reason", reason)
			renewed = true
			summary, err = ix.renew(ctx, p, true, progress)
		}
	}
	if err != nil {
		return nil, Summary{}, err
	}
	db, err := openDatabase(ctx, p.path, ix.collections, ix.options.LockWait)
	if err == nil && !renewed {
		if err = checkRows(ctx, db.read); err != nil {
			err = errors.Join(err, db.close())
		}
	}
	var foreign *foreignError
	switch {
	case err == nil:
	case ctx.Err() != nil: // nothing is wrong with the index
		return nil, Summary{}, err
	case errors.As(err, &foreign) && ix.leaves(p, foreign, alone):
		return nil, Summary{}, errors.Join(err, p.sealAgain(alone))
	default:
		ix.log.Warn("building the index again", "path", p.path, "reason", err)
		renewed = true
		if summary, err = ix.renew(ctx, p, true, progress); err != nil {
			return nil, Summary{}, err
		}
		if db, err = openDatabase(ctx, p.path, ix.collections, ix.options.LockWait); err != nil {
			return nil, Summary{}, err
		}
	}
	if renewed { // opening it has set its journal mode
		err = p.writeSeal()
	}
	if err = errors.Join(err, p.share(ctx)); err != nil {
		return nil, Summary{}, errors.Join(err, db.close())
	}
	return db, summary, nil
}

// others is a *foreignError when the index is of servers that differ from this
// one, and is left to them.
func (ix *Index) others(ctx context.Context, p *place, alone bool) error {
	if alone && p.checkSeal() != nil {
		return nil //nolint:nilerr // it is damaged, so it is nobody's
	}
	db, err := openDatabase(ctx, p.path, ix.collections, ix.options.LockWait)
	var foreign *foreignError
	if errors.As(err, &foreign) && ix.leaves(p, foreign, alone) {
		return errors.Join(err, p.sealAgain(alone))
	}
	if err != nil {
		return nil //nolint:nilerr // it will be built anew
	}
	return db.close()
}

// renew builds a new index beside the old one and puts it in its place: at once
// when nobody uses the old one, else by a copy inside it, so that whoever
// reads goes on reading.
func (ix *Index) renew(ctx context.Context, p *place, alone bool, progress func(done, total int)) (Summary, error) {
	name, summary, err := ix.construct(ctx, p, progress)
	if err != nil {
		return Summary{}, err
	}
	if !alone {
		err := copyInto(ctx, p.path, p.db.Dir.Join(name), ix.options.LockWait)
		if err == nil || ctx.Err() != nil {
			return summary, errors.Join(err, p.db.Dir.Discard(name))
		}
		ix.log.Warn("replacing the index file", "path", p.path, "reason", err)
	}
	if err := p.remove(); err != nil {
		return Summary{}, errors.Join(err, p.db.Dir.Discard(name))
	}
	if err := p.db.Dir.Rename(name, p.db.Name); err != nil {
		return Summary{}, fmt.Errorf("put the new index in place: %w", err)
	}
	return summary, p.writeSeal()
}

// construct builds an index in a new file beside the old one, and returns its name.
func (ix *Index) construct(ctx context.Context, p *place, progress func(done, total int)) (name string, s Summary, err error) {
	f, name, err := p.db.Dir.CreateUnique(p.db.Name + newSuffix)
	if err != nil {
		return "", Summary{}, fmt.Errorf("make the new index: %w", err)
	}
	if err = f.Close(); err == nil {
		s, err = build(ctx, ix.ws, p.db.Dir.Join(name), progress)
	}
	if err != nil {
		return "", Summary{}, errors.Join(err, p.db.Dir.Discard(name))
	}
	return name, s, nil
}

// copyInto overwrites the index at path with the one at side, as one change
// that readers see at once or not at all.
func copyInto(ctx context.Context, path, side string, wait time.Duration) error {
	db, err := sql.Open("sqlite", dsn(path, writeParams(wait)))
	if err != nil {
		return fmt.Errorf("open the index: %w", err)
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("open the index: %w", err)
	}
	defer func() { _ = conn.Close() }()
	err = conn.Raw(func(driver any) error {
		restorer, ok := driver.(interface {
			NewRestore(source string) (*sqlite.Backup, error)
		})
		if !ok {
			return errors.New("the driver cannot copy databases")
		}
		b, err := restorer.NewRestore(dsn(side, url.Values{"mode": {"ro"}}))
		if err != nil {
			return err
		}
		_, err = b.Step(-1)
		return errors.Join(err, b.Finish())
	})
	if err != nil {
		return fmt.Errorf("copy the new index: %w", err)
	}
	return nil
}

// memoryCount tells the in-memory indexes of one process apart.
var memoryCount atomic.Int64

// openMemory makes an index that has no file.
func openMemory(ctx context.Context, ix *Index) (*database, Summary, error) {
	name := fmt.Sprintf("file:/issues-index-%d", memoryCount.Add(1))
	params := url.Values{"vfs": {"memdb"}, "_txlock": {"immediate"}, "_pragma": {busyTimeout(ix.options.LockWait)}}
	write, err := openStatements(name + "?" + params.Encode())
	if err != nil {
		return nil, Summary{}, fmt.Errorf("open an index in memory: %w", err)
	}
	write.SetMaxOpenConns(1)
	summary, err := fill(ctx, ix.ws, write, ix.report)
	if err != nil {
		return nil, Summary{}, errors.Join(err, write.Close())
	}
	params.Del("_txlock")
	read, err := openStatements(name + "?" + params.Encode())
	if err != nil {
		return nil, Summary{}, errors.Join(fmt.Errorf("open an index in memory: %w", err), write.Close())
	}
	read.SetMaxOpenConns(maxReaders)
	return &database{path: memoryPath, write: write, read: read}, summary, nil
}

// checkpoint moves the write-ahead log into the index file when it has grown to
// a size, and seals what it made.
func (ix *Index) checkpoint(ctx context.Context, db *database, size int64) error {
	if db.file == nil {
		return nil
	}
	if log, err := os.Stat(db.path + "-wal"); err != nil || log.Size() < size {
		return nil
	}
	mine, err := ix.place.turn.TryLock()
	if err != nil || !mine {
		return nil // whoever has the turn, or changes the index next, will do it
	}
	defer func() { _ = ix.place.turn.Unlock() }()
	intact := ix.place.checkSealed()
	if _, err := db.write.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`); err != nil { // waits for nobody
		return fmt.Errorf("checkpoint the index: %w", err)
	}
	if intact != nil { // the next start will find it so, and build it anew
		ix.log.Warn("somebody else wrote to the index", "path", db.path, "error", intact)
		return nil
	}
	return ix.place.writeSeal()
}
