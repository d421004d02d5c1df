package index

import (
	"context"
	"errors"
	"strings"

	"issues-index/index/db"
	"issues-index/index/where"
	"issues-index/store"
)

// These are the conditions of documents that are linked with the document of an id.

// ofTerm makes an id that names no one document the error of its term.
func ofTerm(find func(id string) (where.Condition, error)) func(id string) (where.Condition, error) {
	return func(id string) (where.Condition, error) {
		condition, err := find(id)
		if refused(err) {
			err = &where.TermError{Err: err}
		}
		return condition, err
	}
}

// parentFolds are the values of parent_fold that mean the document that an id names, as the view
// link_meant has it: its id, and the name of its file and its number where these are no id of
// another one. An id that names none or several may be the parent of documents nevertheless.
// Errors are Get's.
func (e *engine) parentFolds(ctx context.Context, tx *db.Snapshot, id string) ([]string, error) {
	row, unnamed := e.suggesting(ctx, tx, id)
	if unnamed != nil && !refused(unnamed) {
		return nil, unnamed
	}
	forms := []string{store.FoldID(row.ID), store.FoldID(row.qualifiedStem()), numberOf(row.line(), row.ID)}
	if unnamed != nil {
		forms = []string{store.FoldID(store.LinkedID(id)), "", ""}
	}
	if strings.Contains(forms[2], ".") { // which no link is by itself
		forms[2] = ""
	}
	folds, err := readRows[string](ctx, tx, "children", `WITH form (fold) AS (VALUES (?1), (?2), (?3))
		SELECT DISTINCT fold FROM form WHERE EXISTS (SELECT 1 FROM document WHERE parent_fold <> '' AND parent_fold = fold)
			AND (fold = ?1 OR NOT EXISTS (SELECT 1 FROM document WHERE id_fold = fold))`, forms[0], forms[1], forms[2])
	if len(folds) == 0 && err == nil {
		return forms[:1], unnamed
	}
	return folds, err
}

// childrenOf is the condition of the documents that have one of some values of parent_fold.
func childrenOf(folds []string) where.Condition {
	c := &clause{}
	c.add("parent_fold <> ''")
	if len(folds) == 1 { // which SQLite finds in the order of a list
		c.add("parent_fold = ?", folds[0])
	} else {
		c.in("parent_fold", folds)
	}
	return where.Condition{SQL: "(" + c.String() + ")", Args: c.args}
}

// Documents that are linked with the document ?1.
const (
	below = `WITH RECURSIVE held (doc) AS (` + childrenOfDoc + ` UNION ` + belowHeld + `)
		SELECT group_concat(doc) FROM held`

	blockers = `SELECT group_concat(doc) FROM (SELECT meant AS doc FROM link_meant WHERE source = ?1 AND kind = 'waitsFor'
		UNION SELECT source FROM link_target WHERE meant = ?1 AND kind = 'blocks')`
)

// linkedWith is the condition of the documents that a query selects, which are linked with the
// document of an id.
func (e *engine) linkedWith(ctx context.Context, tx *db.Snapshot, id, query string) (where.Condition, error) {
	row, err := e.suggesting(ctx, tx, id)
	if err != nil {
		return where.Condition{}, err
	}
	docs, err := numbers(ctx, tx, query, row.doc)
	return oneOf(docs), err
}

// mentioning is the condition of the documents that mention the document of an id.
func (e *engine) mentioning(ctx context.Context, tx *db.Snapshot, id string) (where.Condition, error) {
	row, err := e.suggesting(ctx, tx, id)
	if err != nil {
		return where.Condition{}, err
	}
	mentioners, err := e.mentioners(ctx, tx, row)
	return oneOf(mentioners), err
}

// oneOf is the condition that a document is one of some.
func oneOf(docs []int64) where.Condition {
	return where.Condition{SQL: "(doc IN (SELECT value FROM json_each(?)))", Args: []any{jsonNumbers(docs)}}
}

// suggesting resolves an id, and suggests others for an id that no document has. Errors are
// Get's.
func (e *engine) suggesting(ctx context.Context, tx *db.Snapshot, id string) (Row, error) {
	row, err := e.resolve(ctx, tx, id)
	if unknown := (*NotFoundError)(nil); errors.As(err, &unknown) {
		if err := unknown.suggest(ctx, tx); err != nil {
			return Row{}, err
		}
	}
	return row, err
}
