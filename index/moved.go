package index

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// A file that is moved keeps its row's number, under which the cursors of
// clients that are paging know it. Two cases are told apart. The old file's row
// may still be there: refresh drops rows last for that. Or somebody has dropped
// it already, who saw the old name gone and not yet the new one; then the table
// gone remembers its number for as long as a cursor may ask.

// moved finds the row of the file that r is under another name: of the same
// content, or, when that was changed too, of the same id. It is nil when there is no such
// row, or several. alreadyWritten reports that r is not to be written: its folder has got
// another name, and the process that saw that since the files were listed has written the row.
func (c *rowWriter) moved(ctx context.Context, r *record) (old *indexedFile, alreadyWritten bool, err error) {
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
			if s := r.file.Stat; k.rev > c.listedAt && !k.unwatched && !unwatched(s) && sameLook(k.stat, s) {
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
