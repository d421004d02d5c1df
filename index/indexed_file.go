package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
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

const indexedColumns = `doc, path, id, hash, size, mtime, ctime, inode, rev, created, updated, read_at, unwatched`

func scanIndexed(scan func(...any) error) (*indexedFile, error) {
	var k indexedFile
	var inode int64
	err := scan(&k.doc, &k.path, &k.id, &k.hash, &k.stat.Size, &k.stat.Mtime, &k.stat.Ctime,
		&inode, &k.rev, &k.created, &k.updated, &k.readAt, &k.unwatched)
	k.stat.Inode = uint64(inode) //nolint:gosec // stored bit for bit
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
	return readAll(ctx, q, "known files", scanIndexed, `SELECT `+indexedColumns+` FROM document WHERE `+condition, args...)
}

// sameLook reports whether two looks at a file saw one state of it. The number of its
// device is left out: containers, and some file systems, have another one after each
// start.
func sameLook(a, b store.Stat) bool {
	return a.Size == b.Size && a.Mtime == b.Mtime && a.Ctime == b.Ctime && a.Inode == b.Inode
}

// lookOf is a number that tells the states of files from each other, by their paths and by what
// the system says of them, so that all files are compared with their rows by one value.
func lookOf(path string, s store.Stat) int64 {
	look := append(make([]byte, 0, 256), path...)
	for _, n := range []uint64{uint64(s.Size), uint64(s.Mtime), uint64(s.Ctime), s.Inode} { //nolint:gosec // bit for bit
		look = binary.LittleEndian.AppendUint64(look, n)
	}
	sum := sha256.Sum256(look)
	return int64(binary.LittleEndian.Uint64(sum[:])) //nolint:gosec // bit for bit
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
	return sameLook(k.stat, s) && k.unwatched == unwatched(s) && k.readAt-changedAt(s) > int64(racyWindow)
}

// changedAt is when the system says a file was last changed, nanoseconds since
// 1970: the ctime, which no program can set, where there is one.
func changedAt(s store.Stat) int64 {
	if s.Ctime != 0 {
		return s.Ctime
	}
	return s.Mtime
}

// A candidate is a file that may differ from its row.
type candidate struct {
	path       string
	collection store.Collection
	listed     bool         // false: no walk would list the path, whatever file it leads to
	old        *indexedFile // nil: the index does not know it
	now        *record      // nil: there is no such file
	outdated   bool         // the row is to be written again, although the file is as it was
	drop       bool         // the row goes if there is no file: where it may have moved to has been read
}

// candidates are the files at some paths, each once, in one order in all processes.
func (ix *Index) candidates(paths []string) []*candidate {
	all := make([]*candidate, 0, len(paths))
	for _, path := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		c := &candidate{path: path}
		// A folder may be a collection no more.
		c.collection, c.listed = ix.ws.CollectionOf(path)
		all = append(all, c)
	}
	return all
}

// read reads the file.
func (c *candidate) read(ws *store.Workspace) (err error) {
	if c.now = nil; c.listed {
		c.now, err = readRecord(ws, c.path, &c.collection)
	}
	return err
}

// current reports whether the row says what the file says.
func (c *candidate) current() bool {
	if c.old == nil || c.now == nil {
		return c.old == nil && c.now == nil
	}
	return !c.outdated && sameLook(c.old.stat, c.now.file.Stat) && c.old.unwatched == unwatched(c.now.file.Stat) &&
		bytes.Equal(c.old.hash, c.now.hash)
}

// rewritable reports whether the row was written so soon after the file's last
// change that its times prove nothing, and the file has rested since: the row is worth
// writing again, or every scan would read the file.
func (c *candidate) rewritable() bool {
	return c.old != nil && c.now != nil && c.now.readAt-changedAt(c.now.file.Stat) > int64(racyWindow) &&
		!c.old.unchanged(c.now.file.Stat)
}

// certain reports whether the file is surely as it was read for the candidate.
func (c *candidate) certain(ws *store.Workspace) bool {
	if c.now == nil { // not read yet, or not there
		return false
	}
	stat, err := ws.Stat(c.path)
	return err == nil && sameLook(stat, c.now.file.Stat) &&
		(c.now.written || c.now.readAt-changedAt(stat) > int64(rereadWindow))
}
