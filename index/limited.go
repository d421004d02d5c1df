package index

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"issues-index/index/fulltext"
)

// A limitedSet is the documents with more words than the full-text table takes.
// Only their texts tell whether they match a query.
type limitedSet struct {
	all     []int64 // in the workspace
	matches []int64 // those of them that the query and its filter find
}

// limitedDocuments reads the texts of these documents, at most 16 MB each. Most
// workspaces have none, which the vocabulary knows.
func (ix *Index) limitedDocuments(ctx context.Context, tx *sql.Tx, f Filter, parsed fulltext.Query, v *fulltext.Vocabulary) (s limitedSet, err error) {
	if !v.Has(fulltext.Omitted) {
		return s, nil
	}
	plan := fulltext.Limited()
	s.all, err = numbers(ctx, tx, `SELECT group_concat(rowid) FROM search WHERE search MATCH ?`, plan.Expr)
	if err != nil || len(s.all) == 0 {
		return s, err
	}
	if s.matches, err = ix.matches(ctx, tx, f, parsed, plan, nil); err != nil {
		return s, fmt.Errorf("read long texts: %w", err)
	}
	return s, nil
}

// confirm leaves out of docs the documents of the set that do not match.
func (s limitedSet) confirm(docs []int64) []int64 {
	if len(s.all) == 0 {
		return docs
	}
	all, matches := setOf(s.all), setOf(s.matches)
	return slices.DeleteFunc(docs, func(doc int64) bool { return all.has(doc) && !matches.has(doc) })
}
