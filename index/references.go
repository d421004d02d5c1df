package index

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/index/db"
	"issues-index/store"
	"issues-index/store/markdown"
)

// maxReferences is how many references of one document the index has: more than any text that
// a person reads.
const maxReferences = 1000

// problemManyReferences is a problem of one file that shows only when it is indexed.
const problemManyReferences store.ProblemCode = "too-many-links"

var tooManyReferences = store.Problem{Code: problemManyReferences, Message: fmt.Sprintf(
	"its text names more than %d documents or files: the others do not count as naming it", maxReferences)}

// BrokenLinks lists the Markdown links that lead to a file of a collection which is not there,
// nor anywhere else under the same name or id, by path and line. Wiki links and ids in prose
// may mean other things than documents.
func (ix *Index) BrokenLinks(ctx context.Context) (broken []DocumentProblem, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) (err error) {
		broken, err = readRows[DocumentProblem](ctx, tx, "links", `SELECT path, id, 'broken-link',
			'it links to ' || target || ', which is not there', line
			FROM broken_links WHERE kind = 'link' ORDER BY path, line, target`)
		return err
	})
	return broken, err
}

// A referenceRow is one row of the table reference.
type referenceRow struct {
	kind               markdown.ReferenceKind
	target, fold, name string
	line               int
}

// referenceRows are what the text of a document names, each once; more says that these are
// not all.
func referenceRows(ws *store.Workspace, d *store.Document) (rows []referenceRow, more bool) {
	seen := map[[2]string]bool{}
	for _, r := range ws.References(d) {
		row := newReferenceRow(ws, d, r)
		key := [2]string{string(r.Kind), row.target}
		if r.Kind == markdown.Mention {
			key[1] = row.fold
		}
		if row.target == d.Path || row.kind != markdown.FileLink && row.fold == store.FoldID(d.ID) || seen[key] {
			continue
		}
		if len(rows) == maxReferences {
			return rows, true
		}
		seen[key] = true
		rows = append(rows, row)
	}
	return rows, false
}

func newReferenceRow(ws *store.Workspace, d *store.Document, r markdown.Reference) referenceRow {
	row := referenceRow{kind: r.Kind, target: r.Target, line: r.Line}
	id, begins := r.Target, true
	switch r.Kind {
	case markdown.WikiLink:
		row.name = pageName(r.Target)
		id, _ = d.Layout().IDIn(row.name)
		begins = id == row.name // the rest may belong to a title
		id = row.name
	case markdown.FileLink:
		row.target = ws.LinkedPath(d.Path, r.Target)
		row.name = store.Stem(row.target)
		id, begins = d.Layout().IDIn(row.name)
	}
	if begins {
		row.name = ""
	}
	row.name = linkName(d, row.name)
	row.fold = d.FoldLink(id)
	return row
}

// pageName is the name that the file of a wiki link's page has, without .md.
func pageName(page string) string {
	return withoutEnding(page[strings.LastIndexAny(page, `/\`)+1:])
}

// withoutEnding is a name without .md, in any letter case.
func withoutEnding(name string) string {
	if end := len(name) - len(".md"); end > 0 && strings.EqualFold(name[end:], ".md") {
		return name[:end]
	}
	return name
}

// mentioners are the documents whose texts name a document, and those that are linked with it
// by relatesTo, duplicateOf or discoveredFrom. An ambiguous reference counts for each that it may mean.
func (e *engine) mentioners(ctx context.Context, tx *db.Snapshot, row Row) ([]int64, error) {
	inName, _ := e.ws.LayoutAt(row.Path).IDIn(store.Stem(row.Path))
	own := store.FoldID(row.ID)
	if use, err := e.linkUse(ctx, tx); err != nil || !use.named {
		return nil, err
	}
	found, err := numbers(ctx, tx, `SELECT group_concat(source) FROM (
		SELECT r.doc AS source
		FROM (SELECT doc, item FROM reference
				WHERE target_fold IN (SELECT ?4 UNION ALL SELECT ?1 UNION ALL SELECT id_fold FROM former_id WHERE doc = ?6)
			UNION ALL SELECT doc, item FROM reference WHERE name = ?2 AND name <> ''
			UNION ALL SELECT doc, item FROM reference WHERE target = ?3 COLLATE NOCASE AND kind = 'wiki') near
		CROSS JOIN reference r ON r.doc = near.doc AND r.item = near.item
		WHERE r.kind = 'mention' AND r.target_fold = ?4 OR r.kind = 'link' AND r.target = ?5 -- nearly all, and fast
			OR EXISTS (SELECT 1 FROM reference_meant m WHERE m.source = r.doc AND m.item = r.item AND m.meant = ?6)
		UNION ALL
		SELECT source FROM link_target WHERE meant = ?6 AND kind IN ('relatesTo', 'duplicateOf', 'discoveredFrom')
	) WHERE source <> ?6`, store.FoldID(row.line().Qualify(inName)), row.qualifiedStem(), row.Title,
		own, row.Path, row.doc)
	slices.Sort(found)
	return slices.Compact(found), err
}

// addReferences writes what a document's text names and the ids that it had, whose old rows
// are gone.
func (c *rowWriter) addReferences(ctx context.Context, doc int64, r *record) {
	for item, row := range r.references {
		c.exec(ctx, `INSERT INTO reference VALUES (?, ?, ?, ?, ?, ?, ?)`,
			doc, item, string(row.kind), row.target, row.fold, row.name, row.line)
	}
	for _, v := range r.fields {
		if v.key == store.FormerIDsKey {
			c.exec(ctx, `INSERT OR IGNORE INTO former_id VALUES (?, ?)`, r.doc.FoldLink(v.text), doc)
		}
	}
	if r.moreReferences {
		c.addProblem(ctx, doc, tooManyReferences)
	}
}
