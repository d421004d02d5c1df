package claims

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"issues-index/index/sqlfile"
	"issues-index/store"
)

// Lost returns the leases of a holder that others have ended, and those that have lapsed, unless the
// holder is about to renew these. Told ends that a lease is among them.
func (l *Leases) Lost(ctx context.Context, holder string, renewing bool) ([]Lease, error) {
	lost, err := l.read(ctx, ofHolder+` AND NOT told AND (ended_by <> '' OR `+lapsedAt("?4")+`)`,
		holderArguments(holder, l.ws.Now().UnixMilli())...)
	return slices.DeleteFunc(lost, func(one Lease) bool { return one.EndedBy == "" && (renewing || !l.Counts(one)) }), err
}

// Told keeps what a holder was told from being told again. What has ended is kept for a
// while: the holder may ask for it by its id.
func (l *Leases) Told(ctx context.Context, lost []Lease) error {
	if len(lost) == 0 {
		return nil
	}
	return l.db.Write(ctx, func(tx *sql.Tx) error {
		return each(ctx, tx, `UPDATE lease SET told = 1 WHERE fence = ?`, lost)
	})
}

// SignOfLife renews the leases of a holder, and those of the holder's agents on written documents,
// whose paths it follows. A lease is tried once in a third of its length: that is often enough, and
// keeps a busy holder from writing, and from asking the team, at each call. The error says which of
// them the team did not renew.
func (l *Leases) SignOfLife(ctx context.Context, holder string, written ...*store.Document) error {
	now := l.ws.Now()
	var all []Lease
	err := l.db.Read(ctx, func(f *sqlfile.OpenFile) (err error) {
		all, err = query(ctx, f, ofHolder+` AND ended_by = ''`, holderArguments(holder)...)
		return err
	})
	var refused error
	var tried []Lease
	for _, one := range all {
		i := slices.IndexFunc(written, func(doc *store.Document) bool { return l.Covers(one, SubjectOf(doc)) })
		moved := i >= 0 && one.Path != written[i].Path
		switch {
		case !one.due(now) && !moved:
			continue
		case moved:
			one.Path = written[i].Path
		case i < 0 && (one.Holder != holder || !l.Counts(one)):
			continue
		}
		longer := one
		longer.Expires = now.Add(one.Length)
		if l.Renewing != nil && !one.Local {
			err := l.Renewing(ctx, longer)
			refused = errors.Join(refused, err)
			if err != nil {
				longer = one
			}
		}
		tried = append(tried, longer)
	}
	if len(tried) == 0 {
		return errors.Join(err, refused)
	}
	return errors.Join(refused, l.db.Write(ctx, func(tx *sql.Tx) error {
		for _, one := range tried {
			_, err := tx.ExecContext(ctx, `UPDATE OR REPLACE lease SET path = ?, renewed = ?, expires = ?, told = 0
				WHERE fence = ? AND ended_by = ''`, one.Path, now.UnixMilli(), one.Expires.UnixMilli(), one.Fence)
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// Counts reports whether a lease covers its document as the file is now.
func (l *Leases) Counts(one Lease) bool {
	doc, _, err := l.ws.Load(one.Path)
	return err == nil && l.Covers(one, SubjectOf(doc))
}
