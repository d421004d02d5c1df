package index

import (
	"context"
	"fmt"
	"slices"
	"time"

	"issues-index/index/db"
	"issues-index/store/layout"
)

// A NotReady is one reason why a document cannot be begun: a NotOpen, Deferred, Waits,
// AncestorWaits, HasOpenChildren or InCycle.
type NotReady interface{ notReady() }

type (
	// NotOpen says that the document has another status than open, or was put away.
	NotOpen struct{ Status string }
	// Deferred says that the document is not to be begun before a time.
	Deferred struct{ Until time.Time }
	// Waits says that the document waits for another one.
	Waits struct{ For LinkedDocument }
	// AncestorWaits says that the document is below a document that waits.
	AncestorWaits struct {
		Ancestor string   // its id
		For      []string // what it waits for outside of what is below it, as in Row.WaitsFor
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

// StatusAside are the reasons besides the status of the document.
func (l *DocumentLinks) StatusAside() []NotReady {
	return slices.DeleteFunc(slices.Clone(l.Reasons), func(reason NotReady) bool {
		_, status := reason.(NotOpen)
		return status
	})
}

// readReasons finds out why the document is not ready. waits says whether any document waits for
// another one.
func (l *DocumentLinks) readReasons(ctx context.Context, e *engine, tx *db.Snapshot, waits bool) error {
	if category := e.ws.LayoutAt(l.Row.Path).CategoryOf(l.Row.Status); l.Row.finished || category != layout.Open {
		l.Reasons = append(l.Reasons, NotOpen{l.Row.Status})
	}
	if until := l.Row.deferred; until > e.now().UnixMilli() {
		l.Reasons = append(l.Reasons, Deferred{time.UnixMilli(until).UTC()})
	}
	if l.Row.finished { // and waits for nothing any more
		return nil
	}
	for _, w := range l.WaitsFor {
		if !w.State.Met() {
			l.Reasons = append(l.Reasons, Waits{w})
		}
	}
	if waits {
		inherited, err := ancestorsWait(ctx, tx, l.Row)
		if err != nil {
			return err
		}
		for _, reason := range inherited {
			l.Reasons = append(l.Reasons, reason)
		}
	}
	if open := l.AllChildren - l.FinishedChildren; open > 0 {
		l.Reasons = append(l.Reasons, HasOpenChildren{open})
	}
	round := waits || len(l.Parents) > 0 && l.AllChildren > 0 // there may be a way from it to itself
	if len(l.Reasons) == 0 || !round {
		return nil
	}
	g, err := loadGraph(ctx, tx, []int64{l.Row.doc})
	if err != nil {
		return err
	}
	component := g.circles()
	path := g.cycleOf(graphNode{doc: l.Row.doc}, component)
	if path == nil {
		path = g.cycleOf(graphNode{l.Row.doc, true}, component)
	}
	if path != nil {
		l.Reasons = append(l.Reasons, InCycle{path})
	}
	return nil
}

// ancestorsOf selects the ancestors of the document ?1.
var ancestorsOf = fmt.Sprintf(`WITH RECURSIVE ancestor (doc) AS (
		SELECT p.meant FROM link_meant p WHERE p.source = ?1 AND p.kind = 'parent'
		UNION
		SELECT p.meant FROM ancestor CROSS JOIN link_meant p ON p.source = ancestor.doc AND p.kind = 'parent'
		LIMIT %d
	) SELECT doc FROM ancestor`, mostAncestors)

// ancestorsWait are the ancestors of a document that hold it back, by their paths.
func ancestorsWait(ctx context.Context, tx *db.Snapshot, row Row) (all []AncestorWaits, err error) {
	type wait struct {
		Path, Ancestor, Target string
		Meant                  int // documents
	}
	waits, err := readRows[wait](ctx, tx, "ancestors", `SELECT d.path, d.id,
			`+waitColumns+` FROM unmet_outside u CROSS JOIN document d ON d.doc = u.waiter
			WHERE u.waiter IN (`+ancestorsOf+`)
		UNION
		SELECT d.path, d.id, b.id, 1 FROM unmet_blocker_outside u
			CROSS JOIN document d ON d.doc = u.waiter CROSS JOIN document b ON b.doc = u.blocker
			WHERE u.waiter IN (`+ancestorsOf+`)
		ORDER BY 1, 3`, row.doc)
	for i, w := range waits {
		if i == 0 || waits[i-1].Path != w.Path {
			all = append(all, AncestorWaits{Ancestor: w.Ancestor})
		}
		name, err := waitName(ctx, tx, row.line(), w.Target, w.Meant)
		if err != nil {
			return nil, err
		}
		held := &all[len(all)-1]
		held.For = append(held.For, name)
	}
	return all, err
}
