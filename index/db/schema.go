package db

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"issues-index/index/sqlfile"
	"issues-index/migrations"
	"issues-index/store"
	"issues-index/store/pattern"
)

// build makes an index in an empty file. It is not fit for use before build returns
// without an error.
func build(ctx context.Context, path string, covers coverage, fill Fill) error {
	db, err := openPool(sqlfile.DSN(path, url.Values{"_pragma": {
		// Written at once and to the disk, so that the file of a build that was cut
		// short, even by a power failure, is known to be ours.
		"journal_mode(OFF)", "synchronous(FULL)", fmt.Sprintf("application_id(%d)", migrations.ApplicationID),
		"synchronous(OFF)", "locking_mode(EXCLUSIVE)", "cache_size(-4000)",
	}}), 1)
	if err != nil {
		return err
	}
	return errors.Join(create(ctx, db, covers, fill), db.Close())
}

// afterFill are the statements that make indexes and triggers. They are run once, at the end:
// sorted, which is faster than in the order of files.
var afterFill = pattern.Lazy(`(?ms)^CREATE INDEX .*?;$|^CREATE TRIGGER .*?^END;$`)

// create writes the schema and has fill write the documents.
func create(ctx context.Context, db *sql.DB, covers coverage, fill Fill) error {
	schema := migrations.Schema()
	if _, err := db.ExecContext(ctx, afterFill().ReplaceAllString(schema, "")); err != nil {
		return fmt.Errorf("write the schema: %w", err)
	}
	if err := writeState(ctx, db, covers); err != nil {
		return err
	}
	if err := fill(ctx, db); err != nil {
		return err
	}
	for _, statement := range afterFill().FindAllString(schema, -1) {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("finish the index: %w", err)
		}
	}
	return nil
}

// writeState starts the one row about the index itself. Its revision is 1, so
// that 0 can mean none.
func writeState(ctx context.Context, db *sql.DB, covers coverage) error {
	random := make([]byte, 48)
	if _, err := rand.Read(random); err != nil {
		return fmt.Errorf("draw a random number: %w", err)
	}
	_, err := db.ExecContext(ctx, `INSERT INTO state VALUES (1, 1, ?, ?, ?, ?, ?)`,
		hex.EncodeToString(random[:8]), covers.collections, covers.layout, migrations.Digest(), random[16:])
	if err != nil {
		return fmt.Errorf("write the index's state: %w", err)
	}
	return nil
}

// A coverage says of what an index is made, besides files: both as in the table state.
type coverage struct {
	collections string // the folders that were read
	layout      string // by which documents were ranked and named
}

func coverageOf(ws *store.Workspace) coverage {
	if !ws.Mirror() {
		return coverage{collections: asJSON(ws.Collections), layout: asJSON(ws.Layout)}
	}
	joined := mirroredLayout{ws.Layout, map[string]string{}}
	for _, l := range ws.Branches() {
		data, err := l.Manifest.Bytes()
		if err != nil { // it was read of such bytes
			continue
		}
		sum := sha256.Sum256(data)
		joined.Lines[l.String()] = hex.EncodeToString(sum[:8])
	}
	return coverage{collections: asJSON(ws.Collections), layout: asJSON(joined)}
}

// A mirroredLayout is the layout of a mirror, and by which manifests its lines were read.
type mirroredLayout struct {
	Layout any               `json:"layout"` // a *layout.Layout, which is written only
	Lines  map[string]string `json:"lines"`  // digests, by the names of lines
}

// extends reports whether what is covered is a mirror that has other lines than the covered
// one, and reads those that both have as it did. Rows of the others come and go with their
// files.
func (c coverage) extends(old coverage) bool {
	var now, before mirroredLayout
	if json.Unmarshal([]byte(c.layout), &now) != nil || json.Unmarshal([]byte(old.layout), &before) != nil ||
		now.Lines == nil {
		return false
	}
	for line, digest := range before.Lines {
		if current, both := now.Lines[line]; both && current != digest {
			return false
		}
	}
	return before.Lines != nil
}

// keep writes what a mirror covers now.
func (c coverage) keep(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx,
		`UPDATE state SET collections = ?1, layout = ?2 WHERE (collections, layout) <> (?1, ?2)`, c.collections, c.layout)
	if err != nil {
		return fmt.Errorf("write the folders of the index: %w", err)
	}
	return nil
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil { // lists of strings always have a JSON form
		return "[]"
	}
	return string(text)
}
