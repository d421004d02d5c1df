package lease

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"issues-index/store"
)

// Lost are leases that a holder has to be told about.
type Lost struct {
	Lapsed []Lease // nobody took the documents yet
	Ended  []Lease // by EndedBy
}

// Lost returns what has become of a holder's leases and was not told yet. What lapsed alone
// is left out when the holder is about to renew it.
func (l *Leases) Lost(ctx context.Context, holder string, renewing bool) (lost Lost, err error) {
	all, err := l.ofHolder(ctx, holder, "NOT told AND (ended_by <> '' OR "+lapsedAt("?4")+")", l.ws.Now().UnixMilli())
	if err != nil {
		return Lost{}, err
	}
	for _, one := range all {
		switch {
		case one.EndedBy != "":
			lost.Ended = append(lost.Ended, one)
		case !renewing && l.Counts(one):
			lost.Lapsed = append(lost.Lapsed, one)
		}
	}
	return lost, nil
}

// Told keeps what a holder was told from being told again. What has ended is kept for a
// while: the holder may ask for it by its id.
func (l *Leases) Told(ctx context.Context, told Lost) error {
	all := slices.Concat(told.Lapsed, told.Ended)
	if len(all) == 0 {
		return nil
	}
	return l.db.Write(ctx, func(tx *sql.Tx) error { return each(ctx, tx, `UPDATE lease SET told = 1 WHERE fence = ?`, all) })
}

// A renewal is what a sign of life makes of a lease.
type renewal struct {
	Lease
	path    string
	expires time.Time
}

// SignOfLife renews the leases of a holder that have not been renewed for a third of their
// length, and keeps to written documents that were moved. When an agent of the holder has
// one of these, its lease is renewed, too.
func (l *Leases) SignOfLife(ctx context.Context, holder string, written ...*store.Document) error {
	now := l.ws.Now()
	ids := make([]any, len(written))
	for i, doc := range written {
		ids[i] = doc.ID
	}
	// A third of the lease is often enough, and keeps a busy holder from writing at each call.
	all, err := l.ofHolder(ctx, holder, `ended_by = '' AND (renewed > ? OR renewed + length / 3 <= ? OR id IN (`+strings.TrimSuffix(strings.Repeat("?, ", len(ids)), ", ")+`))`,
		append([]any{now.UnixMilli(), now.UnixMilli()}, ids...)...)
	if err != nil {
		return err
	}
	var renewals []renewal
	for _, one := range all {
		i := slices.IndexFunc(written, func(doc *store.Document) bool { return l.Covers(one, SubjectOf(doc)) })
		moved := i >= 0 && written[i].Path != one.Path && !l.Counts(one)
		if one.Holder != holder && i < 0 || !one.due(now) && !moved {
			continue
		}
		r := renewal{Lease: one, path: one.Path, expires: now.Add(one.Length)}
		switch {
		case moved:
			r.path = written[i].Path
		case i < 0 && !l.Counts(one): // it is not looked at again for a while
			r.expires = one.Expires
		}
		renewals = append(renewals, r)
	}
	renewals, refused := l.agreed(ctx, renewals)
	if len(renewals) == 0 {
		return refused
	}
	return errors.Join(refused, l.db.Write(ctx, func(tx *sql.Tx) error {
		for _, r := range renewals {
			_, err := tx.ExecContext(ctx, `UPDATE OR REPLACE lease SET path = ?, renewed = ?, expires = ?, told = 0 WHERE fence = ? AND ended_by = ''`,
				r.path, now.UnixMilli(), r.expires.UnixMilli(), r.Fence)
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// agreed leaves out the renewals that Renewing refuses. What does not last longer by them is
// not asked for.
func (l *Leases) agreed(ctx context.Context, renewals []renewal) ([]renewal, error) {
	if l.Renewing == nil {
		return renewals, nil
	}
	var refused error
	return slices.DeleteFunc(renewals, func(r renewal) bool {
		if !r.expires.After(r.Expires) {
			return false
		}
		longer := r.Lease
		longer.Expires = r.expires
		err := l.Renewing(ctx, longer)
		refused = errors.Join(refused, err)
		return err != nil
	}), refused
}

// Counts reports whether a lease covers its document as the file is now.
func (l *Leases) Counts(one Lease) bool {
	doc, _, err := l.ws.Load(one.Path)
	return err == nil && l.Covers(one, SubjectOf(doc))
}
