package repair

import (
	"context"
	"errors"
	"math"
	"path"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/git"
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
		now := newBearer(p.ws, row.Path)
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
	if end := now.namedID(); end > 0 {
		dir, name := path.Split(doc.Path)
		doc.Path = dir + ws.FileID(id) + name[end:]
	}
	return &bearer{doc: &doc, data: now.data, created: now.created, newID: now.doc.ID, to: now.doc.Path, moved: true}
}

// attributeMoved finds out whose authors had documents with an earlier id: those that had the
// document, and had not the commit that gave it the new one.
func (p *duplicatePlanner) attributeMoved(fold string) error {
	for _, b := range p.scanner.moved[fold] {
		b.birth = p.authors.birthOf(b.to)
		b.knowing = slices.Clone(p.authors.knowing(b.birth.commits))
		changed, err := p.authors.changedID(b.to, b.newID)
		if err != nil {
			return err
		}
		for at, knew := range p.authors.knowing(changed) {
			b.knowing[at] = b.knowing[at] && !knew
		}
	}
	return nil
}

// changedID returns commits after which a file has an id: those that added it with the id, or,
// if there are none, all that wrote it so.
func (a *authorship) changedID(file, id string) (added []string, err error) {
	if a.repo == nil {
		return nil, nil
	}
	var wrote []string
	for _, e := range a.events[file] {
		if e.change.New == "" {
			continue
		}
		has, err := a.hasID(file, e.change.New, id)
		switch {
		case err != nil:
			return nil, err
		case has && e.change.Old == "":
			added = append(added, e.commit.Hash)
		case has:
			wrote = append(wrote, e.commit.Hash)
		}
	}
	if len(added) > 0 {
		return added, nil
	}
	return wrote, nil
}

// hasID reports whether a version of a document has an id.
func (a *authorship) hasID(file, object, id string) (bool, error) {
	data, err := a.objects.Read(object, store.MaxFileSize)
	if errors.Is(err, git.ErrTooLarge) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c, _ := a.ws.CollectionOf(file)
	return store.FoldID(a.ws.Parse(store.File{Path: file, Collection: c}, data, nil).ID) == store.FoldID(id), nil
}
