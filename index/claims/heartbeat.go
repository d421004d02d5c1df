package claims

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"issues-index/store"
)

// Lost returns the leases of a holder that others have ended, and those that have lapsed, unless the
// holder is about to renew these. Told ends that a lease is among them.
func (l *Leases) Lost(ctx context.Context, holder string, renewing bool) ([]Lease, error) {
	all, err := l.OfHolder(ctx, holder)
	return slices.DeleteFunc(all, func(one Lease) bool {
		return one.Told || one.EndedBy == "" && (renewing || !one.lapsed(l.ws.Now()) || !l.Counts(one))
	}), err
}

// Told keeps what a holder was told from being told again. What has ended is kept for a
// while: the holder may ask for it by its id.
func (l *Leases) Told(ctx context.Context, lost []Lease) error {
	return l.each(ctx, `UPDATE lease SET told = 1 WHERE fence = ?`, lost)
}

// Heartbeat renews the leases of a holder, and those of the holder's agents on written documents,
// whose paths it follows. A lease is tried once in a third of its length: that is often enough, and
// keeps a busy holder from writing, and from asking the team, at each call. The error says which of
// them the team did not renew.
func (l *Leases) Heartbeat(ctx context.Context, holder string, written ...*store.Document) error {
	now := l.ws.Now()
	all, err := l.OfHolder(ctx, holder)
	var refused error
	var tried []renewal
	for _, one := range all {
		i := slices.IndexFunc(written, func(doc *store.Document) bool { return l.Covers(one, SubjectOf(doc)) })
		moved := i >= 0 && one.Path != written[i].Path
		switch {
		case one.EndedBy != "" || !one.due(now) && !moved:
			continue
		case moved:
			one.Path = written[i].Path
		case i < 0 && (one.Holder != holder || !l.Counts(one)):
			continue
		}
		longer := one
		longer.Renewed, longer.Expires = now, now.Add(one.Length)
		refusal := l.renewInTeam(ctx, longer)
		if refusal != nil {
			longer.Expires = one.Expires
		}
		refused, tried = errors.Join(refused, refusal), append(tried, renewal{longer, one.Expires})
	}
	if len(tried) == 0 {
		return errors.Join(err, refused)
	}
	return errors.Join(refused, l.db.Write(ctx, func(tx *sql.Tx) error {
		for _, one := range tried {
			if err := one.write(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	}))
}

// A renewal is a lease as a heartbeat makes it, and when it was to end before.
type renewal struct {
	Lease
	before time.Time
}

// write writes the path and the times of a lease, unless it has ended meanwhile. When the holder has
// claimed the document again since the lease was read, it ends as that claim says.
func (r renewal) write(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `UPDATE OR REPLACE lease
		SET path = ?, renewed = ?, expires = iif(expires = ?, ?, expires), told = 0 WHERE fence = ? AND ended_by = ''`,
		r.Path, r.Renewed.UnixMilli(), r.before.UnixMilli(), r.Expires.UnixMilli(), r.Fence)
	return err
}

// Counts reports whether a lease covers its document as the file is now.
func (l *Leases) Counts(one Lease) bool {
	doc, _, err := l.ws.Load(one.Path)
	return err == nil && l.Covers(one, SubjectOf(doc))
}
