package index

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"issues-index/index/db"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/mirror"
)

// A DependencyState says how far the document is that a link leads to.
type DependencyState string

// The states of links. DependencyOpen stands for every status of unfinished work.
const (
	DependencyOpen      DependencyState = "open"
	DependencySatisfied DependencyState = "satisfied" // closed, or put away
	DependencyCancelled DependencyState = "cancelled" // which satisfies, too
	DependencyUnknown   DependencyState = "unknown"   // no document has the id
	DependencyAmbiguous DependencyState = "ambiguous" // several have
	DependencyExternal  DependencyState = "external"  // unknown, and of another repository by its form or its prefix
)

// Met reports whether a document that waits by the link can go on.
func (s DependencyState) Met() bool { return s == DependencySatisfied || s == DependencyCancelled }

// A LinkedDocument is what a link leads to, or comes from.
type LinkedDocument struct {
	Kind  store.LinkKind
	ID    string // the document's; as written when the link leads to none or to several
	State DependencyState
	Row   Row // zero when the link leads to none or to several
}

// mostLinked is how many children, and how many documents that wait, Links returns: as many
// as an answer has room for.
const mostLinked = 100

// mostMentions is how many of the documents that mention one Links returns.
const mostMentions = 5

// DocumentLinks is how a document is linked with others.
type DocumentLinks struct {
	Row      Row
	WaitsFor []LinkedDocument // what it names, and then what names it as blocked
	Blocks   []LinkedDocument // what waits for it, by path
	Parents  []LinkedDocument // one, unless the parent is ambiguous
	Children []LinkedDocument // by path
	Related  []LinkedDocument // by links of other kinds
	// MentionedBy are documents whose texts name it, or that are related to it, those first
	// that changed last.
	MentionedBy []LinkedDocument

	Waiting          int // documents that wait for it, Blocks and more
	AllChildren      int
	FinishedChildren int
	Mentions         int // documents that mention it, MentionedBy and more

	// Reasons are why it cannot be begun, none when it is ready.
	Reasons []NotReady

	finished bool
}

// Ready reports whether the document can be begun, as Filter.Ready does.
func (l *DocumentLinks) Ready() bool { return len(l.Reasons) == 0 }

// Closable reports whether an unfinished document has children and all are finished.
func (l *DocumentLinks) Closable() bool {
	return l.AllChildren > 0 && l.FinishedChildren == l.AllChildren && !l.finished
}

// Links returns how the document that an id names is linked with others: the first 100 that
// wait for it, the first 100 children, and the first 5 that mention it. Errors are Get's.
func (ix *Index) Links(ctx context.Context, id string) (DocumentLinks, error) {
	return ix.links(ctx, id, false)
}

func (ix *Index) links(ctx context.Context, id string, all bool) (links DocumentLinks, err error) {
	var unknown *NotFoundError
	err = ix.look(ctx, func(tx *db.Snapshot) ([]*NotFoundError, error) {
		unknown = nil
		row, doc, err := ix.engine.resolveDoc(ctx, tx, id)
		if errors.As(err, &unknown) {
			return []*NotFoundError{unknown}, nil
		}
		links = DocumentLinks{Row: row}
		if err != nil {
			return nil, err
		}
		if all {
			return nil, links.read(ctx, &ix.engine, tx, doc, -1, -1)
		}
		return nil, links.read(ctx, &ix.engine, tx, doc, mostLinked, mostMentions)
	})
	if err == nil && unknown != nil {
		return links, unknown
	}
	return links, err
}

// waitersOf selects the documents that wait for the document ?1: those that say so, and those of
// which it says so itself.
const waitersOf = `SELECT source FROM link_target WHERE meant = ?1 AND kind = 'waitsFor'
		UNION SELECT meant FROM link_meant WHERE source = ?1 AND kind = 'blocks'`

// read reads at most so many linked documents of a kind and mentions; -1 is all.
func (l *DocumentLinks) read(ctx context.Context, e *engine, tx *db.Snapshot, doc int64, linked, mentions int) error {
	waits, err := e.anyWaits(ctx, tx)
	if err != nil {
		return err
	}
	tx.Brief = !waits
	if err := l.readOwn(ctx, e, tx, doc); err != nil {
		return err
	}
	const waiters = `d.doc IN (` + waitersOf + `)`
	const children = `d.doc IN (SELECT source FROM link_target WHERE meant = ?1 AND kind = 'parent')`
	const those = `document d WHERE %s ORDER BY d.path LIMIT %d`
	if waits {
		blockers, err := e.linkedRows(ctx, tx, store.WaitsFor, `document d
			WHERE d.doc IN (SELECT source FROM link_target WHERE meant = ? AND kind = 'blocks') ORDER BY d.path`, doc)
		if err != nil {
			return err
		}
		for _, b := range blockers {
			l.addWait(b)
		}
		if l.Blocks, err = e.linkedRows(ctx, tx, store.Blocks, fmt.Sprintf(those, waiters, linked), doc); err != nil {
			return err
		}
	}
	if l.Children, err = e.linkedRows(ctx, tx, store.Parent, fmt.Sprintf(those, children, linked), doc); err != nil {
		return err
	}
	l.Waiting, l.AllChildren = len(l.Blocks), len(l.Children)
	for _, c := range l.Children {
		if c.State.Met() {
			l.FinishedChildren++
		}
	}
	if l.Waiting == linked || l.AllChildren == linked { // and there may be more
		err = tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM document d WHERE `+waiters+`),
			count(*), coalesce(sum(d.finished), 0) FROM document d WHERE `+children, doc).
			Scan(&l.Waiting, &l.AllChildren, &l.FinishedChildren)
		if err != nil {
			return fmt.Errorf("count linked documents: %w", err)
		}
	}
	mentioners, err := e.mentioners(ctx, tx, l.Row, doc)
	if err != nil {
		return err
	}
	if l.Mentions = len(mentioners); l.Mentions > 0 {
		const newest = `document d WHERE d.doc IN (SELECT value FROM json_each(?)) ORDER BY d.updated DESC, d.path LIMIT %d`
		from := fmt.Sprintf(newest, mentions)
		if l.MentionedBy, err = e.linkedRows(ctx, tx, store.RelatesTo, from, jsonNumbers(mentioners)); err != nil {
			return err
		}
	}
	return l.readReasons(ctx, e, tx, doc, waits)
}

// Waiters lists the unfinished documents that name the document that an id names, and no
// other, as one that they wait for. Without it they wait for an id that no document has.
// Errors are Get's.
func (ix *Index) Waiters(ctx context.Context, id string) (waiters []Row, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		_, doc, err := ix.engine.resolveDoc(ctx, tx, id)
		if err != nil {
			return err
		}
		linked, err := ix.engine.linkedRows(ctx, tx, store.Blocks, `document d
			WHERE d.doc IN (SELECT source FROM link_target r WHERE r.meant = ? AND r.kind = 'waitsFor'
				AND (SELECT count(*) FROM link_meant m
					WHERE m.source = r.source AND m.kind = r.kind AND m.target_fold = r.target_fold) = 1)
			AND NOT d.finished ORDER BY d.path`, doc)
		waiters = nil
		for _, l := range linked {
			waiters = append(waiters, l.Row)
		}
		return err
	})
	return waiters, err
}

// addWait adds what the document waits for, once.
func (l *DocumentLinks) addWait(to LinkedDocument) {
	for _, w := range l.WaitsFor {
		if w.Row.Path == to.Row.Path && to.Row.Path != "" {
			return
		}
	}
	l.WaitsFor = append(l.WaitsFor, to)
}

// readOwn reads the links that the document has.
func (l *DocumentLinks) readOwn(ctx context.Context, e *engine, tx *db.Snapshot, doc int64) error {
	type written struct{ kind, fold, target string }
	own, err := readAll(ctx, tx, "links", func(scan func(...any) error) (w written, err error) {
		err = scan(&w.kind, &w.fold, &w.target)
		return w, err
	}, `SELECT kind, target_fold, target FROM link WHERE doc = ? ORDER BY kind, target_fold`, doc)
	if err != nil {
		return err
	}
	for _, w := range own {
		kind := store.LinkKind(w.kind)
		meant, err := e.linkedRows(ctx, tx, kind, `link_meant m JOIN document d ON d.doc = m.meant
			WHERE m.source = ? AND m.kind = ? AND m.target_fold = ? ORDER BY d.path`, doc, w.kind, w.fold)
		if err != nil {
			return err
		}
		to := LinkedDocument{Kind: kind, ID: w.target}
		if len(meant) == 1 {
			to = meant[0]
		} else if to.State, err = strayState(ctx, tx, l.Row.line(), w.target, len(meant) > 1); err != nil {
			return err
		}
		switch kind {
		case store.WaitsFor:
			l.addWait(to)
		case store.Parent:
			l.Parents = append(l.Parents, to)
		case store.Blocks: // which are among what waits
		default:
			l.Related = append(l.Related, to)
		}
	}
	return nil
}

// strayState is the state of a link whose id no document has, or several.
func strayState(
	ctx context.Context, tx *db.Snapshot, in mirror.Branch, id string, several bool,
) (DependencyState, error) {
	if several {
		return DependencyAmbiguous, nil
	}
	return unknownState(ctx, tx, in, id)
}

// unknownState tells an id of this workspace, or line, that no document has from one of another.
func unknownState(ctx context.Context, tx *db.Snapshot, in mirror.Branch, id string) (DependencyState, error) {
	if strings.Contains(id, ":") {
		return DependencyExternal, nil
	}
	prefix, _, found := strings.Cut(store.FoldID(id), "-")
	if !found {
		return DependencyUnknown, nil
	}
	var used bool
	const begins = `SELECT EXISTS (SELECT 1 FROM document WHERE id_fold >= ?1 AND id_fold < ?1 || char(1114111))`
	err := tx.QueryRowContext(ctx, begins, in.Qualify(prefix+"-")).Scan(&used)
	if err != nil {
		return "", fmt.Errorf("look for ids with a prefix: %w", err)
	}
	if used {
		return DependencyUnknown, nil
	}
	return DependencyExternal, nil
}

// linkedRows reads the documents that a query after FROM selects.
func (e *engine) linkedRows(
	ctx context.Context, tx *db.Snapshot, kind store.LinkKind, from string, args ...any,
) ([]LinkedDocument, error) {
	return readAll(ctx, tx, "linked documents", func(scan func(...any) error) (LinkedDocument, error) {
		var finished bool
		row, err := scanRow(scan, &finished)
		to := LinkedDocument{Kind: kind, ID: row.ID, State: DependencyOpen, Row: row}
		switch {
		case finished && e.ws.LayoutAt(row.Path).CategoryOf(row.Status) == layout.Cancelled:
			to.State = DependencyCancelled
		case finished:
			to.State = DependencySatisfied
		}
		return to, err
	}, `SELECT `+rowColumns+`, d.finished FROM `+from, args...)
}
