package index

import (
	"context"

	"issues-index/index/db"
)

// A FileHash says what the file of a document was when the index read it.
type FileHash struct {
	Path string
	Hash []byte // first 16 bytes of the SHA-256 of the file; nil when it could not be read
}

// FileHashes are the hashes of documents' files as of a state of the index.
type FileHashes struct {
	Generation string // of the index, new with every rebuild
	Rev        int64  // of the last change
	// Whole says that All are those of every document, rather than of those that have
	// changed.
	Whole     bool
	All       []FileHash
	Documents int // how many there are
}

// FileHashes returns the hashes of the documents that have changed since a state of the
// index, and of all documents when that state is not one of this index.
func (ix *Index) FileHashes(ctx context.Context, generation string, rev int64) (found FileHashes, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		found = FileHashes{Generation: tx.Generation, Rev: tx.Rev, Whole: tx.Generation != generation}
		if found.Whole {
			rev = -1
		}
		found.Documents, err = readOne[int](ctx, tx, "count the documents", `SELECT count(*) FROM document`)
		if tx.Rev == rev || err != nil {
			return err
		}
		found.All, err = readRows[FileHash](ctx, tx, "hashes of the files",
			`SELECT path, iif(length(hash) = ?, hash, NULL) FROM document WHERE rev > ?`, hashSize, rev)
		return err
	})
	return found, err
}
