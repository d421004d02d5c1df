package index

import (
	"context"
	"fmt"

	"issues-index/index/db"
	"issues-index/store"
)

// seeNumbers notes the numbers that a document's id and file name take.
func (c *rowWriter) seeNumbers(d *store.Document) {
	if c.ws.Mirror() { // where no document is made
		return
	}
	for _, name := range []string{d.ID, store.Stem(d.Path)} {
		for _, id := range c.ws.IDNumbers(d.Collection, name) {
			c.highest[id.Series] = max(c.highest[id.Series], id.Number)
		}
	}
}

// CreateConstraints is what a new document must respect of the existing ones.
type CreateConstraints struct {
	// Titled is an open or in_progress document of the type that has the title,
	// letter case and blanks around it aside; nil when there is none.
	Titled *Row
	// Highest is the highest number that any id of the series has ever had while the index
	// lived, 0 when there was none.
	Highest int
}

// IDTaken reports whether a document has an id, whatever its letter case, and counts all
// documents.
func (ix *Index) IDTaken(ctx context.Context, id string) (taken bool, documents int, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		row := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM document WHERE id_fold = ?),
			(SELECT coalesce(sum(documents), 0) FROM facet_tally)`, store.FoldID(id))
		return row.Scan(&taken, &documents)
	})
	if err != nil {
		err = fmt.Errorf("look for the id: %w", err)
	}
	return taken, documents, err
}

// CreateConstraints returns those for a new document whose id is of the series.
func (ix *Index) CreateConstraints(
	ctx context.Context, docType, series, title string,
) (p CreateConstraints, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		rows, err := rowsWhere(ctx, tx, `document d WHERE d.type = ? AND d.open_title = ? AND d.open_title <> ''
			ORDER BY d.path LIMIT 1`, docType, foldTitle(title))
		if err != nil {
			return fmt.Errorf("look for the title: %w", err)
		}
		p.Titled = nil
		if len(rows) == 1 {
			p.Titled = &rows[0]
		}
		p.Highest, err = readOne[int](ctx, tx, "read the highest id",
			`SELECT coalesce(max(number), 0) FROM id_high WHERE type = ?`, series)
		return err
	})
	return p, err
}
