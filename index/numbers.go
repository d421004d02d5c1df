package index

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"issues-index/index/db"
	"issues-index/store"
)

// seeNumbers notes the numbers that a document's id and file name take.
func (c *rowWriter) seeNumbers(ctx context.Context, doc int64, d *store.Document) error {
	if c.ws.Mirror() { // where no document is made
		return nil
	}
	for _, id := range slices.Concat(c.ws.IDNumbers(d.Collection, d.ID), c.ws.IDNumbers(d.Collection, stem(d.Path))) {
		if id.Number <= store.MaxNumberGap { // which is never an outlier
			c.highest[id.Series] = max(c.highest[id.Series], id.Number)
			continue
		}
		c.highest[id.Series] = max(c.highest[id.Series], 0)
		c.far = true
		if _, err := c.exec(ctx, `INSERT OR IGNORE INTO id_far VALUES (?, ?, ?)`, id.Series, id.Number, doc); err != nil {
			return err
		}
	}
	return nil
}

// keepHighest notes a number that ids of a series have had.
const keepHighest = `INSERT INTO id_high VALUES (?, ?) ON CONFLICT DO UPDATE SET number = max(number, excluded.number)`

// writeHighest keeps the highest number of each series that was written.
func (c *rowWriter) writeHighest(ctx context.Context) error {
	for series, number := range c.highest {
		if c.far {
			highest, far, err := readNumbers(ctx, c.tx, series)
			if err != nil {
				return err
			}
			number = c.climb(max(highest, number), far)
		}
		if _, err := c.exec(ctx, keepHighest, series, number); err != nil {
			return err
		}
	}
	return nil
}

// climb is store.HighestNumber of the numbers that documents have. A file that was
// renamed may have its old row still: it must not make an outlier of the new name
// look like one of several.
func (c *rowWriter) climb(base int, far []farNumber) int {
	number := store.HighestNumber(base, numbersOf(far))
	if number == base || c.exists == nil {
		return number
	}
	there := slices.DeleteFunc(far, func(f farNumber) bool { return f.number <= base || !c.exists(f.path) })
	return store.HighestNumber(base, numbersOf(there))
}

// A farNumber is a number above the highest of its series, and the document that has
// it.
type farNumber struct {
	number   int
	path, id string
}

func numbersOf(far []farNumber) []int {
	var numbers []int
	for _, f := range far {
		numbers = append(numbers, f.number)
	}
	return numbers
}

// readNumbers returns the highest number that any id of a series has ever had,
// outliers aside, and the numbers above it that documents have now. Between
// changes of the index these are the outliers.
func readNumbers(ctx context.Context, tx db.Querier, series string) (highest int, far []farNumber, err error) {
	far, err = readAll(ctx, tx, "highest id", func(scan func(...any) error) (f farNumber, err error) {
		var number sql.NullInt64
		var path, id sql.NullString
		err = scan(&highest, &number, &path, &id)
		return farNumber{int(number.Int64), path.String, id.String}, err
	}, `SELECT h.number, f.number, d.path, d.id
		FROM (SELECT coalesce(max(number), 0) AS number FROM id_high WHERE type = ?1) h
		LEFT JOIN id_far f ON f.type = ?1 AND f.number > h.number
		LEFT JOIN document d ON d.doc = f.doc`, series)
	return highest, slices.DeleteFunc(far, func(f farNumber) bool { return f.number == 0 }), err
}

// outlyingIDs finds the documents whose numbers are outliers.
func outlyingIDs(ctx context.Context, tx *db.Snapshot) ([]DocumentProblem, error) {
	var all []DocumentProblem
	for _, docType := range store.Types {
		base, far, err := readNumbers(ctx, tx, docType)
		if err != nil {
			return nil, err
		}
		highest := store.HighestNumber(base, numbersOf(far))
		for _, f := range far {
			if f.number > highest {
				all = append(all, DocumentProblem{f.path, f.id, store.Problem{
					Code: problemOutlyingID, Message: fmt.Sprintf("the number %d is too far above the others: new ids do not go on from it", f.number),
				}})
			}
		}
	}
	return all, nil
}

// CreateConstraints is what a new document must respect of the existing ones.
type CreateConstraints struct {
	// Titled is an open or in_progress document of the type that has the title,
	// letter case and blanks around it aside; nil when there is none.
	Titled *Row
	// Highest is the highest number, without outliers, that any id of the series has ever
	// had while the index lived, 0 when there was none.
	Highest int
	// Outliers are the numbers above it that documents have.
	Outliers []int
}

// IDTaken reports whether a document has an id, whatever its letter case, and counts all
// documents.
func (ix *Index) IDTaken(ctx context.Context, id string) (taken bool, documents int, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		row := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM document WHERE id_fold = ?), (SELECT coalesce(sum(documents), 0) FROM facet_tally)`, store.FoldID(id))
		return row.Scan(&taken, &documents)
	})
	if err != nil {
		err = fmt.Errorf("look for the id: %w", err)
	}
	return taken, documents, err
}

// CreateConstraints returns those for a new document whose id is of the series.
func (ix *Index) CreateConstraints(ctx context.Context, docType, series, title string) (p CreateConstraints, err error) {
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
		highest, far, err := readNumbers(ctx, tx, series)
		p.Highest, p.Outliers = highest, numbersOf(far)
		return err
	})
	return p, err
}
