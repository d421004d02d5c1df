package index

import (
	"context"
	"slices"

	"issues-index/index/db"
	"issues-index/store"
)

// mostClosing is how many unfinished children, and how many freed documents, a Closing names.
const mostClosing = 5

// A Closing is what a document leaves and frees that was finished just now. The rows stand in
// the order in which work is begun.
type Closing struct {
	OpenChildren []Row // at most five of the children that are not finished
	Open         int   // all of these
	ReadyNow     []Row // at most five of the documents that can be begun since
	Ready        int   // all of these
}

// Closings returns what documents leave and free that were finished just now, by their paths.
// What several of them free is said of the last one. A path that has no document any more
// leaves and frees nothing.
func (ix *Index) Closings(ctx context.Context, paths []string) (closings []Closing, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		closings = make([]Closing, len(paths))
		return ix.engine.closings(ctx, tx, paths, closings)
	})
	return closings, err
}

func (e *engine) closings(ctx context.Context, tx *db.Snapshot, paths []string, closings []Closing) error {
	var freed, held []int64
	for i, path := range paths {
		docs, err := docsAt(ctx, tx, []string{path})
		if err != nil {
			return err
		}
		for _, doc := range docs {
			c := &closings[i]
			const openChildren = `d.doc IN (SELECT child FROM open_child WHERE container = ?)`
			if c.OpenChildren, c.Open, err = e.firstToBegin(ctx, tx, openChildren, doc); err != nil {
				return err
			}
			parents, waiters, holding, err := heldBackBy(ctx, tx, doc)
			if err != nil {
				return err
			}
			freed, held = slices.Concat(freed, parents, waiters), append(held, holding...)
		}
	}
	below, err := descendants(ctx, tx, held)
	if freed = append(freed, below...); err != nil || len(freed) == 0 {
		return err
	}
	last := &closings[len(closings)-1]
	readyNow := `d.doc IN (SELECT value FROM json_each(?)) AND ` + e.readyWhere()
	last.ReadyNow, last.Ready, err = e.firstToBegin(ctx, tx, readyNow, jsonNumbers(freed), e.now().UnixMilli())
	return err
}

// firstToBegin reads the first documents for which a condition holds, and how many there are.
func (e *engine) firstToBegin(
	ctx context.Context, tx *db.Snapshot, condition string, args ...any,
) (rows []Row, all int, err error) {
	rows, err = readAll(ctx, tx, "documents", func(scan func(...any) error) (Row, error) { return scanRow(scan, &all) },
		`SELECT `+rowColumns+`, count(*) OVER () FROM document d WHERE `+condition+`
		ORDER BY d.priority_rank DESC, d.created, d.path LIMIT ?`,
		append(args, mostClosing)...)
	return rows, all, err
}

// heldBackBy returns the parents of a document, what waits for it, and of these the documents
// whose descendants wait with them: all but its own ancestors.
func heldBackBy(ctx context.Context, tx *db.Snapshot, doc int64) (parents, waiters, holding []int64, err error) {
	parents, err = linkedFrom(ctx, tx, []int64{doc}, store.Parent)
	if err != nil {
		return nil, nil, nil, err
	}
	waiters, err = numbers(ctx, tx, `SELECT group_concat(d.doc) FROM document d WHERE d.doc IN (`+waitersOf+`)`, doc)
	if err != nil || len(waiters) == 0 {
		return parents, nil, nil, err
	}
	ancestors, err := ancestorsOf(ctx, tx, doc)
	return parents, waiters, slices.DeleteFunc(slices.Clone(waiters), func(doc int64) bool {
		return slices.Contains(ancestors, doc)
	}), err
}
