package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

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
	unlock, err := p.lockTurn(ctx)
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
		if err := removeLeftovers(p.path); err != nil {
			return nil, Summary{}, err
		}
		ix.removeBeside(p)
		if p.common {
			ix.removeForgotten(p)
		}
	}
	switch {
	case force:
		if !alone {
			err = ix.others(ctx, p.path)
		}
		if err == nil {
			summary, err = ix.renew(ctx, p, alone, progress)
		}
	case alone:
		if reason := checkSeal(p.path); reason != nil {
			ix.log.Info("building the index", "path", p.path, "reason", reason)
			renewed = true
			summary, err = ix.renew(ctx, p, true, progress)
		}
	}
	if err != nil {
		return nil, Summary{}, err
	}
	db, err := openDatabase(ctx, p.path, ix.collections)
	var foreign *foreignError
	switch {
	case err == nil:
	case ctx.Err() != nil: // nothing is wrong with the index
		return nil, Summary{}, err
	case errors.As(err, &foreign) && !alone:
		return nil, Summary{}, err // in use by those whose it is
	default:
		ix.log.Warn("building the index again", "path", p.path, "reason", err)
		renewed = true
		if summary, err = ix.renew(ctx, p, true, progress); err != nil {
			return nil, Summary{}, err
		}
		if db, err = openDatabase(ctx, p.path, ix.collections); err != nil {
			return nil, Summary{}, err
		}
	}
	if renewed { // opening it has set its journal mode
		err = writeSeal(p.path)
	}
	if err = errors.Join(err, p.share(ctx)); err != nil {
		return nil, Summary{}, errors.Join(err, db.close())
	}
	return db, summary, nil
}

// others is a *foreignError when the index is of servers that differ from this
// one: it is not to be overwritten while it is in use.
func (ix *Index) others(ctx context.Context, path string) error {
	db, err := openDatabase(ctx, path, ix.collections)
	var foreign *foreignError
	if errors.As(err, &foreign) {
		return err
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
	side := p.path + ".new-" + strconv.Itoa(os.Getpid())
	if err := removeDatabase(side); err != nil {
		return Summary{}, err
	}
	summary, err := build(ctx, ix.ws, side, progress)
	if err != nil {
		return Summary{}, err
	}
	if !alone {
		err := copyInto(ctx, p.path, side)
		if err == nil || ctx.Err() != nil {
			return summary, errors.Join(err, removeDatabase(side))
		}
		ix.log.Warn("replacing the index file", "path", p.path, "reason", err)
	}
	if err := removeDatabase(p.path); err != nil {
		return Summary{}, err
	}
	if err := os.Rename(side, p.path); err != nil {
		return Summary{}, fmt.Errorf("put the new index in place: %w", err)
	}
	return summary, writeSeal(p.path)
}

// copyInto overwrites the index at path with the one at side, as one change
// that readers see at once or not at all.
func copyInto(ctx context.Context, path, side string) error {
	db, err := sql.Open("sqlite", dsn(path, writeParams()))
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

// removeLeftovers deletes what a rebuild that was killed left behind.
func removeLeftovers(path string) error {
	leftovers, err := filepath.Glob(globQuote(path) + ".new-*")
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	for _, leftover := range leftovers {
		if err := os.Remove(leftover); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete a leftover: %w", err)
		}
	}
	return nil
}

// globQuote makes a path match itself alone.
func globQuote(path string) string {
	quoted := make([]byte, 0, len(path))
	for i := range len(path) {
		switch path[i] {
		case '*', '?', '[':
			quoted = append(quoted, '[', path[i], ']')
		default:
			quoted = append(quoted, path[i])
		}
	}
	return string(quoted)
}

// memoryCount tells the in-memory indexes of one process apart.
var memoryCount atomic.Int64

// openMemory makes an index that has no file.
func openMemory(ctx context.Context, ix *Index) (*database, Summary, error) {
	name := fmt.Sprintf("file:/issues-index-%d", memoryCount.Add(1))
	params := url.Values{"vfs": {"memdb"}, "_txlock": {"immediate"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout)}}
	write, err := openStatements(name + "?" + params.Encode())
	if err != nil {
		return nil, Summary{}, fmt.Errorf("open an index in memory: %w", err)
	}
	write.SetMaxOpenConns(1)
	summary, err := fill(ctx, ix.ws, write, nil)
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
	intact := checkSealed(db.path)
	if _, err := db.write.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`); err != nil { // waits for nobody
		return fmt.Errorf("checkpoint the index: %w", err)
	}
	if intact != nil { // the next start will find it so, and build it anew
		ix.log.Warn("somebody else wrote to the index", "path", db.path, "error", intact)
		return nil
	}
	return writeSeal(db.path)
}
