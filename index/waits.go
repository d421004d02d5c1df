package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// addWaits sets what the unfinished rows of a page wait for: the ids of documents, else
// those written, with the word unknown or ambiguous before them, and what an ancestor waits for when they wait for
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
		path   string
		doc    int64
		target string
		meant  int // documents
	}
	waits, err := readAll(ctx, tx, "dependencies", func(scan func(...any) error) (w wait, err error) {
		err = scan(&w.path, &w.doc, &w.target, &w.meant)
		return w, err
	}, `SELECT d.path, d.doc, coalesce((SELECT iif(count(*) = 1, max(t.id), NULL) FROM link_meant m JOIN document t ON t.doc = m.meant
			WHERE m.source = d.doc AND m.kind = 'waitsFor' AND m.target_fold = u.target_fold), u.target),
			(SELECT count(*) FROM link_meant m WHERE m.source = d.doc AND m.kind = 'waitsFor' AND m.target_fold = u.target_fold)
		FROM document d CROSS JOIN unmet u ON u.waiter = d.doc WHERE d.path IN (SELECT value FROM json_each(?1)) AND NOT d.finished
		UNION ALL
		SELECT d.path, d.doc, b.id, 1
		FROM document d CROSS JOIN unmet_blocker u ON u.waiter = d.doc CROSS JOIN document b ON b.doc = u.blocker
		WHERE d.path IN (SELECT value FROM json_each(?1)) AND NOT d.finished
		UNION ALL
		SELECT d.path, d.doc, '', 1 FROM document d
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
		case w.meant == 0:
			row.WaitsFor = append(row.WaitsFor, string(DependencyUnknown)+" "+w.target)
		case w.meant > 1:
			row.WaitsFor = append(row.WaitsFor, string(DependencyAmbiguous)+" "+w.target)
		default:
			row.WaitsFor = append(row.WaitsFor, w.target)
		}
	}
	return nil
}
