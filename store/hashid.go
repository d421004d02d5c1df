package store

import (
	"errors"

	"issues-index/store/layout"
)

// mostHashes is how often a new hash is made when those before are taken or of no use. By
// chance that is always enough.
const mostHashes = 100

// errHashes says that the random bytes cannot be random.
var errHashes = errors.New("every id made at random is taken")

// newHash makes the id of a new document of random bytes, of no document that is known here.
// taken is as CreateOptions has it.
func (w *Workspace) newHash(
	docType string, taken func(id string) (taken bool, documents int, err error), random func([]byte),
) (string, error) {
	prefix := w.Layout.IDs[docType].Prefix
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
