package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"issues-index/index/db"
	"issues-index/store"
)

// An indexedFile is what the index remembers of a file, to tell whether it has changed.
type indexedFile struct {
	doc              int64
	path             string
	id               string
	hash             []byte
	stat             store.Stat
	rev              int64
	created, updated int64 // milliseconds since 1970
	readAt           int64 // nanoseconds since 1970
	unwatched        bool
}

const indexedColumns = `doc, path, id, hash, size, mtime, ctime, inode, device, rev, created, updated, read_at, unwatched`

func scanIndexed(scan func(...any) error) (*indexedFile, error) {
	var k indexedFile
	var inode, device int64
	err := scan(&k.doc, &k.path, &k.id, &k.hash, &k.stat.Size, &k.stat.Mtime, &k.stat.Ctime,
		&inode, &device, &k.rev, &k.created, &k.updated, &k.readAt, &k.unwatched)
	k.stat.Inode, k.stat.Device = uint64(inode), uint64(device) //nolint:gosec // stored bit for bit
	return &k, err
}

// indexedByPath returns what the index remembers of one file, nil if nothing.
func indexedByPath(ctx context.Context, q db.Querier, path string) (*indexedFile, error) {
	k, err := scanIndexed(q.QueryRowContext(ctx, `SELECT `+indexedColumns+` FROM document WHERE path = ?`, path).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", path, err)
	}
	return k, nil
}

// indexedWhere returns all rows that a condition selects.
func indexedWhere(ctx context.Context, q db.Querier, condition string, args ...any) ([]*indexedFile, error) {
	rows, err := q.QueryContext(ctx, `SELECT `+indexedColumns+` FROM document WHERE `+condition, args...)
	if err != nil {
		return nil, fmt.Errorf("read the known files: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []*indexedFile
	for rows.Next() {
		k, err := scanIndexed(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("read the known files: %w", err)
		}
		all = append(all, k)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the known files: %w", err)
	}
	return all, nil
}

// racyWindow is how far a file's times may lag behind its last change: some
// filesystems keep whole seconds, FAT two.
const racyWindow = 2 * time.Second

// unsettledRows are the rows that were written within racyWindow of their files'
// last change, in the words of the index that lists them.
const unsettledRows = `read_at - iif(ctime, ctime, mtime) <= 2000000000`

// unchanged reports whether a file that looks like s is as it was when the
// index read it. A file that was changed shortly before it was read may have
// been changed again without its times telling, so it is read once more.
func (k *indexedFile) unchanged(s store.Stat) bool {
	return db.SameFile(k.stat, s) && k.unwatched == unwatched(s) && k.readAt-changedAt(s) > int64(racyWindow)
}

// changedAt is when the system says a file was last changed, nanoseconds since
// 1970: the ctime, which no program can set, where there is one.
func changedAt(s store.Stat) int64 {
	if s.Ctime != 0 {
		return s.Ctime
	}
	return s.Mtime
}
