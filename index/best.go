package index

import (
	"context"
	"fmt"
	"slices"

	"issues-index/index/db"
)

// bestGrowth is how many times as many documents each further statement looks at until one
// is accepted: at first one, since that is accepted as a rule.
const bestGrowth = 10

// Best returns the document to begin with, of the unfinished documents that a filter lets
// through and accept accepts: of the highest priority, and of these the oldest,
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
	sort, err := e.resolveFilter(ctx, tx, &f)
	if err != nil {
		return Row{}, false, err
	}
	if len(sort) > 0 {
		return Row{}, false, sort[0].Refused("no order, since the highest priority comes first and then the oldest")
	}
	using := toBegin
	if len(f.IDs) > 0 || f.Parent != "" || len(f.Workspaces) > 0 { // which few documents have
		using = ""
	}
	f.inIndexOrder = f.Ready && using != ""
	where := e.where(f)
	where.terms = append([]string{"NOT finished"}, where.terms...)
	for offset, limit := 0, 1; ; offset, limit = offset+limit, limit*bestGrowth {
		rows, err := rowsWhere(ctx, tx, fmt.Sprintf(`(SELECT doc, priority_rank, created, path FROM document %s WHERE %s
			ORDER BY priority_rank DESC, created, path LIMIT %d OFFSET %d) page JOIN document d USING (doc)
			ORDER BY page.priority_rank DESC, page.created, page.path`, using, where, limit, offset), where.args...)
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

// toBegin goes through the unfinished documents in the order in which they are begun, until one
// is accepted. SQLite would collect all of a label first.
const toBegin = "INDEXED BY document_to_begin"
