package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// addWaits sets what the unfinished rows of a page wait for: ids, with the word unknown
// before those that no document has, and what an ancestor waits for when they wait for
// nothing themselves.
func addWaits(ctx context.Context, tx *sql.Tx, rows []Row) error {
	at := make(map[string]int, len(rows))
	paths := make([]string, len(rows))
	for i, row := range rows {
		at[row.Path], paths[i] = i, row.Path
	}
	list, err := json.Marshal(paths)
	if err != nil {
		return fmt.Errorf("look for what documents wait for: %w", err)
	}
	type wait struct {
		path    string
		doc     int64
		target  string
		unknown bool
	}
	waits, err := readAll(ctx, tx, "dependencies", func(scan func(...any) error) (w wait, err error) {
		err = scan(&w.path, &w.doc, &w.target, &w.unknown)
		return w, err
	}, `SELECT d.path, d.doc, u.target, NOT EXISTS (SELECT 1 FROM link_meant m WHERE m.source = d.doc AND m.kind = 'waitsFor' AND m.target_fold = u.target_fold)
		FROM document d CROSS JOIN unmet u ON u.waiter = d.doc WHERE d.path IN (SELECT value FROM json_each(?1)) AND NOT d.finished
		UNION ALL
		SELECT d.path, d.doc, b.id, 0
		FROM document d CROSS JOIN unmet_blocker u ON u.waiter = d.doc CROSS JOIN document b ON b.doc = u.blocker
		WHERE d.path IN (SELECT value FROM json_each(?1)) AND NOT d.finished
		UNION ALL
		SELECT d.path, d.doc, '', 0 FROM document d
		WHERE d.path IN (SELECT value FROM json_each(?1)) AND EXISTS (SELECT 1 FROM waiting WHERE waiter = d.doc)`, string(list))
	if err != nil {
		return err
	}
	for _, w := range waits {
		row := &rows[at[w.path]]
		switch {
		case w.target == "" && len(row.WaitsFor) == 0:
			inherited, err := ancestorsWait(ctx, tx, w.doc)
			if err != nil {
				return err
			}
			for _, reason := range inherited {
				if above, ok := reason.(AncestorWaits); ok {
					row.WaitsFor = append(row.WaitsFor, above.For...)
				}
			}
		case w.target == "":
		case w.unknown:
			row.WaitsFor = append(row.WaitsFor, "unknown "+w.target)
		default:
			row.WaitsFor = append(row.WaitsFor, w.target)
		}
	}
	return nil
}
