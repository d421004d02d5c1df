package index

import (
	"context"
	"strconv"

	"issues-index/index/db"
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
	var freed []int64
	for i, path := range paths {
		docs, err := numbers(ctx, tx, `SELECT group_concat(doc) FROM document WHERE path = ?`, path)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			c := &closings[i]
			const openChildren = `d.doc IN (SELECT child FROM open_child WHERE container = ?)`
			if c.OpenChildren, c.Open, err = e.firstToBegin(ctx, tx, openChildren, doc); err != nil {
				return err
			}
			held, err := numbers(ctx, tx, heldBack, doc)
			if err != nil {
				return err
			}
			freed = append(freed, held...)
		}
	}
	if len(freed) == 0 {
		return nil
	}
	last := &closings[len(closings)-1]
	use, err := e.linkUse(ctx, tx)
	if err != nil {
		return err
	}
	readyNow := `d.doc IN (SELECT value FROM json_each(?)) AND ` + e.readyWhere(Filter{use: use})
	last.ReadyNow, last.Ready, err = e.firstToBegin(ctx, tx, readyNow, jsonNumbers(freed), e.now().UnixMilli())
	return err
}

// firstToBegin reads the first documents for which a condition holds, and how many there are.
func (e *engine) firstToBegin(
	ctx context.Context, tx *db.Snapshot, condition string, args ...any,
) (rows []Row, all int, err error) {
	reader := newRowReader(false, &all)
	rows, err = readAll(ctx, tx, "documents", reader.read,
		`SELECT `+reader.columns+`, count(*) OVER () FROM document d WHERE `+condition+`
		ORDER BY d.priority_rank DESC, d.created, d.path LIMIT `+strconv.Itoa(mostClosing), args...)
	return rows, all, err
}

// heldBack selects what the document ?1 holds back: its parents, what waits for it, and what is
// below these, since that waits with them; but for what is below its own ancestors.
var heldBack = `WITH RECURSIVE held (doc) AS (
		SELECT doc FROM document WHERE doc IN (` + waitersOf + `) AND doc NOT IN (` + ancestorsOf + `)
		UNION ` + belowHeld + `
	)
	SELECT group_concat(doc) FROM (SELECT doc FROM held UNION ` + waitersOf + `
		UNION SELECT meant FROM link_meant WHERE source = ?1 AND kind = 'parent')`

// belowHeld goes from the documents of the table held to their children.
const belowHeld = `SELECT d.doc FROM held CROSS JOIN document d
	ON d.doc IN (SELECT source FROM link_target WHERE meant = held.doc AND kind = 'parent')`
