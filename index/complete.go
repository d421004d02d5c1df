package index

import (
	"context"
	"errors"
	"path"
	"strings"

	"issues-index/index/db"
)

// A Completing asks which documents may be meant with the beginning of a name.
type Completing struct {
	Begun string
	// Titles also finds the documents that have what is begun in their title.
	Titles bool
	// FileNames names a document that shares its id by its file, without the folder, instead
	// of by its path. A name never is a path then.
	FileNames bool
	Wanted    func(Row) bool // nil accepts all
	Limit     int            // 0 for all
}

// A Named is a document and what to call it by: its id, or another name where others have
// the id.
type Named struct {
	Name string
	Row  Row
}

// Complete returns the documents whose name goes on from what is begun, in any case of
// letters, the latest update first. more says that there are others past the limit. It reads
// no more documents than it takes to fill the list.
func (ix *Index) Complete(ctx context.Context, c Completing) (list []Named, more bool, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		list, more, err = c.read(ctx, tx)
		return err
	})
	return list, more, err
}

func (c Completing) read(ctx context.Context, tx *db.Snapshot) (list []Named, more bool, err error) {
	full := errors.New("the list is full")
	reader := newRowReader(false)
	err = readEach(ctx, tx, "names", func(scan func(...any) error) error {
		row, err := reader.read(scan)
		name := c.name(row)
		switch {
		case err != nil || !c.fits(name, row):
		case c.Limit > 0 && len(list) == c.Limit:
			return full
		default:
			list = append(list, Named{name, row})
		}
		return err
	}, `SELECT `+reader.columns+` FROM document d INDEXED BY document_by_updated
		WHERE d.id LIKE ?1 || '%' ESCAPE '\' OR d.path LIKE ?1 || '%' ESCAPE '\'
			OR d.stem LIKE ?1 || '%' ESCAPE '\' OR (?2 AND d.title LIKE '%' || ?1 || '%' ESCAPE '\')
		ORDER BY d.updated DESC, d.path DESC`, likePattern(c.Begun), c.Titles)
	if errors.Is(err, full) {
		return list, true, nil
	}
	return list, false, err
}

// name is what to call a document by.
func (c Completing) name(row Row) string {
	isPath := strings.ContainsAny(c.Begun, `/\`) || strings.HasPrefix(c.Begun, ".")
	switch {
	case c.FileNames && row.Shared:
		return path.Base(row.Path)
	case !c.FileNames && (row.Shared || isPath):
		return row.Path
	}
	return row.ID
}

func (c Completing) fits(name string, row Row) bool {
	begins := len(name) >= len(c.Begun) && strings.EqualFold(name[:len(c.Begun)], c.Begun)
	if !begins && !(c.Titles && strings.Contains(strings.ToLower(row.Title), strings.ToLower(c.Begun))) {
		return false
	}
	return c.Wanted == nil || c.Wanted(row)
}

// likePattern is a text as LIKE takes it for itself.
func likePattern(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}
