package index

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"issues-index/index/search"
	"issues-index/store"
)

// A rowWriter writes documents in one transaction. Row by row it keeps all of
// the index in step: the document, its labels and problems, the full-text
// table, the vocabulary, and the past that open cursors still need.
type rowWriter struct {
	tx       *sql.Tx
	rev      int64           // of this transaction
	built    string          // the generation of the index it changes
	bumped   bool            // whether rev is stored yet
	keepPast bool            // whether a cursor is open
	terms    map[string]bool // added to the vocabulary by this transaction
	ws       *store.Workspace
	highest  map[string]int // number of an id, by series, that was written

	ix         *Index             // nil for a new index, whose records are fed
	vocabulary *search.Vocabulary // before this transaction, once a record is to be fed

	err error // the first one, after which nothing is written
}

func beginWriting(ctx context.Context, ws *store.Workspace, db *sql.DB, now time.Time) (*rowWriter, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("begin a change of the index: %w", err)
	}
	c := &rowWriter{tx: tx, ws: ws, highest: map[string]int{}, terms: map[string]bool{}}
	err = tx.QueryRowContext(ctx, `SELECT rev + 1, generation, EXISTS (SELECT 1 FROM cursor WHERE expires > ?)
		FROM state`, now.UnixMilli()).Scan(&c.rev, &c.built, &c.keepPast)
	if err != nil {
		_ = tx.Rollback()
		return nil, fmt.Errorf("read the index's state: %w", err)
	}
	return c, nil
}

// exec runs a statement, unless there was an error before, and returns the number of the row that
// it has inserted.
func (c *rowWriter) exec(ctx context.Context, query string, args ...any) (number int64) {
	if c.err != nil {
		return 0
	}
	result, err := c.tx.ExecContext(ctx, query, args...)
	if err == nil {
		number, err = result.LastInsertId()
	}
	if err != nil {
		c.err = fmt.Errorf("run %q: %w", firstWords(query), err)
	}
	return number
}

// fail keeps an error of what the writer was doing, unless there was one before.
func (c *rowWriter) fail(doing string, err error) {
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("%s: %w", doing, err)
	}
}

// firstWords names a statement in an error.
func firstWords(query string) string {
	words := strings.Fields(query)
	return strings.Join(words[:min(len(words), 4)], " ")
}

func (c *rowWriter) bump(ctx context.Context) {
	if !c.bumped {
		c.bumped = true
		c.exec(ctx, `UPDATE state SET rev = ?`, c.rev)
	}
}

// commit ends the transaction, unless there was an error.
func (c *rowWriter) commit(ctx context.Context) error {
	for series, number := range c.highest {
		c.exec(ctx, `INSERT INTO id_high VALUES (?, ?)
			ON CONFLICT DO UPDATE SET number = excluded.number WHERE number < excluded.number`, series, number)
	}
	if c.err != nil {
		return c.err
	}
	if err := c.tx.Commit(); err != nil {
		return fmt.Errorf("commit a change of the index: %w", err)
	}
	return nil
}

// write makes the row of a file what the file is.
func (c *rowWriter) write(ctx context.Context, one *candidate) error {
	old, err := one.old, c.err
	if old == nil && err == nil {
		old, err = c.moved(ctx, one.now)
	}
	switch c.err = err; {
	case err != nil:
		return err
	case old == nil:
		return c.insert(ctx, one.now)
	}
	c.replace(ctx, old, one.now)
	return c.err
}

// insert adds a document the index does not have.
func (c *rowWriter) insert(ctx context.Context, r *record) error {
	c.bump(ctx)
	doc := c.exec(ctx, insertDocument, r.columns(c.rev)...)
	c.attach(ctx, doc, r)
	c.feed(ctx, doc, r, true)
	return c.err
}

// replace brings the row of a document up to date. The row keeps its number
// also when the file has another name now.
func (c *rowWriter) replace(ctx context.Context, old *indexedFile, r *record) {
	sameText := bytes.Equal(old.hash, r.hash) && old.path == r.file.Path
	rev := old.rev
	if !sameText || old.updated != r.doc.Updated.UnixMilli() || old.created != r.doc.Created.UnixMilli() {
		c.bump(ctx)
		if c.keepPast {
			c.remember(ctx, old.doc)
		}
		rev = c.rev
	}
	set := c.update(ctx, old.doc, r.columns(rev))
	if sameText {
		return
	}
	sameBody, limited := c.sameBody(ctx, old.doc, r)
	c.logRevision(ctx, old.doc, versionOf(old.hash), versionOf(r.hash), changedFields(set, sameBody))
	c.detach(ctx, old.doc)
	c.attach(ctx, old.doc, r)
	// Most changes are of other fields than those that are searched, and feeding is
	// what costs.
	if !sameBody || slices.Contains(set, "title") || slices.Contains(set, "labels") {
		c.drop(ctx, old.doc, "document_label")
		c.feed(ctx, old.doc, r, false)
	} else if limited { // which is still so
		c.addProblem(ctx, old.doc, tooManyWords)
	}
}

// attached are the tables that attach writes to.
var attached = []string{"document_problem", "link", "field", "reference", "former_id"}

// drop deletes the rows of a document from tables.
func (c *rowWriter) drop(ctx context.Context, doc int64, tables ...string) {
	for _, table := range tables {
		c.exec(ctx, `DELETE FROM `+table+` WHERE doc = ?`, doc)
	}
}

// hasAttached asks which of these tables have rows of a document. Most documents have none in most.
var hasAttached = `SELECT EXISTS (SELECT 1 FROM ` +
	strings.Join(attached, ` WHERE doc = ?1), EXISTS (SELECT 1 FROM `) + ` WHERE doc = ?1)`

// detach deletes what attach has written of a document.
func (c *rowWriter) detach(ctx context.Context, doc int64) {
	has := make([]bool, len(attached))
	into := make([]any, len(attached))
	for i := range has {
		into[i] = &has[i]
	}
	c.fail("look for what hangs on a document", c.tx.QueryRowContext(ctx, hasAttached, doc).Scan(into...))
	for i, table := range attached {
		if has[i] {
			c.drop(ctx, doc, table)
		}
	}
}

// sameBody reports whether a document's body is what feed wrote of it already, and
// whether feed found too many words in the document.
func (c *rowWriter) sameBody(ctx context.Context, doc int64, r *record) (same, limited bool) {
	err := c.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM body WHERE doc = ?1 AND text = ?2),
		EXISTS (SELECT 1 FROM document_problem WHERE doc = ?1 AND code = ?3)`,
		doc, r.text, string(problemManyWords)).Scan(&same, &limited)
	c.fail("compare a document's body", err)
	return same, limited
}

// remember keeps how a document is sorted now, for cursors older than this change.
func (c *rowWriter) remember(ctx context.Context, doc int64) {
	c.exec(ctx, `INSERT INTO past SELECT doc, rev, ?, path, updated, created, status_rank, priority_rank
		FROM document WHERE doc = ? AND rev < ?`, c.rev, doc, c.rev)
}

// remove drops the document that has the path, if there is one still.
func (c *rowWriter) remove(ctx context.Context, path string) error {
	old, err := indexedByPath(ctx, c.tx, path)
	if err != nil || old == nil {
		return err
	}
	c.bump(ctx)
	c.exec(ctx, `DELETE FROM search WHERE rowid = ?`, old.doc)
	c.drop(ctx, old.doc, append(attached, "document_label", "body", "document")...)
	return c.err
}

// attach writes what hangs on a document whatever has changed in it.
func (c *rowWriter) attach(ctx context.Context, doc int64, r *record) {
	c.seeNumbers(r.doc)
	for _, p := range r.doc.Problems {
		c.addProblem(ctx, doc, p)
	}
	for _, l := range r.doc.AllLinks() {
		c.exec(ctx, `INSERT OR IGNORE INTO link VALUES (?, ?, ?, ?, ?)`,
			doc, string(l.Kind), r.doc.FoldLink(l.Destination.ID), l.Destination.ID, linkName(r.doc, l.Destination.Name))
	}
	c.addReferences(ctx, doc, r)
	c.addFields(ctx, doc, r)
}

func (c *rowWriter) addProblem(ctx context.Context, doc int64, p store.Problem) {
	c.exec(ctx, `INSERT INTO document_problem VALUES (?, ?, ?, ?)`, doc, string(p.Code), p.Line, p.Message)
}

// feed writes the document's texts to the full-text table and beside it, and its
// labels, which are among them.
func (c *rowWriter) feed(ctx context.Context, doc int64, r *record, isNew bool) {
	if c.err != nil {
		return
	}
	if !r.fed { // most changes leave the words alone
		if c.vocabulary == nil {
			if c.vocabulary, c.err = c.ix.engine.words(ctx, c.tx); c.err != nil {
				return
			}
		}
		r.feed(c.vocabulary)
	}
	if r.limited {
		c.addProblem(ctx, doc, tooManyWords)
	}
	for _, label := range r.doc.Labels {
		c.exec(ctx, `INSERT OR IGNORE INTO document_label VALUES (?, ?)`, label, doc)
	}
	verb := `INSERT`
	if !isNew { // to look for old words takes a tenth of the time
		verb = `INSERT OR REPLACE`
	}
	c.exec(ctx, verb+` INTO search (rowid, title, labels, body) VALUES (?, ?, ?, ?)`, doc, r.title, r.labels, r.body)
	c.exec(ctx, `INSERT OR REPLACE INTO body VALUES (?, ?)`, doc, r.text)
	for _, term := range r.terms {
		if !c.terms[term] {
			c.terms[term] = true
			c.exec(ctx, `INSERT INTO vocabulary (term) VALUES (?)`, term)
		}
	}
}
