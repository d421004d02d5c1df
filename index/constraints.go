package index

import (
	"context"
	"database/sql"
	"fmt"

	"issues-index/store"
)

// Refresh brings the rows of documents that the caller has just written up to
// date, at a cost that does not grow with the workspace. A write counts as done
// only after it.
func (ix *Index) Refresh(ctx context.Context, paths ...string) error {
	return ix.refreshOwn(ctx, paths, nil)
}

// RefreshWritten is Refresh for documents whose new state the caller has. Their files
// are read again only if they have changed since.
func (ix *Index) RefreshWritten(ctx context.Context, written ...store.Written) error {
	var paths []string
	records := make(map[string]*record, len(written))
	for _, w := range written {
		paths = append(paths, w.Path)
		if w.OldPath != "" {
			paths = append(paths, w.OldPath)
		}
		if w.After != nil {
			records[w.Path] = &record{file: w.File, hash: hashOf(w.Data), readAt: w.ReadAt.UnixNano(), doc: w.After, written: true}
		}
	}
	return ix.refreshOwn(ctx, paths, records)
}

func (ix *Index) refreshOwn(ctx context.Context, paths []string, written map[string]*record) error {
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
	err := ix.recover(ctx, ix.follow(ctx, paths, written))
	if err != nil {
		ix.stale = true // the next read compares all files
		ix.log.Warn("follow a change of a document", "paths", paths, "error", err)
	}
	return err
}

// Precedents are what a new document has to respect of those before it.
type Precedents struct {
	// Titled is an open or in_progress document of the type that has the title,
	// letter case and blanks around it aside; nil when there is none.
	Titled *Row
	// Highest is the highest number that any id of the type has ever had while the
	// index lived, outliers aside, 0 when there was none.
	Highest int
	// Outliers are the numbers above it that documents have.
	Outliers []int
}

// Precedents returns those of a new document.
func (ix *Index) Precedents(ctx context.Context, docType, title string) (p Precedents, err error) {
	err = ix.view(ctx, func(tx *sql.Tx) error {
		rows, err := rowsWhere(ctx, tx, `document d WHERE d.type = ? AND d.open_title = ? AND d.open_title <> ''
			ORDER BY d.path LIMIT 1`, docType, foldTitle(title))
		if err != nil {
			return fmt.Errorf("look for the title: %w", err)
		}
		p.Titled = nil
		if len(rows) == 1 {
			p.Titled = &rows[0]
		}
		highest, far, err := readNumbers(ctx, tx, docType)
		p.Highest, p.Outliers = highest, numbersOf(far)
		return err
	})
	return p, err
}
