package repair

import (
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/store"
)

// gatherMoved finds the documents that got another id in an earlier repair. A branch that did
// not know of it may have brought references with the old id since, which now mean another
// document, or none. It returns the folds of the old ids.
func (p *duplicatePlanner) gatherMoved(ctx context.Context, ix *index.Index) (folds map[string]bool, err error) {
	keys, err := ix.FieldKeys(ctx)
	if err != nil || !slices.Contains(keys, store.FormerIDsKey) {
		return nil, err
	}
	page, err := ix.Find(ctx, index.Query{Filter: index.Filter{Where: index.AskedCriteria{Text: store.FormerIDsKey + " != empty"}}, Limit: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	folds = map[string]bool{}
	for _, row := range page.Rows {
		now := p.bearerAt(row.Path)
		for _, id := range now.doc.FormerIDs() {
			fold := store.FoldID(id)
			if fold == now.fold() {
				continue
			}
			was := newMoved(p.ws, now, id)
			folds[fold] = true
			p.scanner.moved[fold] = append(p.scanner.moved[fold], was)
			if !p.taken[index.AlikePath(was.doc.Path)] {
				name := strings.ToLower(stem(was.doc.Path))
				p.scanner.byPath[was.doc.Path] = was
				p.scanner.byName[name] = append(p.scanner.byName[name], was)
			}
		}
	}
	return folds, nil
}

// newMoved is a document as it was with an earlier id.
func newMoved(ws *store.Workspace, now *bearer, id string) *bearer {
	doc := *now.doc
	doc.ID = id
	if end := now.idEnd; end > 0 {
		dir, name := path.Split(doc.Path)
		doc.Path = dir + ws.FileID(id) + name[end:]
	}
	was := &bearer{doc: &doc, data: now.data, created: now.created, newID: now.doc.ID, to: now.doc.Path, moved: true}
	was.idEnd = was.namedID()
	return was
}
