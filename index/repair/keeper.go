package repair

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/store"
)

// decide chooses what becomes of the documents of each id.
func (p *duplicatePlanner) decide(ctx context.Context) error {
	for _, fold := range p.folds {
		group := p.scanner.groups[fold]
		apart := map[*bearer][]*bearer{} // by the parent that takes its children with it
		var parents []*bearer
		for _, b := range group {
			if err := p.findParent(ctx, b); err != nil {
				return err
			}
			parent := b.parent
			if parent != nil && !parent.becomes().moves && parent.becomes().newID == parent.doc.ID {
				parent = nil
			}
			if apart[parent] == nil {
				parents = append(parents, parent)
			}
			apart[parent] = append(apart[parent], b)
		}
		for _, parent := range parents {
			children := apart[parent]
			if parent != nil && parent.twin == nil {
				p.follow(children, parent)
			}
			if len(children) > 1 {
				if err := p.contest(ctx, children); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// findParent finds the document with whose id that of another begins: the one that it names as
// its parent, or that its author had.
func (p *duplicatePlanner) findParent(_ context.Context, b *bearer) error {
	parents := p.scanner.groups[store.FoldID(p.ws.ParentOfID(b.doc.Collection, b.doc.ID))]
	if len(parents) == 0 {
		return nil
	}
	for _, f := range p.files {
		if f.path != b.doc.Path {
			continue
		}
		for _, r := range f.refs {
			if r.parent {
				if slices.Contains(parents, r.target) {
					b.parent = r.target
				}
				return nil
			}
		}
	}
	if len(b.birth.commits) > 0 {
		b.parent = p.known(b.birth.commits[0], parents)
	}
	return nil
}

// follow has children take ids that begin with the new one of their parent.
func (p *duplicatePlanner) follow(children []*bearer, parent *bearer) {
	for _, b := range children {
		if b.blocked != "" {
			p.undecided([]*bearer{b}, fmt.Sprintf("%s gets another id, and cannot take it along, since %s", parent.doc.Path, b.blocked), false)
			continue
		}
		b.moves, b.follows = true, true
		b.why = "its id begins with that of its parent, " + parent.doc.Path
	}
}

// contest chooses which of several documents keeps the id that they share.
func (p *duplicatePlanner) contest(_ context.Context, group []*bearer) error {
	left := slices.Clone(group)
	sortBearers(left)
	slices.SortStableFunc(left, func(a, b *bearer) int { return p.kept(b) - p.kept(a) })
	if len(left) > 1 && p.kept(left[1]) > 0 {
		return &KeepError{left[1].doc.Path, "cannot keep its id, since " + left[0].doc.Path + " is to keep the same"}
	}
	if left = p.withoutCopies(left); len(left) < 2 {
		return nil
	}
	if left = p.withoutGhosts(left); len(left) < 2 {
		return nil
	}
	for _, b := range left[1:] {
		if b.blocked != "" {
			if left[0].blocked == "" && p.kept(left[0]) == 0 {
				p.undecided(left, b.doc.Path+" would get another id, and "+b.blocked, true)
			} else {
				p.undecided(left, b.doc.Path+" cannot get another id: "+b.blocked, false)
			}
			return nil
		}
	}
	if left[0].blocked != "" && p.kept(left[0]) == 0 {
		p.undecided(left, left[0].doc.Path+": "+left[0].blocked, true)
		return nil
	}
	for _, b := range left[1:] {
		if order, _ := keeps(left[0], b); order <= 0 && p.kept(left[0]) == 0 {
			p.undecided(left, "nothing tells which of them was first", true)
			return nil
		}
	}
	for _, b := range left[1:] {
		_, why := keeps(left[0], b)
		if p.kept(left[0]) > 0 {
			why = "as was decided"
		}
		b.moves, b.follows = true, false
		b.why = left[0].doc.Path + " keeps the id: " + why
	}
	return nil
}

// kept is 1 for a document that a person has decided to keep.
func (p *duplicatePlanner) kept(b *bearer) int {
	if slices.Contains(p.options.Keep, b.doc.Path) {
		return 1
	}
	return 0
}

// withoutCopies drops documents that say the same as one before them in the list.
func (p *duplicatePlanner) withoutCopies(group []*bearer) (left []*bearer) {
	for _, b := range group {
		i := slices.IndexFunc(left, func(twin *bearer) bool {
			return b.blocked == "" && twin.blocked == "" && sameText(b.doc, twin.doc)
		})
		if i < 0 {
			left = append(left, b)
			continue
		}
		b.twin, b.why = left[i], "a copy of "+left[i].doc.Path
		b.moves = false
	}
	return left
}

// withoutGhosts drops old copies of documents that have got another id since, and that a merge
// has brought back.
func (p *duplicatePlanner) withoutGhosts(group []*bearer) (left []*bearer) {
	for i, b := range group {
		others := len(left) + len(group) - i - 1
		ghost := false
		for _, now := range p.former[b.fold()] {
			if ghost || others == 0 || now.doc.Path == b.doc.Path || p.kept(b) > 0 || b.blocked != "" || now.blocked != "" {
				continue
			}
			switch {
			case sameText(b.doc, now.doc) || p.wasOnce(b, now):
				b.twin, b.why = now, "an old copy of "+now.doc.Path+", which had this id"
				ghost = true
			case alike(b, now):
				p.undecided([]*bearer{b, now}, fmt.Sprintf(
					"%s looks like an old copy of %s, which had this id, but its text differs: move what is new there and delete it, or decide that it keeps the id",
					b.doc.Path, now.doc.Path), false)
				ghost = true
			}
		}
		if !ghost {
			left = append(left, b)
		}
	}
	return left
}

// wasOnce reports whether a file is as a document was before a commit gave that another id.
func (p *duplicatePlanner) wasOnce(b, now *bearer) bool {
	object := p.authors.tree[b.doc.Path]
	if object == "" || p.authors.repo == nil {
		return false
	}
	committed, err := p.authors.objects.Read(object, store.MaxFileSize)
	if err != nil || !bytes.Equal(committed, b.data) {
		return false
	}
	for _, e := range p.authors.events[now.doc.Path] {
		gone := func(o pathEvent) bool { return o.commit == e.commit && o.change.New == "" }
		if e.change.Old == "" && len(e.commit.Parents) == 1 && slices.ContainsFunc(p.authors.events[b.doc.Path], gone) {
			return slices.Contains(p.authors.earlierVersions(b.doc.Path, e.commit.Parents[0]), object)
		}
	}
	return false
}

// undecided notes documents that a person has to decide about.
func (p *duplicatePlanner) undecided(group []*bearer, reason string, tie bool) {
	u := UndecidedID{ID: group[0].doc.ID, Reason: reason, Tie: tie}
	for _, b := range group {
		b.moves, b.follows = false, false
		u.Paths = append(u.Paths, b.doc.Path)
	}
	slices.SortFunc(u.Paths, strings.Compare)
	p.repair.Undecided = append(p.repair.Undecided, u)
}
