package index

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"issues-index/index/db"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/mirror"
)

// NotFoundError says that no document has the id.
type NotFoundError struct {
	ID          string
	Suggestions []string // ids that are nearly it, best first, at most three
	Renumbered  []string // the ids now of documents that had it before, at most three
	// MainWorktree is the root of the workspace in the repository's main worktree if that has the
	// document, which is not committed there.
	MainWorktree string
}

func (e *NotFoundError) Error() string { return "no document has the id " + e.ID }

// maxCandidates is how many documents an AmbiguousError names: more than a person compares.
const maxCandidates = 100

// AmbiguousError says that several documents fit the id. Any of their paths
// names one of them.
type AmbiguousError struct {
	ID         string
	Candidates []Row // by path, the first maxCandidates
}

func (e *AmbiguousError) Error() string {
	if len(e.Candidates) == maxCandidates {
		return fmt.Sprintf("%d documents or more fit the id %s", maxCandidates, e.ID)
	}
	return fmt.Sprintf("%d documents fit the id %s", len(e.Candidates), e.ID)
}

// A Lookup is the outcome of one id of GetBatch: Row, or Err as Get's.
type Lookup struct {
	ID  string
	Row Row
	Err error
}

// Get resolves an id: the exact id; a path or a file's name; the id whatever
// its letter case and leading zeros; a bare number; the same after what people write
// around an id is taken off (see plainIDs). The first of these that anything fits
// decides. Errors: *NotFoundError, *AmbiguousError,
// *store.PathError.
func (ix *Index) Get(ctx context.Context, id string) (Row, error) {
	found, err := ix.GetBatch(ctx, []string{id})
	if err != nil {
		return Row{}, err
	}
	return found[0].Row, found[0].Err
}

// How often what is not found is looked for: as often as fewLooks in any case, and up
// to mostLooks while the index goes on changing.
const (
	fewLooks  = 2
	mostLooks = 10
)

// GetBatch resolves ids in order, all as of one moment.
func (ix *Index) GetBatch(ctx context.Context, ids []string) ([]Lookup, error) {
	var found []Lookup
	err := ix.look(ctx, func(tx *db.Snapshot) (missing []*NotFoundError, err error) {
		found = nil
		for _, id := range ids {
			row, err := ix.engine.resolve(ctx, tx, id)
			if err != nil && !refused(err) {
				return nil, err
			}
			found = append(found, Lookup{ID: id, Row: row, Err: err})
			if unknown := (*NotFoundError)(nil); errors.As(err, &unknown) {
				missing = append(missing, unknown)
			}
		}
		return missing, nil
	})
	return found, err
}

// look runs a read again while it misses documents, which others may move at this very moment, and
// the index has changed since. The last look adds suggestions to what it misses.
func (ix *Index) look(ctx context.Context, read func(tx *db.Snapshot) (missing []*NotFoundError, err error)) error {
	type state struct {
		generation string
		rev        int64
	}
	var before state
	var missing []*NotFoundError
	for look := 1; ; look++ {
		var now state
		done := false
		err := ix.view(ctx, func(tx *db.Snapshot) error {
			tx.Brief = true
			var err error
			if now = (state{tx.Generation, tx.Rev}); now != before {
				missing, err = read(tx)
			}
			done = len(missing) == 0 || look == mostLooks || look >= fewLooks && now == before
			for i := 0; err == nil && done && i < len(missing); i++ {
				err = missing[i].suggest(ctx, tx)
			}
			return err
		})
		if err != nil || done {
			return err
		}
		before = now
	}
}

// suggest finds the ids that are nearly the missing id, or that took its place.
func (e *NotFoundError) suggest(ctx context.Context, q db.Querier) (err error) {
	id := e.ID
	if plain := plainIDs(id); len(plain) > 0 {
		id = plain[len(plain)-1]
	}
	e.Renumbered, err = readRows[string](ctx, q, "renumbered documents", `SELECT id FROM field JOIN document USING (doc)
		WHERE key = ? AND text = ? COLLATE NOCASE LIMIT 3`, store.FormerIDsKey, id)
	if err != nil {
		return err
	}
	e.Renumbered = slices.Compact(e.Renumbered)
	e.Suggestions, err = suggest(ctx, q, id)
	return err
}

// UnknownParent returns why a document cannot be the child of an id: no document has
// it, whatever its letter case and leading zeros. It is nil when one has. Documents that
// can be named in another way by the same text are suggested by their ids.
func (ix *Index) UnknownParent(ctx context.Context, parent string) (unknown *NotFoundError, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		unknown = nil
		known, err := readOne[bool](ctx, tx, "look for the parent",
			`SELECT EXISTS (SELECT 1 FROM document WHERE id_fold = ?)`, store.FoldID(parent))
		if known || err != nil {
			return err
		}
		row, err := ix.engine.resolve(ctx, tx, parent)
		switch {
		case err == nil:
			unknown = &NotFoundError{ID: parent, Suggestions: []string{row.ID}}
		case errors.As(err, &unknown):
			return unknown.suggest(ctx, tx)
		case refused(err):
			unknown = &NotFoundError{ID: parent}
		default:
			return err
		}
		return nil
	})
	return unknown, err
}

// refused reports whether an error is the id's own fault.
func refused(err error) bool {
	var (
		notFound  *NotFoundError
		ambiguous *AmbiguousError
		outside   *store.PathError
	)
	return errors.As(err, &notFound) || errors.As(err, &ambiguous) || errors.As(err, &outside)
}

// resolve finds the one document that an id means. Its NotFoundError is without
// suggestions.
func (e *engine) resolve(ctx context.Context, q db.Querier, id string) (Row, error) {
	id = e.qualify(ctx, strings.TrimSpace(id))
	row, err := e.resolveAs(ctx, q, id)
	if !errors.As(err, new(*NotFoundError)) {
		return row, err
	}
	for _, plain := range e.plainIDs(id) {
		row, err = e.resolveAs(ctx, q, plain)
		if !errors.As(err, new(*NotFoundError)) {
			return row, err
		}
	}
	return Row{}, &NotFoundError{ID: id}
}

// These are the forms in which ids without the name of a line are looked up, by the indexes
// of a mirror. A main line is meant where one has the document.
const (
	plainID     = "workspace <> '' AND substr(id_fold, instr(id_fold, ':') + 1) = ?"
	plainNumber = "workspace <> '' AND substr(id_number, instr(id_number, ':') + 1) = ?"
	onMain      = " AND line = '" + mirror.Main + "'"
)

// resolveAs finds the document of an id that is written as documents have it, by the first of
// the ways in which it names any.
func (e *engine) resolveAs(ctx context.Context, q db.Querier, id string) (Row, error) {
	relative := e.ws.Relative(id)
	in, within, file, qualified := mirror.Branch{}, id, path.Clean(filepath.ToSlash(relative)), false
	if e.ws.Mirror() {
		if in, within, qualified = cutLine(id); qualified {
			file = within
		}
	}
	name := withoutEnding(file)
	var ways []string
	var args []any
	add := func(condition string, values ...any) {
		ways = append(ways, fmt.Sprintf("SELECT doc, %d FROM document WHERE %s", len(ways), condition))
		args = append(args, values...)
	}
	find := func(condition string, args ...any) ([]Row, error) {
		return rowsWhere(ctx, q, `document d WHERE `+condition+` ORDER BY d.path LIMIT `+strconv.Itoa(maxCandidates), args...)
	}
	rows, err := find("d.id = ?", in.Qualify(within)) // which takes half as long as with the other ways
	outside := confined(relative)
	if err == nil && len(rows) == 0 && outside == nil {
		add("path = ?", in.Folder()+file)
		add("path = ? || '.md' OR stem = ?", in.Folder()+file, in.Qualify(name))
		add("id_fold = ?", store.FoldID(id))
		add("id_number = ? AND id_number <> ''", numberOf(in, bareNumber(within)))
		if layout.IsHash(within) {
			var ids []string
			for _, pattern := range e.ws.BranchLayout(in).IDs {
				ids = append(ids, store.FoldID(in.Qualify(pattern.Prefix+within)))
			}
			hashes := &clause{}
			hashes.in("id_fold", ids)
			add(hashes.String(), hashes.args...)
		}
		if e.ws.Mirror() && !qualified {
			add(plainID+onMain, store.FoldID(id))
			add(plainID, store.FoldID(id))
			if number := bareNumber(id); number != "" { // else each document without one is looked at
				add(plainNumber+onMain, number)
				add(plainNumber, number)
			}
		}
		rows, err = find(`d.doc IN (WITH found (doc, way) AS (`+strings.Join(ways, " UNION ALL ")+`)
			SELECT doc FROM found WHERE way = (SELECT min(way) FROM found))`, args...)
	}
	switch {
	case err != nil:
		return Row{}, err
	case len(rows) == 1:
		return rows[0], nil
	case len(rows) > 1:
		return Row{}, &AmbiguousError{ID: id, Candidates: rows}
	case outside != nil:
		return Row{}, outside
	}
	return Row{}, &NotFoundError{ID: id}
}

// bareNumber returns an id that is a number alone, or numbers with points between, without
// leading zeros.
func bareNumber(id string) string {
	if id == "" || !isDigit(id[0]) || strings.Contains(id, "..") || strings.Trim(id, "0123456789.") != "" {
		return ""
	}
	return idNumber(id)
}

// confined refuses an id that is a path out of the workspace.
func confined(id string) error {
	slashed := strings.ReplaceAll(id, `\`, "/")
	switch {
	case strings.ContainsRune(id, 0):
		return &store.PathError{Path: id, Reason: "holds a NUL byte"}
	case path.IsAbs(slashed) || filepath.IsAbs(id) || len(id) > 2 && id[1] == ':' && slashed[2] == '/':
		return &store.PathError{Path: id, Reason: "is absolute and leads out of the workspace"}
	case slices.Contains(strings.Split(slashed, "/"), ".."):
		return &store.PathError{Path: id, Reason: "leads upwards: give it relative to the workspace"}
	}
	return nil
}
