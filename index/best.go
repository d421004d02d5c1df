package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
)

// bestPages are how many documents are looked at in one statement until one is accepted: at
// first as few as can be, since the first is accepted as a rule.
var bestPages = [2]int{1, 11}

// collectedCost is how many documents that best walks past take as long as one that it
// collects by a label: each of those is judged before the first is known.
const collectedCost = 4

// Best returns the document to begin with, of those that a filter lets through and accept
// accepts: of the highest priority, and of these the one that was created first, so that
// nothing waits for ever behind newer work. It counts nothing, which for Ready would cost
// more than the answer. Criteria that ask for another order are refused with a
// *where.SyntaxError.
func (ix *Index) Best(ctx context.Context, f Filter, accept func(Row) bool) (best Row, found bool, err error) {
	err = ix.view(ctx, func(tx *sql.Tx) error {
		best, found, err = ix.engine.best(ctx, tx, f, accept)
		return err
	})
	return best, found, err
}

func (e *engine) best(ctx context.Context, tx *sql.Tx, f Filter, accept func(Row) bool) (Row, bool, error) {
	rev, err := revision(ctx, tx)
	if err != nil {
		return Row{}, false, err
	}
	sort, err := e.bind(ctx, tx, &f)
	if err != nil {
		return Row{}, false, err
	}
	if len(sort) > 0 {
		return Row{}, false, sort[0].Refused("no order, since the highest priority comes first and then the oldest")
	}
	facets := e.unjudged(f).facets()
	counts, err := readCounts(ctx, tx, `SELECT priority, sum(documents) FROM `+f.tally("")+` WHERE `+facets.String()+` GROUP BY priority`, facets.args)
	if err != nil {
		return Row{}, false, fmt.Errorf("choose a document: %w", err)
	}
	mostLabelled, err := labelled(ctx, tx, f.Labels)
	if err != nil {
		return Row{}, false, err
	}
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Compare(e.ws.Layout.PriorityRank(b.Value), e.ws.Layout.PriorityRank(a.Value))
	})
	for _, c := range counts {
		f.Priorities = []string{c.Value}
		q := Query{Filter: f, Sort: Sort{Key: SortCreated}}
		for more := true; more; q.Offset += q.Limit {
			q.Limit = bestPages[min(q.Offset, 1)]
			from, args, err := e.pageQuery(ctx, tx, &bookmark{query: q, rev: rev}, rev, min(c.Count, mostLabelled*collectedCost))
			if err != nil {
				return Row{}, false, err
			}
			rows, err := readPage(ctx, tx, q.Sort.order(), from, args, func(int64, string) {})
			if err != nil {
				return Row{}, false, err
			}
			if i := slices.IndexFunc(rows, accept); i >= 0 {
				return rows[i], true, nil
			}
			more = len(rows) > q.Limit
		}
	}
	return Row{}, false, nil
}

// labelled is at most how many documents have one of the labels, by their tally; without a
// label, or with None, which has no tally, it is all that there can be.
func labelled(ctx context.Context, tx *sql.Tx, labels []string) (n int, err error) {
	if len(labels) == 0 || slices.Contains(labels, None) {
		return math.MaxInt / collectedCost, nil
	}
	c := &clause{}
	c.in("label", labels)
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(sum(documents), 0) FROM label_tally WHERE `+c.String(), c.args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("choose a document: %w", err)
	}
	return n, nil
}
