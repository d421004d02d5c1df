package index

import (
	"context"
	"errors"
	"io/fs"

	"issues-index/store"
)

// mostMoves is how often a document is looked for that others move while it is read.
const mostMoves = 5

// Load looks a document up and reads its file. When the document was moved in between, Load
// looks again. Errors are Get's and those of [store.Workspace.Load].
func (ix *Index) Load(ctx context.Context, id string) (row Row, doc *store.Document, err error) {
	doc, err = ix.load(func() (*Row, error) {
		row, err = ix.Get(ctx, id)
		return &row, err
	})
	return row, doc, err
}

// LoadLinked is Load with the links of the document: those of Links, or all.
func (ix *Index) LoadLinked(
	ctx context.Context, id string, all bool,
) (links DocumentLinks, doc *store.Document, err error) {
	doc, err = ix.load(func() (*Row, error) {
		links, err = ix.links(ctx, id, all)
		return &links.Row, err
	})
	return links, doc, err
}

func (ix *Index) load(look func() (*Row, error)) (*store.Document, error) {
	for looks := 1; ; looks++ {
		row, err := look()
		if err != nil {
			return nil, err
		}
		doc, _, err := ix.ws.Load(row.Path)
		if !errors.Is(err, fs.ErrNotExist) {
			return doc, err
		}
		if looks == mostMoves {
			return nil, &NotFoundError{ID: row.Handle()}
		}
	}
}
