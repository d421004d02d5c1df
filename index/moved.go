package index

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
)

// A file that is moved keeps its row's number, under which the cursors of
// clients that are paging know it: refresh drops rows last for that. A file that is dropped
// and comes again later is a new document.

// moved finds the row of the file that r is under another name: of the same
// content, or, when that was changed too, of the same id. It is nil when there is no such
// row, or several.
func (c *rowWriter) moved(ctx context.Context, r *record) (old *indexedFile, err error) {
	rows, err := indexedWhere(ctx, c.tx, `hash = ? OR id = ?`, r.hash, r.doc.ID)
	var sameID []*indexedFile
	for _, k := range rows {
		switch {
		case !strings.HasPrefix(k.path, r.doc.Branch.Folder()) || c.exists(k.path):
			// a copy in another line, another document or another name
		case bytes.Equal(k.hash, r.hash) && r.file.Stat.Size > 0:
			return k, nil
		case k.id == r.doc.ID:
			sameID = append(sameID, k)
		}
	}
	if len(sameID) != 1 {
		return nil, err
	}
	return sameID[0], nil
}

func (c *rowWriter) exists(path string) bool {
	_, err := c.ws.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
