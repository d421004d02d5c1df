package index

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/index/search"
)

// What is read of large documents is written before more of them is read, however few bytes they
// take where they come from.
func TestFewLargeDocumentsAreHeldAtOnce(t *testing.T) {
	const documents, size = 20, 1 << 20
	root := t.TempDir()
	text := []byte("---\ntitle: t\n---\n" + strings.Repeat("word ", size/5))
	for i := range documents {
		writeAll(t, filepath.Join(root, ".wrangler", "issues", fmt.Sprintf("ISS-%06d-x.md", i+1)), text)
	}
	ws := openPlain(t, root)
	listing, err := ws.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	take := func(records []*record) error {
		held := int64(0)
		for _, r := range records {
			held += r.file.Stat.Size
		}
		if read += len(records); held > heldBytes+int64(len(text)) {
			t.Errorf("%d documents with %d bytes are held", len(records), held)
		}
		return nil
	}
	err = prepareAll(t.Context(), ws, &search.Vocabulary{}, listing.Files, take)
	if err != nil || read != documents {
		t.Errorf("%d of %d documents were read: %v", read, documents, err)
	}
}
