package edit

import (
	"context"
	"slices"
	"strings"

	"issues-index/store"
	"issues-index/store/markdown"
)

// An Edited is what an edit of a document's text did.
type Edited struct {
	Applied
	Parts []markdown.TextChange // one for each edit
}

// Edit changes parts of a document's text, all of them or none. Errors are Update's, and
// *markdown.TextEditError for an edit that cannot be placed.
func (w *Writer) Edit(ctx context.Context, ref DocumentRef, edits []markdown.TextEdit) (Edited, error) {
	edits = slices.Clone(edits)
	for i := range edits {
		edits[i].Text = strings.ToValidUTF8(edits[i].Text, "\ufffd")
	}
	var e Edited
	var err error
	e.Applied, err = w.Update(ctx, ref, func(doc *store.Document) (store.Fields, error) {
		body, parts, err := markdown.Apply(doc.Body, edits)
		e.Parts = parts
		return store.Fields{Body: &body}, err
	})
	return e, err
}
