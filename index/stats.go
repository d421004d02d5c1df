package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// GroupBys are the fields that Stats can count by.
var GroupBys = []string{"status", "priority", "project", "assignee", "type", "label"}

// Stats counts the documents that f lets through by a field of GroupBys, most
// used first. total is the number of those documents; by label a document counts
// once for each of its labels, and once under "" when it has none.
func (ix *Index) Stats(ctx context.Context, groupBy string, f Filter) (counted []Count, total int, err error) {
	v, err := ix.Values(ctx, ValuesQuery{Field: groupBy, Filter: f, Limit: -1})
	return v.Counts, v.Documents, err
}

func statsQuery(groupBy string, f Filter) (string, []any) {
	where := f.where()
	switch {
	case groupBy == "label" && len(where.terms) == 0:
		return `SELECT label, documents FROM label_tally`, nil
	case groupBy == "label":
		return `SELECT label, count(*) FROM document_label WHERE doc IN (SELECT doc FROM document WHERE ` + where.String() + `) GROUP BY label`, where.args
	case f.tallied():
		return `SELECT ` + groupBy + `, sum(documents) FROM ` + f.tally(groupBy) + ` WHERE ` + where.String() + ` GROUP BY 1`, where.args
	default:
		return `SELECT ` + groupBy + `, count(*) FROM document WHERE ` + where.String() + ` GROUP BY 1`, where.args
	}
}

func readCounts(ctx context.Context, tx *sql.Tx, query string, args []any) ([]Count, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("count documents: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var counted []Count
	for rows.Next() {
		var c Count
		if err := rows.Scan(&c.Value, &c.Count); err != nil {
			return nil, fmt.Errorf("count documents: %w", err)
		}
		counted = append(counted, c)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("count documents: %w", err)
	}
	return counted, nil
}

// unlabelled counts the documents without a label.
func (ix *Index) unlabelled(ctx context.Context, tx *sql.Tx, f Filter, rev int64) (int, error) {
	filter, err := json.Marshal(f)
	if err != nil {
		return 0, fmt.Errorf("count unlabelled documents: %w", err)
	}
	key := "unlabelled " + string(filter)
	if n, ok := ix.counts.get(key, rev); ok {
		return n, nil
	}
	where := f.where()
	where.add(`labels = '[]'`)
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM document WHERE `+where.String(), where.args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count unlabelled documents: %w", err)
	}
	ix.counts.put(key, rev, n)
	return n, nil
}
