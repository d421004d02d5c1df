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

func (c *rowWriter) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	result, err := c.tx.ExecContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", firstWords(query), err)
	}
	return result, nil
}

// firstWords names a statement in an error.
func firstWords(query string) string {
	words := strings.Fields(query)
	return strings.Join(words[:min(len(words), 4)], " ")
}

func (c *rowWriter) bump(ctx context.Context) error {
	if c.bumped {
		return nil
	}
	c.bumped = true
	_, err := c.exec(ctx, `UPDATE state SET rev = ?`, c.rev)
	return err
}

// commit ends the transaction.
func (c *rowWriter) commit(ctx context.Context) error {
	if err := c.writeHighest(ctx); err != nil {
		return err
	}
	if err := c.tx.Commit(); err != nil {
		return fmt.Errorf("commit a change of the index: %w", err)
	}
	return nil
}

// write makes the row of a file what the file is.
func (c *rowWriter) write(ctx context.Context, one *candidate) (err error) {
	old := one.old
	if old == nil {
		if old, err = c.moved(ctx, one.now); err != nil {
			return err
		}
	}
	if old == nil {
		return c.insert(ctx, one.now)
	}
	return c.replace(ctx, old, one.now)
}

// insert adds a document the index does not have.
func (c *rowWriter) insert(ctx context.Context, r *record) error {
	if err := c.bump(ctx); err != nil {
		return err
	}
	result, err := c.exec(ctx, insertDocument, r.columns(c.rev)...)
	if err != nil {
		return err
	}
	doc, err := result.LastInsertId()
	if err != nil {
		return fmt.Errorf("number the document: %w", err)
	}
	if err := c.attach(ctx, doc, r); err != nil {
		return err
	}
	return c.feed(ctx, doc, r)
}

// replace brings the row of a document up to date. The row keeps its number
// also when the file has another name now.
func (c *rowWriter) replace(ctx context.Context, old *indexedFile, r *record) error {
	sameText := bytes.Equal(old.hash, r.hash) && old.path == r.file.Path
	rev := old.rev
	if !sameText || old.updated != r.doc.Updated.UnixMilli() || old.created != r.doc.Created.UnixMilli() {
		if err := c.bump(ctx); err != nil {
			return err
		}
		if c.keepPast {
			if err := c.remember(ctx, old.doc); err != nil {
				return err
			}
		}
		rev = c.rev
	}
	set, err := c.update(ctx, old.doc, r.columns(rev))
	if err != nil {
		return err
	}
	if sameText {
		return nil
	}
	sameBody, limited, err := c.sameBody(ctx, old.doc, r)
	if err != nil {
		return err
	}
	fields := changedFields(set, sameBody)
	if err := c.logRevision(ctx, old.doc, versionOf(old.hash), versionOf(r.hash), fields); err != nil {
		return err
	}
	// Most changes are of other fields than those that are searched, and feeding is
	// what costs.
	sameWords := sameBody && !slices.Contains(set, "title") && !slices.Contains(set, "labels")
	if err := c.drop(ctx, old.doc, attached...); err != nil {
		return err
	}
	if err := c.attach(ctx, old.doc, r); err != nil {
		return err
	}
	if sameWords {
		if limited { // which is still so
			return c.addProblem(ctx, old.doc, tooManyWords)
		}
		return nil
	}
	if err := c.drop(ctx, old.doc, "document_label"); err != nil {
		return err
	}
	return c.feed(ctx, old.doc, r)
}

// attached are the tables that attach writes to.
var attached = []string{"document_problem", "link", "field", "reference", "former_id"}

// drop deletes the rows of a document from tables.
func (c *rowWriter) drop(ctx context.Context, doc int64, tables ...string) error {
	for _, table := range tables {
		if _, err := c.exec(ctx, `DELETE FROM `+table+` WHERE doc = ?`, doc); err != nil {
			return err
		}
	}
	return nil
}

// sameBody reports whether a document's body is what feed wrote of it already, and
// whether feed found too many words in the document.
func (c *rowWriter) sameBody(ctx context.Context, doc int64, r *record) (same, limited bool, err error) {
	err = c.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM body WHERE doc = ?1 AND text = ?2),
		EXISTS (SELECT 1 FROM document_problem WHERE doc = ?1 AND code = ?3)`,
		doc, r.text, string(problemManyWords)).Scan(&same, &limited)
	if err != nil {
		return false, false, fmt.Errorf("compare a document's body: %w", err)
	}
	return same, limited, nil
}

// remember keeps how a document is sorted now, for cursors older than this change.
func (c *rowWriter) remember(ctx context.Context, doc int64) error {
	_, err := c.exec(ctx, `INSERT INTO past SELECT doc, rev, ?, path, updated, created, status_rank, priority_rank
		FROM document WHERE doc = ? AND rev < ?`, c.rev, doc, c.rev)
	return err
}

// remove drops the document that has the path, if there is one still.
func (c *rowWriter) remove(ctx context.Context, path string) error {
	old, err := indexedByPath(ctx, c.tx, path)
	if err != nil || old == nil {
		return err
	}
	if err := c.bump(ctx); err != nil {
		return err
	}
	if _, err := c.exec(ctx, `DELETE FROM search WHERE rowid = ?`, old.doc); err != nil {
		return err
	}
	return c.drop(ctx, old.doc, append(attached, "document_label", "body", "document")...)
}

// attach writes what hangs on a document whatever has changed in it.
func (c *rowWriter) attach(ctx context.Context, doc int64, r *record) error {
	c.seeNumbers(r.doc)
	for _, p := range r.doc.Problems {
		if err := c.addProblem(ctx, doc, p); err != nil {
			return err
		}
	}
	for _, l := range r.doc.AllLinks() {
		_, err := c.exec(ctx, `INSERT OR IGNORE INTO link VALUES (?, ?, ?, ?, ?)`,
			doc, string(l.Kind), r.doc.FoldLink(l.Destination.ID), l.Destination.ID, linkName(r.doc, l.Destination.Name))
		if err != nil {
			return err
		}
	}
	if err := c.addReferences(ctx, doc, r); err != nil {
		return err
	}
	return c.addFields(ctx, doc, r)
}

func (c *rowWriter) addProblem(ctx context.Context, doc int64, p store.Problem) error {
	_, err := c.exec(ctx, `INSERT INTO document_problem VALUES (?, ?, ?, ?)`, doc, string(p.Code), p.Line, p.Message)
	return err
}

// feed writes the document's texts to the full-text table and beside it, and its
// labels, which are among them.
func (c *rowWriter) feed(ctx context.Context, doc int64, r *record) error {
	if !r.fed { // most changes leave the words alone
		var err error
		if c.vocabulary == nil {
			if c.vocabulary, err = c.ix.engine.words(ctx, c.tx); err != nil {
				return err
			}
		}
		r.feed(c.vocabulary)
	}
	if r.limited {
		if err := c.addProblem(ctx, doc, tooManyWords); err != nil {
			return err
		}
	}
	for _, label := range r.doc.Labels {
		if _, err := c.exec(ctx, `INSERT OR IGNORE INTO document_label VALUES (?, ?)`, label, doc); err != nil {
			return err
		}
	}
	if _, err := c.exec(ctx, `INSERT OR REPLACE INTO search (rowid, title, labels, body) VALUES (?, ?, ?, ?)`,
		doc, r.title, r.labels, r.body); err != nil {
		return err
	}
	if _, err := c.exec(ctx, `INSERT OR REPLACE INTO body VALUES (?, ?)`, doc, r.text); err != nil {
		return err
	}
	for _, term := range r.terms {
		if c.terms[term] {
			continue
		}
		c.terms[term] = true
		if _, err := c.exec(ctx, `INSERT INTO vocabulary (term) VALUES (?)`, term); err != nil {
			return err
		}
	}
	return nil
}
