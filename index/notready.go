package index

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// A NotReady is one reason why a document cannot be begun: a NotOpen, Deferred, Waits,
// AncestorWaits, HasOpenChildren or InCycle.
type NotReady interface{ notReady() }

type (
	// NotOpen says that the document has another status than open, or was put away.
	NotOpen struct {
		Status string
		Filed  bool // it lies in a folder for finished documents
	}
	// Deferred says that the document is not to be begun before a time.
	Deferred struct{ Until time.Time }
	// Waits says that the document waits for another one.
	Waits struct{ For LinkedDocument }
	// AncestorWaits says that the document is below one that waits.
	AncestorWaits struct {
		Ancestor string   // its id
		For      []string // what it waits for, by id, outside of what is below it
	}
	// HasOpenChildren says that the document holds the work of others, which comes first.
	HasOpenChildren struct{ Open int }
	// InCycle says that the document waits for itself, by the ids on the way round.
	InCycle struct{ Path []string }
)

func (NotOpen) notReady()         {}
func (Deferred) notReady()        {}
func (Waits) notReady()           {}
func (AncestorWaits) notReady()   {}
func (HasOpenChildren) notReady() {}
func (InCycle) notReady()         {}

// readReasons finds out why the document is not ready. now is in milliseconds.
func (l *DocumentLinks) readReasons(ctx context.Context, tx *sql.Tx, doc, now int64) error {
	var deferred int64
	err := tx.QueryRowContext(ctx, `SELECT finished, coalesce(deferred, 0) FROM document WHERE doc = ?`, doc).Scan(&l.finished, &deferred)
	if err != nil {
		return fmt.Errorf("read a document: %w", err)
	}
	if l.finished || l.Row.Status != "open" {
		l.Reasons = append(l.Reasons, NotOpen{l.Row.Status, l.finished && l.Row.Status != "closed" && l.Row.Status != "cancelled"})
	}
	if deferred > now {
		l.Reasons = append(l.Reasons, Deferred{time.UnixMilli(deferred).UTC()})
	}
	if l.finished { // and waits for nothing any more
		return nil
	}
	for _, w := range l.WaitsFor {
		if !w.State.Met() {
			l.Reasons = append(l.Reasons, Waits{w})
		}
	}
	inherited, err := ancestorsWait(ctx, tx, doc)
	if err != nil {
		return err
	}
	l.Reasons = append(l.Reasons, inherited...)
	if open := l.AllChildren - l.FinishedChildren; open > 0 {
		l.Reasons = append(l.Reasons, HasOpenChildren{open})
	}
	if len(l.Reasons) == 0 {
		return nil
	}
	g, err := loadGraph(ctx, tx, []int64{doc})
	if err != nil {
		return err
	}
	at := graphNode{doc: doc}
	if path := g.cycleOf(at, g.circles()); path != nil {
		l.Reasons = append(l.Reasons, InCycle{path})
	}
	return nil
}

// ancestorsWait are the ancestors of a document that hold it back.
func ancestorsWait(ctx context.Context, tx *sql.Tx, doc int64) ([]NotReady, error) {
	var all []NotReady
	_, err := readAll(ctx, tx, "ancestors", func(scan func(...any) error) (id string, err error) {
		var target, path string
		if err = scan(&path, &id, &target); err != nil {
			return "", err
		}
		if last := len(all) - 1; last >= 0 && all[last].(AncestorWaits).Ancestor == id {
			a := all[last].(AncestorWaits)
			a.For = append(a.For, target)
			all[last] = a
			return id, nil
		}
		all = append(all, AncestorWaits{id, []string{target}})
		return id, nil
	}, `WITH RECURSIVE ancestor (doc) AS (
			SELECT p.meant FROM link_meant p WHERE p.source = ? AND p.kind = 'parent'
			UNION
			SELECT p.meant FROM ancestor a CROSS JOIN link_meant p ON p.source = a.doc AND p.kind = 'parent'
		)
		SELECT d.path, d.id, u.target FROM ancestor a JOIN document d USING (doc) JOIN unmet_outside u ON u.waiter = a.doc
		UNION
		SELECT d.path, d.id, b.id FROM ancestor a JOIN document d USING (doc) JOIN unmet_blocker_outside u ON u.waiter = a.doc
			JOIN document b ON b.doc = u.blocker
		ORDER BY 1, 3`, doc)
	return all, err
}
