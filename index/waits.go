package index

import (
	"context"
	"fmt"
	"slices"

	"issues-index/index/db"
	"issues-index/store/mirror"
)

// waitColumns are the target of a row of unmet, and how many documents it means. It is the
// id of the document, if that is one, else as written.
const waitColumns = `coalesce((SELECT iif(count(*) = 1, max(t.id), NULL)
		FROM link_meant m JOIN document t ON t.doc = m.meant
		WHERE m.source = u.waiter AND m.kind = 'waitsFor' AND m.target_fold = u.target_fold), u.target) AS target,
	(SELECT count(*) FROM link_meant m
		WHERE m.source = u.waiter AND m.kind = 'waitsFor' AND m.target_fold = u.target_fold) AS meant`

// waitName names what is waited for in a row: an id, with the state of the link before it
// when it does not lead to one document.
func waitName(ctx context.Context, tx *db.Snapshot, in mirror.Branch, target string, meant int) (string, error) {
	if meant == 1 {
		return target, nil
	}
	state, err := strayState(ctx, tx, in, target, meant > 1)
	return string(state) + " " + target, err
}

// A linkUse says by what documents name each other at all.
type linkUse struct {
	waits   bool // by links by which documents wait
	parents bool // by those to parents
	links   bool // by any
	named   bool // by references in texts, or by links that say no more
}

// linkUse says which links there are. Most workspaces have not all of them, and are asked no more
// about the others until the index changes.
func (e *engine) linkUse(ctx context.Context, tx *db.Snapshot) (linkUse, error) {
	const key = "by what documents name each other" // no filter has this for its JSON
	return remember(&e.counts, key, tx.Rev, func() (use linkUse, err error) {
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM link WHERE kind || '' IN ('waitsFor', 'blocks')),
			EXISTS (SELECT 1 FROM link WHERE kind || '' = 'parent'),
			EXISTS (SELECT 1 FROM link), EXISTS (SELECT 1 FROM reference)
				OR EXISTS (SELECT 1 FROM link WHERE kind || '' IN ('relatesTo', 'duplicateOf', 'discoveredFrom'))`).
			Scan(&use.waits, &use.parents, &use.links, &use.named)
		if err != nil {
			err = fmt.Errorf("look whether documents are linked: %w", err)
		}
		return use, err
	})
}

// addWaits sets what the unfinished rows of a page wait for, and what an ancestor waits for
// when they wait for nothing themselves.
func addWaits(ctx context.Context, tx *db.Snapshot, rows []Row) error {
	at := make(map[int64]*Row, len(rows))
	docs := make([]int64, len(rows))
	for i := range rows {
		docs[i] = rows[i].doc
		at[docs[i]] = &rows[i]
	}
	type wait struct {
		Doc    int64
		Target string
		Meant  int // documents
	}
	const page = ` IN (SELECT value FROM json_each(?1)) AND NOT d.finished`
	waits, err := readRows[wait](ctx, tx, "dependencies", `SELECT d.doc, `+waitColumns+`
		FROM document d CROSS JOIN unmet u ON u.waiter = d.doc WHERE d.doc`+page+`
		UNION ALL
		SELECT d.doc, b.id, 1
		FROM document d CROSS JOIN unmet_blocker u ON u.waiter = d.doc CROSS JOIN document b ON b.doc = u.blocker
		WHERE d.doc`+page+`
		UNION ALL
		SELECT d.doc, '', 1 FROM document d
		WHERE EXISTS (SELECT 1 FROM waiting WHERE waiter = d.doc) AND d.doc`+page, jsonNumbers(docs))
	if err != nil {
		return err
	}
	for _, w := range waits {
		row := at[w.Doc]
		var names []string
		if w.Target != "" {
			name, err := waitName(ctx, tx, row.line(), w.Target, w.Meant)
			if err != nil {
				return err
			}
			names = []string{name}
		} else if len(row.WaitsFor) == 0 {
			inherited, err := ancestorsWait(ctx, tx, *row)
			if err != nil {
				return err
			}
			for _, reason := range inherited {
				names = append(names, reason.For...)
			}
		}
		for _, name := range names {
			if !slices.Contains(row.WaitsFor, name) {
				row.WaitsFor = append(row.WaitsFor, name)
			}
		}
	}
	return nil
}
