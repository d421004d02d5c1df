package index

import (
	"context"
	"fmt"
	"math"
	"slices"

	"issues-index/index/db"
)

// bestGrowth is how many times as many documents each further statement looks at until one
// is accepted: at first one, since that is accepted as a rule.
const bestGrowth = 10

// Best returns the document to begin with, of the unfinished ones that a filter lets through
// and accept accepts: of the highest priority, and of these the one that was created first,
// so that nothing waits for ever behind newer work. It counts nothing, which for Ready would
// cost more than the answer. Criteria that ask for another order are refused with a
// *where.SyntaxError.
func (ix *Index) Best(ctx context.Context, f Filter, accept func(Row) bool) (best Row, found bool, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		best, found, err = ix.engine.best(ctx, tx, f, accept)
		return err
	})
	return best, found, err
}

func (e *engine) best(ctx context.Context, tx *db.Snapshot, f Filter, accept func(Row) bool) (Row, bool, error) {
	sort, err := e.bind(ctx, tx, &f)
	if err != nil {
		return Row{}, false, err
	}
	if len(sort) > 0 {
		return Row{}, false, sort[0].Refused("no order, since the highest priority comes first and then the oldest")
	}
	using, err := e.walkToBegin(ctx, tx, f)
	if err != nil {
		return Row{}, false, err
	}
	f.walked = f.Ready && using == toBegin
	where := e.where(f)
	where.terms = append([]string{"NOT finished"}, where.terms...)
	for offset, limit := 0, 1; ; offset, limit = offset+limit, limit*bestGrowth {
		rows, err := readAll(ctx, tx, "documents", func(scan func(...any) error) (Row, error) { return scanRow(scan) },
			fmt.Sprintf(`SELECT %s FROM (SELECT doc, priority_rank, created, path FROM document %s WHERE %s
				ORDER BY priority_rank DESC, created, path LIMIT %d OFFSET %d) page JOIN document d USING (doc)
				ORDER BY page.priority_rank DESC, page.created, page.path`, rowColumns, using, where, limit, offset), where.args...)
		if err != nil {
			return Row{}, false, err
		}
		if i := slices.IndexFunc(rows, accept); i >= 0 {
			return rows[i], true, nil
		}
		if len(rows) < limit {
			return Row{}, false, nil
		}
	}
}

// toBegin walks the unfinished documents in the order in which they are begun.
const toBegin = "INDEXED BY document_to_begin"

// walkToBegin chooses how to go through documents: in the order in which they are begun,
// until one is accepted, or, where few match, straight to those.
func (e *engine) walkToBegin(ctx context.Context, tx *db.Snapshot, f Filter) (using string, err error) {
	if len(f.IDs) > 0 || f.Parent != "" || len(f.Workspaces) > 0 {
		return "", nil
	}
	if f.Project == "" && f.Assignee == "" && len(f.Labels) == 0 {
		return toBegin, nil
	}
	all, err := e.count(ctx, tx, Filter{})
	if err != nil {
		return "", err
	}
	few := func(n int) bool { return n*facetShare < all }
	if n, err := labelled(ctx, tx, f.Labels); err != nil || few(n) {
		return "NOT INDEXED", err
	}
	if n, err := e.count(ctx, tx, Filter{Project: f.Project, Assignee: f.Assignee}); err != nil || few(n) {
		return "", err
	}
	return toBegin, nil
}

// labelled is at most how many documents have one of the labels, by their tally; without a
// label, or with None, which has no tally, it is all that there can be.
func labelled(ctx context.Context, tx *db.Snapshot, labels []string) (n int, err error) {
	if len(labels) == 0 || slices.Contains(labels, None) {
		return math.MaxInt / facetShare, nil
	}
	c := &clause{}
	c.in("label", labels)
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(sum(documents), 0) FROM label_tally WHERE `+c.String(), c.args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("choose a document: %w", err)
	}
	return n, nil
}
