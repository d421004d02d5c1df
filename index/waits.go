package index

import (
	"context"
	"encoding/json"
	"fmt"

	"issues-index/index/db"
	"issues-index/store/mirror"
)

// waitColumns are the target of a row of unmet, and how many documents it means. It is the
// id of the document, if that is one, else as written.
const waitColumns = `coalesce((SELECT iif(count(*) = 1, max(t.id), NULL) FROM link_meant m JOIN document t ON t.doc = m.meant
		WHERE m.source = u.waiter AND m.kind = 'waitsFor' AND m.target_fold = u.target_fold), u.target) AS target,
	(SELECT count(*) FROM link_meant m WHERE m.source = u.waiter AND m.kind = 'waitsFor' AND m.target_fold = u.target_fold) AS meant`

// waitName names what is waited for in a row: an id, with the state of the link before it
// when it does not lead to one document.
func waitName(ctx context.Context, tx *db.Snapshot, in mirror.Branch, target string, meant int) (string, error) {
	if meant == 1 {
		return target, nil
	}
	state, err := strayState(ctx, tx, in, target, meant > 1)
	return string(state) + " " + target, err
}

// anyWaits reports whether any document waits for another one. Most workspaces have none that
// does, and are asked no more about it until the index changes.
func (e *engine) anyWaits(ctx context.Context, tx *db.Snapshot) (bool, error) {
	const key = "whether any document waits" // no filter has this for its JSON
	n, err := e.counts.remember(key, tx.Rev, func() (n int, err error) {
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM link WHERE kind || '' IN ('waitsFor', 'blocks'))`).Scan(&n)
		return n, err
	})
	if err != nil {
		return false, fmt.Errorf("look whether documents wait: %w", err)
	}
	return n > 0, nil
}

// addWaits sets what the unfinished rows of a page wait for, and what an ancestor waits for
// when they wait for nothing themselves.
func addWaits(ctx context.Context, tx *db.Snapshot, rows []Row) error {
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
	}, `SELECT d.path, d.doc, `+waitColumns+`
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
	named := map[[2]string]bool{} // by path and name
	for _, w := range waits {
		row := &rows[at[w.path]]
		var names []string
		switch {
		case w.target != "":
			name, err := waitName(ctx, tx, row.line(), w.target, w.meant)
			if err != nil {
				return err
			}
			names = []string{name}
		case len(row.WaitsFor) == 0:
			inherited, err := ancestorsWait(ctx, tx, row.line(), w.doc)
			if err != nil {
				return err
			}
			for _, reason := range inherited {
				names = append(names, reason.For...)
			}
		}
		for _, name := range names {
			if key := [2]string{w.path, name}; !named[key] {
				named[key] = true
				row.WaitsFor = append(row.WaitsFor, name)
			}
		}
	}
	return nil
}
