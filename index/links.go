package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
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
}

// Ready reports whether the document can be begun, as Filter.Ready does.
func (l *DocumentLinks) Ready() bool { return len(l.Reasons) == 0 }

// Links returns how the document that an id names is linked with others: the first 100 that
// wait for it, the first 100 children, and the first 5 that mention it. Errors are Get's.
func (ix *Index) Links(ctx context.Context, id string) (DocumentLinks, error) {
	return ix.links(ctx, id, false)
}

func (ix *Index) links(ctx context.Context, id string, all bool) (links DocumentLinks, err error) {
	linked, mentions := mostLinked, mostMentions
	if all {
		linked, mentions = -1, -1
	}
	var unknown *NotFoundError
	err = ix.look(ctx, func(tx *db.Snapshot) (missing []*NotFoundError, err error) {
		unknown, links = nil, DocumentLinks{}
		links.Row, err = ix.engine.resolve(ctx, tx, id)
		switch {
		case errors.As(err, &unknown):
			return []*NotFoundError{unknown}, nil
		case err == nil:
			err = links.read(ctx, &ix.engine, tx, linked, mentions)
		}
		return nil, err
	})
	if err == nil && unknown != nil {
		return links, unknown
	}
	return links, err
}

// A foundLink is a link as it is read: where it leads to, and the id as written.
type foundLink struct {
	Kind   store.LinkKind
	Doc    int64 // 0 for no document, -1 for several
	Target string
	Place  int // and Name: their order
	Name   string
}

// placeBelow is the place of children among links.
const placeBelow = 3

// The links of the document ?1 in each direction: first those that it has, then those
// of others by path.
const (
	linksUp = `SELECT l.kind, (SELECT iif(count(*) = 1, max(m.meant), -(count(*) > 1))
			FROM link_meant m WHERE m.source = l.doc AND m.kind = l.kind AND m.target_fold = l.target_fold), l.target,
			1, l.target_fold
		FROM link l WHERE l.doc = ?1 AND l.kind <> 'blocks'`
	linksBlocking = `SELECT 'waitsFor', d.doc, '', 2, d.path FROM document d
		WHERE d.doc IN (SELECT source FROM link_target WHERE meant = ?1 AND kind = 'blocks')`
	linksOrdered = ` ORDER BY 4, 1, 5`
	linksDown    = `SELECT 'blocks', d.doc, '', 2, d.path FROM document d
		WHERE d.doc IN (` + waitersOf + `) ORDER BY d.path`
	linksBelow = `SELECT 'parent', d.doc, '', 3, d.path FROM document d
		WHERE d.doc IN (` + childrenOfDoc + `) ORDER BY d.path`
)

// The documents that wait for the document ?1: those that say so, and those of which it says so
// itself. And its children.
const (
	waitersOf = `SELECT source FROM link_target WHERE meant = ?1 AND kind = 'waitsFor'
		UNION SELECT meant FROM link_meant WHERE source = ?1 AND kind = 'blocks'`
	childrenOfDoc = `SELECT source FROM link_target WHERE meant = ?1 AND kind = 'parent'`
)

// linksOf reads at most so many links of a document in one direction, and each document of a kind
// once; -1 is all.
func linksOf(ctx context.Context, tx *db.Snapshot, query string, doc int64, most int) ([]foundLink, error) {
	known := map[foundLink]bool{}
	// The limit is no parameter: SQLite would plan the statement anew.
	links, err := readRows[foundLink](ctx, tx, "links", query+` LIMIT `+strconv.Itoa(most), doc)
	return slices.DeleteFunc(links, func(l foundLink) bool {
		one := foundLink{Kind: l.Kind, Doc: l.Doc}
		if l.Place == placeBelow { // a child may be the parent, too
			one.Place = l.Place
		}
		again := l.Doc > 0 && known[one]
		known[one] = true
		return again
	}), err
}

// linked reads the documents that links of a document of a line lead to.
func (e *engine) linked(
	ctx context.Context, tx *db.Snapshot, in mirror.Branch, links []foundLink,
) (all []LinkedDocument, err error) {
	if len(links) == 0 {
		return nil, nil
	}
	docs := make([]int64, len(links))
	for i, l := range links {
		docs[i] = l.Doc
	}
	at := map[int64]Row{}
	rows, err := rowsWhere(ctx, tx, `document d WHERE d.doc IN (SELECT value FROM json_each(?))`, jsonNumbers(docs))
	for _, row := range rows {
		at[row.doc] = row
	}
	for i := 0; err == nil && i < len(links); i++ {
		l := links[i]
		to := LinkedDocument{Kind: l.Kind, ID: l.Target, Row: at[l.Doc]}
		if l.Doc > 0 {
			to.ID, to.State = to.Row.ID, e.stateOf(to.Row)
		} else {
			to.State, err = strayState(ctx, tx, in, l.Target, l.Doc < 0)
		}
		all = append(all, to)
	}
	return all, err
}

// stateOf is how far a document is.
func (e *engine) stateOf(row Row) DependencyState {
	switch {
	case !row.finished:
		return DependencyOpen
	case e.ws.LayoutAt(row.Path).CategoryOf(row.Status) == layout.Cancelled:
		return DependencyCancelled
	}
	return DependencySatisfied
}

// read reads at most so many linked documents of a kind and mentions; -1 is all.
func (l *DocumentLinks) read(ctx context.Context, e *engine, tx *db.Snapshot, linked, mentions int) error {
	use, err := e.linkUse(ctx, tx)
	if err != nil {
		return err
	}
	tx.Brief = !use.waits
	doc := l.Row.doc
	var around, down []foundLink
	if use.links {
		query := fmt.Sprintf(`SELECT * FROM (%s LIMIT %d) UNION ALL %s`, linksBelow, linked, linksUp)
		if use.waits {
			query += ` UNION ALL ` + linksBlocking
		}
		around, err = linksOf(ctx, tx, query+linksOrdered, doc, -1)
	}
	if err == nil && use.waits {
		down, err = linksOf(ctx, tx, linksDown, doc, linked)
	}
	if err != nil {
		return err
	}
	children := slices.IndexFunc(around, func(l foundLink) bool { return l.Place == placeBelow })
	if children < 0 {
		children = len(around)
	}
	up, below := around[:children], around[children:]
	all, err := e.linked(ctx, tx, l.Row.line(), slices.Concat(up, down, below))
	if err != nil {
		return err
	}
	for _, to := range all[:len(up)] {
		switch to.Kind {
		case store.WaitsFor:
			l.WaitsFor = append(l.WaitsFor, to)
		case store.Parent:
			l.Parents = append(l.Parents, to)
		default:
			l.Related = append(l.Related, to)
		}
	}
	l.Blocks, l.Children = all[len(up):len(up)+len(down)], all[len(up)+len(down):]
	l.Waiting, l.AllChildren = len(l.Blocks), len(l.Children)
	for _, c := range l.Children {
		if c.Row.finished {
			l.FinishedChildren++
		}
	}
	if l.Waiting == linked || l.AllChildren == linked { // and there may be more
		err = tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM document d WHERE d.doc IN (`+waitersOf+`)),
			count(*), coalesce(sum(d.finished), 0) FROM document d WHERE d.doc IN (`+childrenOfDoc+`)`, doc).
			Scan(&l.Waiting, &l.AllChildren, &l.FinishedChildren)
		if err != nil {
			return fmt.Errorf("count linked documents: %w", err)
		}
	}
	mentioners, err := e.mentioners(ctx, tx, l.Row)
	if err != nil {
		return err
	}
	if l.Mentions = len(mentioners); l.Mentions > 0 {
		const newest = `document d WHERE d.doc IN (SELECT value FROM json_each(?)) ORDER BY d.updated DESC, d.path LIMIT %d`
		rows, err := rowsWhere(ctx, tx, fmt.Sprintf(newest, mentions), jsonNumbers(mentioners))
		if err != nil {
			return err
		}
		for _, row := range rows {
			l.MentionedBy = append(l.MentionedBy, LinkedDocument{store.RelatesTo, row.ID, e.stateOf(row), row})
		}
	}
	return l.readReasons(ctx, e, tx, use.waits)
}

// Waiters lists the unfinished documents that wait for the document of an id, and for no
// other by that id. Without the document they wait for an id that no document has.
// Errors are Get's.
func (ix *Index) Waiters(ctx context.Context, id string) (waiters []Row, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		row, err := ix.engine.resolve(ctx, tx, id)
		if err != nil {
			return err
		}
		waiters, err = rowsWhere(ctx, tx, `document d
			WHERE d.doc IN (SELECT source FROM link_target r WHERE r.meant = ? AND r.kind = 'waitsFor'
				AND (SELECT count(*) FROM link_meant m
					WHERE m.source = r.source AND m.kind = r.kind AND m.target_fold = r.target_fold) = 1)
			AND NOT d.finished ORDER BY d.path`, row.doc)
		return err
	})
	return waiters, err
}

// strayState is the state of a link whose id no document has, or several. It tells an id of this
// workspace, or line, that no document has from one of another.
func strayState(
	ctx context.Context, tx *db.Snapshot, in mirror.Branch, id string, several bool,
) (DependencyState, error) {
	switch {
	case several:
		return DependencyAmbiguous, nil
	case strings.Contains(id, ":"):
		return DependencyExternal, nil
	}
	prefix, _, found := strings.Cut(store.FoldID(id), "-")
	if !found {
		return DependencyUnknown, nil
	}
	used, err := readOne[bool](ctx, tx, "look for ids with a prefix",
		`SELECT EXISTS (SELECT 1 FROM document WHERE id_fold >= ?1 AND id_fold < ?1 || char(1114111))`,
		in.Qualify(prefix+"-"))
	if used {
		return DependencyUnknown, err
	}
	return DependencyExternal, err
}
