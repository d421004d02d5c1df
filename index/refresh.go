package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"issues-index/store"
)

// refreshBatch is how many files one transaction brings up to date, so that
// other processes wait for none longer than some milliseconds.
const refreshBatch = 128

// heldBytes is how many bytes of files are read together before they are written: more are, if a
// file alone has more. Few of them make a batch where they are large.
const heldBytes = 8 << 20

// rereadWindow: a file that changed this shortly ago is read again inside the
// transaction, since its times may not tell two changes apart, unless this process has just
// written it and read it back.
const rereadWindow = 100 * time.Millisecond

// RefreshWritten brings the rows of documents that the caller has just written up to date,
// at a cost that does not grow with the workspace. Callers answer
// only after it. If it fails, the file is written all the same, and the next read compares all files.
// The files are read again only if they have changed since, and their events need no second look.
func (ix *Index) RefreshWritten(ctx context.Context, written ...store.Written) error {
	var paths []string
	records := make(map[string]*record, len(written))
	for _, w := range written {
		paths = append(paths, w.Path)
		if w.OldPath != "" {
			paths = append(paths, w.OldPath)
		}
		if w.After != nil {
			records[w.Path] = &record{
				file: w.File, hash: hashOf(w.Data), readAt: w.ReadAt.UnixNano(), doc: w.After, written: true,
			}
		}
	}
	if err := ix.lock(ctx); err != nil {
		return err
	}
	defer ix.unlock()
	if ix.closed {
		return errClosed
	}
	if ix.db == nil || ix.db.Replaced() {
		return ix.recover(ctx, ix.open(ctx)) // reads all files, those among them
	}
	batch := ix.candidates(paths)
	for _, c := range batch {
		if c.listed {
			c.now = records[c.path]
		}
		c.drop = c.now == nil
	}
	err := ix.apply(ctx, batch)
	if err == nil && slices.ContainsFunc(batch, (*candidate).gone) {
		ix.stale = true // another program has moved what was written
	} else if err == nil {
		for _, c := range batch {
			stat := store.Stat{}
			if c.now != nil {
				stat = c.now.file.Stat
			}
			ix.own.Note(c.path, stat)
		}
	}
	if err = ix.recover(ctx, err); err != nil {
		ix.stale = true // the next read compares all files
		ix.log.Warn("follow a change of a document", "paths", paths, "error", err)
	}
	return err
}

// refresh brings the rows of files up to date with what is on disk now. Files
// that have not changed cost a read and no lock. Changes under way
// have been awaited. The rows of files that are gone stay, and are returned: a file
// may have been moved by another program to where no scan has looked yet. Once that is
// read, dropGone drops them.
func (ix *Index) refresh(ctx context.Context, all []*candidate) (gone []*candidate, err error) {
	var batch, vanished []*candidate
	held := int64(0) // bytes of the batch's files
	apply := func() error {
		if err := ix.apply(ctx, batch); err != nil {
			return err
		}
		for _, c := range batch {
			if c.gone() {
				vanished = append(vanished, c)
			}
		}
		clear(batch)
		batch, held = batch[:0], 0
		return nil
	}
	report := func(done int) {
		if len(all) >= refreshBatch {
			ix.work.report(done, len(all))
		}
	}
	defer report(len(all))
	for i, c := range all {
		all[i] = nil // what is read of a file is not kept once it is applied
		report(i)
		if c.old, err = indexedByPath(ctx, ix.db.Read, c.path); err != nil {
			return nil, err
		}
		if err := c.read(ix.ws); err != nil {
			return nil, err
		}
		if c.current() && !c.rewritable() {
			continue
		}
		if c.now == nil {
			vanished = append(vanished, c)
			continue
		}
		batch, held = append(batch, c), held+c.now.file.Stat.Size
		if len(batch) == refreshBatch || held >= heldBytes {
			if err := apply(); err != nil {
				return nil, err
			}
		}
	}
	if err := apply(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(vanished, func(c *candidate) bool { // of those that moved, the rows have moved with them
		old, err := indexedByPath(ctx, ix.db.Read, c.path)
		return err == nil && old == nil
	}), nil
}

// dropGone drops the rows of files that are still gone.
func (ix *Index) dropGone(ctx context.Context, gone []*candidate) error {
	for batch := range slices.Chunk(gone, refreshBatch) {
		for _, c := range batch {
			c.drop = true
		}
		if err := ix.apply(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// gone reports that a candidate has no file, and perhaps a row, which stays.
func (c *candidate) gone() bool { return c.now == nil && !c.drop }

// errAbandoned says that the workspace's folder is not at its path any more. The index
// may be that of the folder there by now, and is not changed.
var errAbandoned = errors.New("the index follows the workspace's folder no more")

// inPlace fails with errAbandoned if the workspace's folder is no longer at its path.
func (ix *Index) inPlace() error {
	if err := ix.ws.InPlace(); err != nil {
		return fmt.Errorf("%w: %w", errAbandoned, err)
	}
	return nil
}

// begin begins to write the rows of the folder that the index was made for, as of the commit
// that is checked out. It fails with errAbandoned if that folder is no longer at its path. It
// looks within the transaction: those who serve the new folder opened the index after it came,
// and wait for this; and a process that begins to write before a commit must not undo, in rows,
// what others have learned of it meanwhile.
func (ix *Index) begin(ctx context.Context) (*rowWriter, error) {
	for {
		c, err := beginWriting(ctx, ix.ws, ix.db.Write, ix.now())
		if err != nil {
			return nil, err
		}
		gone := ix.inPlace()
		if gone == nil && ix.ws.KnowsCommits() {
			return c, nil
		}
		_ = c.tx.Rollback() // nothing was written, and git may take long
		if gone != nil {
			return nil, gone
		}
		if _, err := ix.learnCommits(ctx); err != nil {
			return nil, err
		}
	}
}

// apply writes candidates in one transaction. Under its lock each file is
// looked at again, and read again unless it is certain to be the same: a row
// never goes back to an older state of its file, although other processes write.
func (ix *Index) apply(ctx context.Context, batch []*candidate) error {
	if len(batch) == 0 {
		return nil
	}
	c, err := ix.begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.tx.Rollback() }() // of no effect after the commit
	c.ix = ix
	// The transaction can be broken off. Single statements that can be have a
	// goroutine each.
	ctx = context.WithoutCancel(ctx)
	if err := ix.writeBatch(ctx, c, batch); err != nil {
		return err
	}
	if err := c.commit(ctx); err != nil {
		return err
	}
	ix.unmerged = ix.unmerged || c.vocabulary != nil
	return nil
}

// writeBatch writes what differs of candidates, after it has read the files again that
// may have changed.
func (ix *Index) writeBatch(ctx context.Context, c *rowWriter, batch []*candidate) error {
	for _, one := range batch {
		var err error
		if one.old, err = indexedByPath(ctx, c.tx, one.path); err != nil {
			return err
		}
		if !one.certain(ix.ws) {
			if err := one.read(ix.ws); err != nil {
				return err
			}
		}
		if one.now == nil || one.current() && !one.rewritable() {
			continue
		}
		one.now.prepare(ix.ws)
		if err := c.write(ctx, one); err != nil {
			return fmt.Errorf("index %s: %w", one.path, err)
		}
	}
	for _, one := range batch {
		if one.now == nil && one.drop {
			if err := c.remove(ctx, one.path); err != nil {
				return fmt.Errorf("drop %s: %w", one.path, err)
			}
		}
	}
	return nil
}

// quietSize is how large the write-ahead log grows, in bytes, before its content is moved to the
// index file in a pause: above what SQLite leaves of the log's file when it begins it anew.
const quietSize = 2 << 20

// mergedPages is how much of the full-text table one merge writes, in pages of
// 4 KB: some milliseconds' worth.
const mergedPages = 64

// idleMaintenance does, while no call waits, what changes leave to be done, or would have to
// wait for when much of it has gathered.
func (ix *Index) idleMaintenance(ctx context.Context) error {
	if ix.unmerged { // brings together what single changes have written to the full-text table
		ix.unmerged = false
		const merge = `INSERT INTO search (search, rank) VALUES ('merge', ?)`
		if _, err := ix.db.Write.ExecContext(ctx, merge, mergedPages); err != nil {
			return fmt.Errorf("merge the full-text table: %w", err)
		}
	}
	return ix.db.Checkpoint(ctx, quietSize)
}
