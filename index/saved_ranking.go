package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"

	"issues-index/index/db"
)

// A ranking is the documents that a search found, best first. It is kept for the
// pages that follow the first, each of which reads its part of it.
type ranking struct {
	name  string
	total int
	fresh []int64 // all documents, when they have just been found; else they are kept
}

// rankedSize is how many bytes a document of a kept ranking has: the number's
// lower ones, the highest first.
const rankedSize = 4

// errNoRanking says that a kept ranking is gone.
var errNoRanking = errors.New("the ranking is not kept any more")

// keptRanking returns a kept ranking, nil when there is none of that name.
func keptRanking(ctx context.Context, q db.Querier, name string) (*ranking, error) {
	var size int
	err := q.QueryRowContext(ctx, `SELECT length(docs) FROM ranking WHERE name = ?`, name).Scan(&size)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for a ranking: %w", err)
	}
	return &ranking{name: name, total: size / rankedSize}, nil
}

// docs returns up to n documents from a place of the ranking on.
func (r *ranking) docs(ctx context.Context, q db.Querier, from, n int) ([]int64, error) {
	n = min(n, r.total-from)
	if r.fresh != nil {
		return r.fresh[from : from+n], nil
	}
	var packed []byte
	const part = `SELECT substr(docs, ?, ?) FROM ranking WHERE name = ?`
	err := q.QueryRowContext(ctx, part, from*rankedSize+1, n*rankedSize, r.name).Scan(&packed)
	if err != nil {
		return nil, fmt.Errorf("read a ranking: %w", err)
	}
	docs := make([]int64, 0, n)
	for ; len(packed) >= rankedSize; packed = packed[rankedSize:] {
		docs = append(docs, int64(binary.BigEndian.Uint32(packed)))
	}
	return docs, nil
}

// keep keeps the ranking until it expires, in milliseconds since 1970.
// errNoRanking says that it was kept and is gone.
func (r *ranking) keep(ctx context.Context, tx *sql.Tx, expires int64) error {
	if r.fresh != nil {
		packed := make([]byte, 0, rankedSize*len(r.fresh))
		for _, doc := range r.fresh {
			packed = binary.BigEndian.AppendUint32(packed, uint32(doc)) //nolint:gosec // documents are counted from 1
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO ranking (name, expires, docs) VALUES (?1, ?2, ?3)
			ON CONFLICT DO UPDATE SET expires = ?2`, r.name, expires, packed)
		if err != nil {
			return fmt.Errorf("write a ranking: %w", err)
		}
		return nil
	}
	result, err := tx.ExecContext(ctx, `UPDATE ranking SET expires = ? WHERE name = ?`, expires, r.name)
	if err != nil {
		return fmt.Errorf("keep a ranking: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errNoRanking)
	}
	return nil
}
