package index

import (
	"bytes"
	"context"
	"strings"
)

// A file that is moved keeps its row's number, under which the cursors of
// clients that are paging know it: refresh drops rows last for that. A file that is dropped
// and comes again later is a new document.

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
		if !strings.HasPrefix(k.path, r.doc.Branch.Folder()) { // a copy in another line
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
