package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"issues-index/index/db"
)

// keptRevisions is how many changes of documents are remembered: those of the last hours
// of many agents, in less than a megabyte.
const keptRevisions = 10_000

// fieldOfColumn names the columns whose change is a change of a field.
var fieldOfColumn = map[string]string{
	"id": "id", "title": "title", "type": "type", "status": "status", "priority": "priority", "labels": "labels",
	"assignee": "assignee", "project": "project", "context": "wranglerContext", "path": "path",
}

// changedFields are the fields that a change of a row has changed, given the columns that
// it has set.
func changedFields(set []string, sameText bool) (fields []string) {
	for _, column := range set {
		if field := fieldOfColumn[column]; field != "" {
			fields = append(fields, field)
		}
	}
	if !sameText {
		fields = append(fields, "text")
	}
	if len(fields) == 0 {
		fields = append(fields, "frontmatter")
	}
	return fields
}

// logRevision remembers what a change of a file has changed.
func (c *rowWriter) logRevision(ctx context.Context, doc int64, was, became string, fields []string) {
	if was == "" || became == "" || was == became {
		return
	}
	number := c.exec(ctx, `INSERT INTO revision (doc, was, became, fields) VALUES (?, ?, ?, ?)`,
		doc, was, became, strings.Join(fields, ","))
	if number%(keptRevisions/10) == 0 {
		c.exec(ctx, `DELETE FROM revision WHERE number <= ?`, number-keptRevisions)
	}
}

// mostRevisions is how many changes ChangedFields follows.
const mostRevisions = 100

// ChangedFields names the fields that differ between two versions of the document at a
// path, text for its body, as far as the index has seen the changes between them. It
// returns none when it has not: after a rebuild, say.
func (ix *Index) ChangedFields(ctx context.Context, path, from, to string) (fields []string, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		fields = nil
		version := from
		for range mostRevisions {
			var next, changed string
			err := tx.QueryRowContext(ctx, `SELECT became, fields FROM revision
				WHERE doc = (SELECT doc FROM document WHERE path = ?) AND was = ? ORDER BY number DESC LIMIT 1`,
				path, version).Scan(&next, &changed)
			if errors.Is(err, sql.ErrNoRows) {
				break
			}
			if err != nil {
				return fmt.Errorf("read the revisions of %s: %w", path, err)
			}
			for field := range strings.SplitSeq(changed, ",") {
				if !slices.Contains(fields, field) {
					fields = append(fields, field)
				}
			}
			if version = next; version == to {
				return nil
			}
		}
		fields = nil
		return nil
	})
	return fields, err
}
