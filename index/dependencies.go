package index

import (
	"context"
	"math"
	"slices"

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
		row, doc, err := ix.engine.resolveDoc(ctx, tx, id)
		if err != nil {
			return err
		}
		w := dependencySearch{tx: tx, most: most}
		for _, ask := range []struct{ asked, up bool }{{up, true}, {down, false}} {
			if ask.asked {
				w.up, w.followed = ask.up, map[int64]bool{}
				if err := w.follow(ctx, doc, 1); err != nil {
					return err
				}
			}
		}
		start, more = LinkedDocument{ID: row.ID, Row: row}, w.more
		found, err = w.describe(ctx, &ix.engine, row)
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
	most     int // links
	more     bool
}

// A foundLink leads from a document to another one, or to an id.
type foundLink struct {
	from, to int64 // documents; to is 0 for no document, and -1 for several
	target   string
	up       bool
	depth    int
	again    bool
}

// The links of a document in each direction, at most so many: first those that it has, then those
// of others by path.
const (
	linksUp = `SELECT 1, l.target_fold, l.target, (SELECT iif(count(*) = 1, max(m.meant), -(count(*) > 1))
			FROM link_meant m WHERE m.source = l.doc AND m.kind = l.kind AND m.target_fold = l.target_fold)
		FROM link l WHERE l.doc = ?1 AND l.kind = 'waitsFor'
		UNION ALL
		SELECT 2, d.path, '', d.doc FROM document d
		WHERE d.doc IN (SELECT source FROM link_target WHERE meant = ?1 AND kind = 'blocks')
		ORDER BY 1, 2 LIMIT ?2`
	linksDown = `SELECT 2, d.path, '', d.doc FROM document d WHERE d.doc IN (` + waitersOf + `) ORDER BY d.path LIMIT ?2`
)

// follow adds the links of a document, and goes on from where they lead.
func (w *dependencySearch) follow(ctx context.Context, from int64, depth int) error {
	w.followed[from] = true
	query := linksDown
	if w.up {
		query = linksUp
	}
	links, err := readAll(ctx, w.tx, "dependencies", func(scan func(...any) error) (l foundLink, err error) {
		var place int
		var name string
		err = scan(&place, &name, &l.target, &l.to)
		return l, err
	}, query, from, min(w.most-len(w.links), math.MaxInt32)+1)
	if err != nil {
		return err
	}
	own := map[int64]bool{} // that it names by two ids
	for _, l := range links {
		if l.to > 0 && own[l.to] {
			continue
		}
		own[l.to] = true
		if len(w.links) == w.most {
			w.more = true
			return nil
		}
		l.from, l.up, l.depth, l.again = from, w.up, depth, w.followed[l.to]
		w.links = append(w.links, l)
		if l.to <= 0 || l.again {
			continue
		}
		if err := w.follow(ctx, l.to, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// describe reads the documents at both ends of the links, each once.
func (w *dependencySearch) describe(ctx context.Context, e *engine, start Row) ([]Dependency, error) {
	var docs []int64
	for _, l := range w.links {
		docs = append(docs, l.from)
		if l.to > 0 {
			docs = append(docs, l.to)
		}
	}
	slices.Sort(docs)
	docs = slices.Compact(docs)
	const those = `document d WHERE d.doc IN (SELECT value FROM json_each(?)) ORDER BY d.doc`
	rows, err := e.linkedRows(ctx, w.tx, store.WaitsFor, those, jsonNumbers(docs))
	if err != nil {
		return nil, err
	}
	at := make(map[int64]LinkedDocument, len(rows))
	for i, row := range rows {
		at[docs[i]] = row
	}
	found := make([]Dependency, len(w.links))
	for i, l := range w.links {
		to := at[l.to]
		if l.to <= 0 {
			to = LinkedDocument{Kind: store.WaitsFor, ID: l.target}
			if to.State, err = strayState(ctx, w.tx, start.line(), l.target, l.to < 0); err != nil {
				return nil, err
			}
		}
		found[i] = Dependency{Waiter: at[l.from], Of: to, Up: l.up, Depth: l.depth, Again: l.again}
		if !l.up {
			found[i].Waiter, found[i].Of = to, at[l.from]
		}
	}
	return found, nil
}
