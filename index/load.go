package index

import (
	"context"
	"errors"
	"io/fs"

	"issues-index/store"
)

// mostMoves is how often a document may be moved while it is read.
const mostMoves = 5

// Load looks a document up and reads its file. Unless beside is nil, it reads what else is to be
// known of the document as the row has it. When the document was moved in between, Load looks
// again. Errors are Get's, those of [store.Workspace.Load] and beside's.
func (ix *Index) Load(ctx context.Context, id string, beside func(Row) error) (row Row, doc *store.Document, err error) {
	for range mostMoves {
		if row, err = ix.Get(ctx, id); err != nil {
			return Row{}, nil, err
		}
		if beside != nil {
			err = beside(row)
		}
		if err == nil {
			doc, _, err = ix.ws.Load(row.Path)
		}
		var gone *NotFoundError
		if !errors.As(err, &gone) && !errors.Is(err, fs.ErrNotExist) {
			return row, doc, err
		}
	}
	return Row{}, nil, &NotFoundError{ID: row.Handle()}
}
