package index

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"issues-index/store"
)

// A relocation is a file that looks as its row says but for the number of its device.
// Mostly the file system was mounted again. But it may be an image that was changed
// and mounted in the place of its original.
type relocation struct {
	known *known
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
	c, err := beginChanges(ctx, ix.db.Write, ix.now())
	if err != nil {
		return err
	}
	defer func() { _ = c.tx.Rollback() }() // of no effect after the commit
	if err := ix.ws.InPlace(); err != nil {
		return fmt.Errorf("%w: %w", errAbandoned, err)
	}
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
