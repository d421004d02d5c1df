package index

import (
	"context"
	"slices"
	"time"

	"issues-index/index/claims"
	"issues-index/index/db"
	"issues-index/index/where"
	"issues-index/store"
)

// claimedBy is the condition of the documents that the filter's holder has claimed, or one whose
// name goes on after it and a slash.
func (e *engine) claimedBy(ctx context.Context, tx *db.Snapshot, f *Filter) (where.Condition, error) {
	leases, err := e.leases.OfHolder(ctx, claims.HolderName(f.ClaimedBy))
	if err != nil {
		return where.Condition{}, err
	}
	return e.leased(ctx, tx, f, leases)
}

// stale is the condition of the documents that are claimed under a lease that has
// lapsed, or whose process has ended.
func (e *engine) stale(ctx context.Context, tx *db.Snapshot, f *Filter) (where.Condition, error) {
	leases, err := e.leases.Lapsed(ctx, e.ws.Now())
	if err != nil {
		return where.Condition{}, err
	}
	return e.leased(ctx, tx, f, leases)
}

// leased is the condition of the documents that some leases cover. The leases are few, and
// are asked for with every page: one lapses without a change of the index.
func (e *engine) leased(
	ctx context.Context, tx *db.Snapshot, f *Filter, leases []claims.Lease,
) (where.Condition, error) {
	rows, err := e.covered(ctx, tx, leases)
	if err != nil {
		return where.Condition{}, err
	}
	docs := make([]int64, len(rows))
	for i, r := range rows {
		docs[i] = r.doc
	}
	f.leased += " leased " + jsonNumbers(docs)
	return oneOf(docs), nil
}

// covered returns the documents that some leases cover.
func (e *engine) covered(ctx context.Context, tx *db.Snapshot, leases []claims.Lease) ([]Row, error) {
	ids := make([]string, len(leases))
	for i, one := range leases {
		ids[i] = one.ID
	}
	rows, err := rowsWhere(ctx, tx, `document d
		WHERE d.id IN (SELECT value FROM json_each(?)) AND d.assignee <> '' ORDER BY d.doc`, jsonTexts(ids))
	return slices.DeleteFunc(rows, func(r Row) bool {
		return !slices.ContainsFunc(leases, func(one claims.Lease) bool { return e.leases.Covers(one, r.subject()) })
	}), err
}

// Claimed returns the claimed documents with their claims, those that have lapsed included. They
// are few.
func (ix *Index) Claimed(ctx context.Context) (rows []Row, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		leases, err := ix.engine.leases.All(ctx)
		if err != nil || len(leases) == 0 {
			return err
		}
		if rows, err = ix.engine.covered(ctx, tx, leases); err != nil {
			return err
		}
		err = ix.engine.addClaims(ctx, rows)
		rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Claim == nil }) // given back meanwhile
		return err
	})
	return rows, err
}

// subject is what a lease covers of a document.
func (r *Row) subject() claims.Subject {
	return claims.Subject{Path: r.Path, ID: r.ID, Status: r.Status, Assignee: r.Assignee}
}

// A RowClaim is who works on a document.
type RowClaim struct {
	Holder string    `json:"holder"`
	Until  time.Time `json:"until"` // when the lease ends, or ended, or the holder was found to be gone
	Stale  bool      `json:"stale"` // it has ended
	Since  time.Time `json:"-"`     // when the holder has claimed the document
}

// ClaimOf is what a lease says at a time.
func ClaimOf(one claims.Lease, now time.Time) RowClaim {
	return RowClaim{one.Holder, one.End().UTC(), !one.Live(now), one.Granted}
}

// ClaimOn returns who works on a document, nil for no claim.
func (ix *Index) ClaimOn(ctx context.Context, doc *store.Document) (*RowClaim, error) {
	held, err := ix.Leases().OfDocument(ctx, doc)
	if err != nil || held == nil {
		return nil, err
	}
	claim := ClaimOf(*held, ix.ws.Now())
	return &claim, nil
}

// addClaims sets who has claimed the rows of a page.
func (e *engine) addClaims(ctx context.Context, rows []Row) error {
	subjects := make([]claims.Subject, len(rows))
	for i := range rows {
		subjects[i] = rows[i].subject()
	}
	claims, err := e.leases.Of(ctx, subjects)
	for i, one := range claims {
		if one != nil {
			claim := ClaimOf(*one, e.ws.Now())
			rows[i].Claim = &claim
		}
	}
	return err
}
