package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"issues-index/index/db"
)

// A Moment is a state of the documents, and of the claims on them.
type Moment struct {
	generation string
	rev        int64
	documents  int64             // how many there are
	last       int64             // the number of the newest one
	claims     map[string]string // the state of each, by the id of its document
}

// String names the state: two that have the same name are the same.
func (m Moment) String() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %d", m.generation, m.rev)
	for _, id := range slices.Sorted(maps.Keys(m.claims)) {
		fmt.Fprintf(sum, "\n%s %s", id, m.claims[id])
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// Differences are what is different since a moment.
type Differences struct {
	Now Moment
	// IDs are those of the documents that have changed, or whose claim has, and of those that
	// a changed document names, in order.
	IDs []string
	// Many says that other documents may have changed, too.
	Many bool
}

// mostChanges is how many documents one Differences follows. After more, a page reads its
// documents again.
const mostChanges = 100

// Differences returns what is different since a moment, which may be the zero one: everything. It
// follows 100 changed documents (mostChanges), and sets Many for more. Errors: that of reading the
// index, and *claims.UnusableError.
func (ix *Index) Differences(ctx context.Context, since Moment) (Differences, error) {
	var c Differences
	err := ix.view(ctx, func(tx *db.Snapshot) error {
		c = Differences{}
		return c.read(ctx, tx, since)
	})
	if err != nil {
		return Differences{}, err
	}
	leases, err := ix.Leases().All(ctx)
	if err != nil {
		return Differences{}, err
	}
	now := ix.now()
	c.Now.claims = make(map[string]string, len(leases))
	for _, one := range leases {
		c.Now.claims[one.ID] = fmt.Sprint(one.Fence, one.Expires.UnixMilli(), one.Live(now), one.EndedBy)
	}
	for id, claim := range c.Now.claims {
		if since.claims[id] != claim {
			c.IDs = append(c.IDs, id)
		}
	}
	for id := range since.claims {
		if c.Now.claims[id] == "" {
			c.IDs = append(c.IDs, id)
		}
	}
	slices.Sort(c.IDs)
	c.IDs = slices.Compact(c.IDs)
	return c, nil
}

func (c *Differences) read(ctx context.Context, tx *db.Snapshot, since Moment) error {
	now := &c.Now
	now.generation, now.rev = tx.Generation, tx.Rev
	err := tx.QueryRowContext(ctx, `SELECT (SELECT coalesce(sum(documents), 0) FROM facet_tally),
		(SELECT coalesce(max(doc), 0) FROM document)`).
		Scan(&now.documents, &now.last)
	if err != nil {
		return fmt.Errorf("read the index's state: %w", err)
	}
	if now.generation != since.generation {
		c.Many = true
		return nil
	}
	// A new document may be in any list, and a deleted one is in none.
	c.Many = now.documents != since.documents || now.last != since.last
	const changedSince = `SELECT group_concat(doc) FROM (SELECT doc FROM document WHERE rev > ? LIMIT ?)`
	changed, err := numbers(ctx, tx, changedSince, since.rev, mostChanges+1)
	if err != nil {
		return err
	}
	if len(changed) > mostChanges {
		c.Many = true
		changed = changed[:mostChanges]
	}
	for _, doc := range changed {
		ids, err := readRows[string](ctx, tx, "changed documents",
			`SELECT id FROM document WHERE doc = ?1 OR doc IN (SELECT meant FROM naming WHERE source = ?1)`, doc)
		if err != nil {
			return err
		}
		c.IDs = append(c.IDs, ids...)
	}
	return nil
}
