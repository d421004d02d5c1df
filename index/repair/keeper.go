package repair

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/store"
)

// decide chooses what becomes of the documents of each id.
func (p *duplicatePlanner) decide(context.Context) error {
	for _, fold := range p.folds {
		group := p.scanner.groups[fold]
		apart := map[*bearer][]*bearer{} // by the parent that takes its children with it
		var parents []*bearer
		for _, b := range group {
			p.findParent(b)
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
				if err := p.contest(children); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// findParent finds the document with whose id that of another begins: the one that it names as
// its parent, or that was there when its first line was written.
func (p *duplicatePlanner) findParent(b *bearer) {
	parents := p.scanner.meaningOf(store.FoldID(p.ws.ParentOfID(b.doc.Collection, b.doc.ID)))
	if parents == nil {
		return
	}
	if f := p.fileOf[b.doc.Path]; f != nil {
		for _, r := range f.refs {
			if r.parent {
				if slices.Contains(parents.bearers, r.target) && !r.target.moved {
					b.parent = r.target
				}
				return
			}
		}
	}
	if one := p.existed(b.begun, parents); one != nil && !one.moved {
		b.parent = one
	}
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
func (p *duplicatePlanner) contest(group []*bearer) error {
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

// mostCompared is with how many documents that look the same one is compared. One that is a copy
// of none of these counts as no copy: it gets an id of its own.
const mostCompared = 8

// withoutCopies drops documents that say the same as one before them in the list.
func (p *duplicatePlanner) withoutCopies(group []*bearer) (left []*bearer) {
	same := map[string][]*bearer{}
	for _, b := range group {
		key := b.textKey()
		i := slices.IndexFunc(same[key], func(twin *bearer) bool {
			return b.blocked == "" && twin.blocked == "" && sameText(b.doc, twin.doc)
		})
		if i < 0 {
			left = append(left, b)
			if len(same[key]) < mostCompared {
				same[key] = append(same[key], b)
			}
			continue
		}
		b.twin, b.why = same[key][i], "a copy of "+same[key][i].doc.Path
		b.moves = false
	}
	return left
}

// withoutGhosts drops old copies of documents that have got another id since, and that a merge
// has brought back.
func (p *duplicatePlanner) withoutGhosts(group []*bearer) (left []*bearer) {
	others := len(group)
	for _, b := range group {
		if others > 1 && p.kept(b) == 0 && b.blocked == "" && p.isGhost(b) {
			others--
			continue
		}
		left = append(left, b)
	}
	return left
}

// isGhost decides about a document that may be an old copy of another one.
func (p *duplicatePlanner) isGhost(b *bearer) bool {
	var alike []*bearer
	for _, likeness := range b.likenesses() {
		for _, now := range p.former[formerKey{b.fold(), likeness}] {
			if now.doc.Path != b.doc.Path && now.blocked == "" && !slices.Contains(alike, now) {
				alike = append(alike, now)
			}
		}
	}
	if len(alike) == 0 {
		return false
	}
	if i := slices.IndexFunc(alike, func(now *bearer) bool { return sameText(b.doc, now.doc) }); i >= 0 {
		b.twin, b.why = alike[i], "an old copy of "+alike[i].doc.Path+", which had this id"
		return true
	}
	p.undecided([]*bearer{b, alike[0]}, fmt.Sprintf(
		"%s looks like an old copy of %s, which had this id, but its text differs: move what is new there and delete it, or decide that it keeps the id",
		b.doc.Path, alike[0].doc.Path), false)
	return true
}

// A formerKey is an id that documents had, and what one that has it now is compared by.
type formerKey struct{ fold, likeness string }

// addFormer notes that a document had an id of a group.
func (p *duplicatePlanner) addFormer(fold string, b *bearer) {
	for _, likeness := range b.likenesses() {
		key := formerKey{fold, likeness}
		if len(p.former[key]) < mostCompared {
			p.former[key] = append(p.former[key], b)
		}
	}
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
