// Package migrations holds the schema of the index as SQL files, one a topic, to be
// read by someone who opens the index with the sqlite3 program.
//
// It knows nothing of Go types. The index is disposable, so there are no steps from
// one version to the next: a change of the schema edits these files and gives
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
	"sync"
)

// ApplicationID marks an SQLite file as an index of ours ("iidx").
const ApplicationID = 0x69696478

// Version is the schema's number, kept in the index as user_version. It grows
// whenever these files, or the way rows are made from documents, change.
const Version = 14

// FirstYielding is the first version whose programs leave an index of a newer one alone.
// Those before build it again for themselves when no other process has it open.
const FirstYielding = 13

//go:embed *.sql
var files embed.FS

// Digest tells the schema from those of other builds of the program, whose authors may not
// have thought of Version: 16 hexadecimal digits.
var Digest = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(Schema()))
	return hex.EncodeToString(sum[:8])
})

// Schema returns the statements that make an empty index, in order.
func Schema() string {
	var schema strings.Builder
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(name)
		schema.Write(text)
		return err
	})
	if err != nil { // the files are a part of the program
		panic(err)
	}
	fmt.Fprintf(&schema, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n", ApplicationID, Version)
	return schema.String()
}
