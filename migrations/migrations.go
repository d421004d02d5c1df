// Package migrations holds the schema of the index as SQL files, one a topic, to be
// read by someone who opens the index with the sqlite3 program.
//
// It knows nothing of Go types. The index is disposable, so there are no steps from
// one version to the next: whoever changes the schema edits these files and gives
// Version a new number, and an index of another version is rebuilt. No statement
// alters or drops what another one made, so the order of the files matters only as
// far as an index or a trigger follows its table.
package migrations

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
)

// ApplicationID marks an SQLite file as an index of ours ("iidx").
const ApplicationID = 0x69696478

// Version is the schema's number, kept in the index as user_version. It grows
// whenever these files, or the way rows are made from documents, change.
const Version = 13

//go:embed *.sql
var files embed.FS

// Digest tells the schema from those of other builds of the program, whose
// authors may not have thought of Version.
func Digest() (string, error) {
	schema, err := Schema()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(schema))
	return hex.EncodeToString(sum[:8]), nil
}

// Schema returns the statements that make an empty index, in order.
func Schema() (string, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return "", fmt.Errorf("list the schema's files: %w", err)
	}
	var schema strings.Builder
	for _, name := range names { // embed lists names in order
		text, err := files.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("read %s: %w", name, err)
		}
		schema.Write(text)
	}
	fmt.Fprintf(&schema, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n", ApplicationID, Version)
	return schema.String(), nil
}
