package index

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"issues-index/store"
)

// A file that is moved keeps its row's number, under which the cursors of
// clients that are paging know it. Two cases are told apart. The old file's row
// may still be there: refresh drops rows last for that. Or somebody has dropped
// it already, who saw the old name gone and not yet the new one; then the table
// gone remembers its number for as long as a cursor may ask.

// moved finds the row of the file that r is under another name: of the same
// content, or, when that was changed too, of the same id. It is nil when there
// is none or no telling which. named reports that r is not to be written: its folder has got
// another name, and whoever saw that since the files were listed has written the row.
func (c *rowWriter) moved(ctx context.Context, r *record) (old *indexedFile, named bool, err error) {
	rows, err := indexedWhere(ctx, c.tx, `hash = ? OR id = ?`, r.hash, r.doc.ID)
	if err != nil {
		return nil, false, err
	}
	var sameID []*indexedFile
	for _, k := range rows {
		if !strings.HasPrefix(k.path, r.doc.Line.Folder()) { // a copy in another line
			continue
		}
		if c.exists(k.path) { // another document, or another name
			if s := r.file.Stat; k.rev > c.listedAt && !k.unwatched && !unwatched(s) && s.Device == k.stat.Device && sameLook(k.stat, s) {
				return nil, true, nil
			}
			continue
		}
		if bytes.Equal(k.hash, r.hash) && r.file.Stat.Size > 0 {
			return k, false, nil
		}
		if k.id == r.doc.ID {
			sameID = append(sameID, k)
		}
	}
	if len(sameID) != 1 {
		return nil, false, nil
	}
	return sameID[0], false, nil
}

// bury remembers the number of a document that is about to be dropped.
func (c *rowWriter) bury(ctx context.Context, doc int64) error {
	if !c.keepPast {
		return nil
	}
	if err := c.remember(ctx, doc); err != nil {
		return err
	}
	_, err := c.exec(ctx, `INSERT OR REPLACE INTO gone SELECT doc, id, CASE WHEN size > 0 THEN hash END, ? FROM document WHERE doc = ?`, c.rev, doc)
	return err
}

// revive gives a new document the number of the dropped one that it is, and
// returns the number it has then.
func (c *rowWriter) revive(ctx context.Context, doc int64, r *record) (int64, error) {
	if !c.keepPast {
		return doc, nil
	}
	var old int64
	err := c.tx.QueryRowContext(ctx, `SELECT doc FROM gone WHERE hash = ?1
		UNION ALL SELECT max(doc) FROM gone WHERE id = ?2 HAVING count(*) = 1 LIMIT 1`, r.hash, r.doc.ID).Scan(&old)
	if errors.Is(err, sql.ErrNoRows) {
		return doc, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for a moved document: %w", err)
	}
	if _, err := c.exec(ctx, `DELETE FROM gone WHERE doc = ?`, old); err != nil {
		return 0, err
	}
	_, err = c.exec(ctx, `UPDATE document SET doc = ? WHERE doc = ?`, old, doc)
	return old, err
}

// A relocation is a file that looks as its row says but for the number of its device.
// Mostly the file system was mounted again. But it may be an image that was changed
// and mounted in the place of its original.
type relocation struct {
	known *indexedFile
	file  store.File
}

// adoptBatch is how many rows get another device in one transaction.
const adoptBatch = 2048

// adopt reads relocated files, writes the number of their device to the rows of those
// that are the same, and returns the paths of the others.
func (ix *Index) adopt(ctx context.Context, relocated []relocation) (changed []string, err error) {
	same := make([]relocation, 0, len(relocated))
	var mu sync.Mutex
	group, reading := errgroup.WithContext(ctx)
	for share := range slices.Chunk(relocated, len(relocated)/runtime.GOMAXPROCS(0)+1) {
		group.Go(func() error {
			for _, r := range share {
				if err := reading.Err(); err != nil {
					return err
				}
				now, err := ix.prepares.read(r.file.Path, r.file.Collection)
				if err != nil {
					return err
				}
				mu.Lock()
				if now != nil && now.readErr == nil && bytes.Equal(now.hash, r.known.hash) && now.file.Stat == r.file.Stat {
					same = append(same, r)
				} else {
					changed = append(changed, r.file.Path)
				}
				mu.Unlock()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for batch := range slices.Chunk(same, adoptBatch) {
		if err := ix.moveRows(ctx, batch); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// moveRows writes the devices of files to rows that nobody has written since they were
// read. Nothing else in the index changes, so that cursors and rankings stay good.
func (ix *Index) moveRows(ctx context.Context, batch []relocation) error {
	c, err := ix.beginInPlace(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.tx.Rollback() }() // of no effect after the commit
	for _, r := range batch {
		k, device := r.known, int64(r.file.Stat.Device) //nolint:gosec // bit for bit
		result, err := c.exec(ctx, `UPDATE document SET device = ?3 WHERE doc = ?1 AND read_at = ?2`, k.doc, k.readAt, device)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			continue // it was written since, by what is newer
		}
		moved := k.stat
		moved.Device = r.file.Stat.Device
		c.files.drop(k.path, k.stat, k.unwatched)
		c.files.add(k.path, moved, k.unwatched)
	}
	return c.commit(ctx)
}
