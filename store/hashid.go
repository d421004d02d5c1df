package store

import (
	"context"
	"errors"

	"issues-index/store/layout"
)

// mostHashes is how often a new hash is made when those before are taken or of no use. By
// chance that is always enough.
const mostHashes = 100

// errHashes says that the random bytes cannot be random.
var errHashes = errors.New("every id made at random is taken")

// newHash makes the id of a new document of random bytes, of no document that is known here.
// taken is that of CreateOptions; without it every document is read.
func (m *Mutation) newHash(
	ctx context.Context, docType string,
	taken func(id string) (taken bool, documents int, err error), random func([]byte),
) (string, error) {
	if taken == nil {
		known, documents, err := m.w.knownIDs(ctx)
		if err != nil {
			return "", err
		}
		taken = func(id string) (bool, int, error) { return known[FoldID(id)], documents, nil }
	}
	prefix := m.w.Layout.IDs[docType].Prefix
	_, documents, err := taken(prefix)
	if err != nil {
		return "", err
	}
	bytes := make([]byte, layout.HashLength(documents))
	for range mostHashes {
		random(bytes)
		hash, ok := layout.FormatHash(bytes)
		if !ok {
			continue
		}
		is, _, err := taken(prefix + hash)
		if err != nil || !is {
			return prefix + hash, err
		}
	}
	return "", errHashes
}

// knownIDs reads the ids of all documents, in the form of FoldID.
func (w *Workspace) knownIDs(ctx context.Context) (known map[string]bool, documents int, err error) {
	listing, err := w.List(ctx)
	if err != nil {
		return nil, 0, err
	}
	known = make(map[string]bool, len(listing.Files))
	for _, f := range listing.Files {
		if doc, _, err := w.Load(f.Path); err == nil {
			known[FoldID(doc.ID)] = true
		}
	}
	return known, len(listing.Files), nil
}
