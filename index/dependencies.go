package index

import (
	"context"

	"issues-index/index/db"
	"issues-index/store"
)

// A Dependency is one line of what Dependencies found: Waiter waits for Of.
type Dependency struct {
	Waiter, Of LinkedDocument
	Up         bool // the line is about Of, else about Waiter
	Depth      int  // links between the document that was asked about and the line's, from 1
	Again      bool // what follows was found before
}

// Dependencies follows the links of the document that an id names, deeper ones first: up to what
// it waits for, then down to what waits for it. It returns at most so many links, and whether
// there are more. The links of a document are read once in each direction, so that the work grows
// as the links do. Errors are Get's.
func (ix *Index) Dependencies(
	ctx context.Context, id string, up, down bool, most int,
) (start LinkedDocument, found []Dependency, more bool, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		row, err := ix.engine.resolve(ctx, tx, id)
		if err != nil {
			return err
		}
		w := dependencySearch{tx: tx, most: most}
		for _, ask := range []struct{ asked, up bool }{{up, true}, {down, false}} {
			if ask.asked {
				w.up, w.followed = ask.up, map[int64]bool{}
				if err := w.follow(ctx, row.doc, 1); err != nil {
					return err
				}
			}
		}
		linked, err := ix.engine.linked(ctx, tx, row.line(), w.links)
		start, found, more = LinkedDocument{ID: row.ID, State: ix.engine.stateOf(row), Row: row}, w.found, w.more
		at := map[int64]LinkedDocument{row.doc: start}
		for _, to := range linked {
			at[to.Row.doc] = to
		}
		for i, to := range linked {
			d := &found[i]
			if d.Waiter, d.Of = at[w.from[i]], to; !d.Up {
				d.Waiter, d.Of = d.Of, d.Waiter
			}
		}
		return err
	})
	return start, found, more, err
}

// A dependencySearch follows links in one direction.
type dependencySearch struct {
	tx       *db.Snapshot
	up       bool
	followed map[int64]bool
	links    []foundLink
	from     []int64 // the documents of the links
	found    []Dependency
	most     int // links
	more     bool
}

// follow adds the links of a document, and goes on from where they lead.
func (w *dependencySearch) follow(ctx context.Context, from int64, depth int) error {
	w.followed[from] = true
	query := linksDown
	if w.up {
		query = linksUp + ` UNION ALL ` + linksBlocking + linksOrdered
	}
	links, err := linksOf(ctx, w.tx, query, from, -1)
	for _, l := range links {
		if w.up && l.Kind != store.WaitsFor {
			continue
		}
		if len(w.links) == w.most {
			w.more = true
			return nil
		}
		again := w.followed[l.Doc]
		w.links, w.from = append(w.links, l), append(w.from, from)
		w.found = append(w.found, Dependency{Up: w.up, Depth: depth, Again: again})
		if l.Doc <= 0 || again {
			continue
		}
		if err := w.follow(ctx, l.Doc, depth+1); err != nil {
			return err
		}
	}
	return err
}
