package index

import (
	"context"
	"strings"

	"issues-index/index/db"
)

// ProblemDocuments counts the documents with problems: those that Problems names. The
// count is remembered until the index changes, since a page of figures asks for it
// every few seconds.
func (ix *Index) ProblemDocuments(ctx context.Context) (n int, err error) {
	const key = "documents with problems" // no filter has this for its JSON
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		n, err = remember(&ix.engine.counts, key, tx.Rev, func() (int, error) { return ix.engine.countProblems(ctx, tx) })
		return err
	})
	return n, err
}

// troubled selects the paths of documents with problems of the view problems, and of those whose ids
// differ in letter case or zeros alone. Documents that share an id, or have such ids, share their
// folded id. A parent that some document has for its id is found, and a parent without an id never.
const troubled = `SELECT path FROM document WHERE doc IN (SELECT doc FROM document_problem)
	UNION
	SELECT path FROM document
	WHERE id_fold IN (SELECT id_fold FROM document GROUP BY id_fold HAVING count(*) > 1)
	UNION
	SELECT path FROM document d
	WHERE parent_fold <> '' AND parent_fold IN (` + unknownParents + `)
		AND NOT EXISTS (SELECT 1 FROM link_meant m
			WHERE m.source = d.doc AND m.kind = 'parent' AND m.target_fold = d.parent_fold)
	UNION
	SELECT path FROM document WHERE parent <> '' AND parent_fold = ''`

// unknownParents selects the parents that no document has for its id: file names and numbers,
// perhaps.
const unknownParents = `SELECT fold FROM (SELECT DISTINCT parent_fold AS fold FROM document WHERE parent_fold <> '')
	WHERE NOT EXISTS (SELECT 1 FROM document WHERE id_fold = fold)`

// parentsBelow is the condition of documents d that are parents, perhaps, and have a parent. The
// others are in no circle of parents.
const parentsBelow = `WHERE d.doc IN (
	SELECT p.doc FROM (SELECT DISTINCT parent_fold AS fold FROM document WHERE parent_fold <> '')
		CROSS JOIN document p ON p.id_fold = fold WHERE p.parent_fold <> ''
	UNION ALL
	SELECT m.meant FROM document c CROSS JOIN link_meant m ON m.source = c.doc AND m.kind = 'parent'
	WHERE c.parent_fold <> '' AND c.parent_fold IN (` + unknownParents + `))`

// countProblems counts the documents of readProblems, without a look at each document where the
// indexes tell which ones can have a problem.
func (e *engine) countProblems(ctx context.Context, tx *db.Snapshot) (int, error) {
	paths, err := readRows[string](ctx, tx, "documents with problems", troubled)
	if err != nil {
		return 0, err
	}
	with := make(map[string]bool, len(paths))
	for _, path := range paths {
		with[path] = true
	}
	// No path has two slashes in a row. One text is read faster than a row for each path.
	all, err := readOne[string](ctx, tx, "read the paths", `SELECT coalesce(group_concat(path, '//'), '') FROM document`)
	if err != nil {
		return 0, err
	}
	alike := make(map[string]string, strings.Count(all, "//")+1)
	for path := range strings.SplitSeq(all, "//") {
		key := AlikePath(path)
		if twin, found := alike[key]; found {
			with[path], with[twin] = true, true
		}
		alike[key] = path
	}
	below, err := readLineages(ctx, tx, parentsBelow)
	if err != nil {
		return 0, err
	}
	found := parentCycles(below)
	use, err := e.linkUse(ctx, tx)
	if err != nil {
		return 0, err
	}
	if use.waits {
		waits, err := waitProblems(ctx, tx)
		if err != nil {
			return 0, err
		}
		found = append(found, waits...)
	}
	for _, p := range found {
		with[p.Path] = true
	}
	return len(with), nil
}
