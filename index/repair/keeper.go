package repair

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"issues-index/store"
)

// decide chooses what becomes of the documents of each id. Of children that share an id, those of
// one parent are told apart from those of another parent that gets a new id.
func (p *duplicatePlanner) decide(context.Context) error {
	parentsFirst := func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "."), strings.Count(b, ".")), strings.Compare(a, b))
	}
	for _, fold := range slices.SortedFunc(maps.Keys(p.twins), parentsFirst) {
		children := map[*twin][]*twin{}
		parents := []*twin{nil}
		for _, t := range p.twins[fold] {
			if t.parent = p.movedParent(t); !slices.Contains(parents, t.parent) {
				parents = append(parents, t.parent)
			}
			children[t.parent] = append(children[t.parent], t)
		}
		for _, parent := range parents {
			if err := p.contest(children[parent]); err != nil {
				return err
			}
			if parent != nil {
				p.follow(children[parent], parent)
			}
		}
	}
	return nil
}

// movedParent is the document that a child names as its parent, if its id begins with that one's,
// and that one gets another id.
func (p *duplicatePlanner) movedParent(t *twin) *twin {
	fold := store.FoldID(p.ws.ParentOfID(t.doc.Collection, t.doc.ID))
	f := p.files[t.doc.Path]
	if f == nil || fold == "" {
		return nil
	}
	for _, r := range f.refs {
		if r.parent && r.target != nil && r.target.moves && r.target.fold() == fold {
			return r.target
		}
	}
	return nil
}

// follow has children take ids that begin with the new one of their parent.
func (p *duplicatePlanner) follow(children []*twin, parent *twin) {
	for _, t := range children {
		switch {
		case t.moves || t.original != nil:
		case t.blocked != "":
			why := fmt.Sprintf("%s gets another id, and cannot take it along: %s", parent.doc.Path, t.blocked)
			p.undecided([]*twin{t}, why, false)
		default:
			t.follows = true
			p.move(t, "its id begins with that of its parent, "+parent.doc.Path)
		}
	}
}

// contest chooses which of several documents keeps the id that they share: the oldest.
func (p *duplicatePlanner) contest(group []*twin) error {
	slices.SortFunc(group, func(a, b *twin) int {
		order, _ := p.compareAges(a, b)
		return order
	})
	if len(group) > 1 && p.isKept(group[1]) {
		reason := "cannot keep its id, since " + group[0].doc.Path + " is to keep the same"
		return &KeepError{group[1].doc.Path, reason}
	}
	left := p.withoutCopies(group)
	if len(left) < 2 {
		return nil
	}
	keeper, others := left[0], left[1:]
	blocked := func(t *twin) bool { return t.blocked != "" }
	if i := slices.IndexFunc(others, blocked); i >= 0 {
		why := others[i].doc.Path + " would get another id, and " + others[i].blocked
		p.undecided(left, why, keeper.blocked == "" && !p.isKept(keeper) && !slices.ContainsFunc(others[i+1:], blocked))
		return nil
	}
	for _, t := range others {
		_, why := p.compareAges(keeper, t)
		p.move(t, keeper.doc.Path+" keeps the id: "+why)
	}
	return nil
}

// move has a document get another id.
func (p *duplicatePlanner) move(t *twin, why string) {
	t.moves, t.why = true, why
	p.moving = append(p.moving, t)
}

// isKept reports whether a person has decided that a document keeps its id.
func (p *duplicatePlanner) isKept(t *twin) bool { return slices.Contains(p.options.Keep, t.doc.Path) }

// withoutCopies leaves out documents that say the same as another document of the group, or as a
// document that had the id before: a merge has brought that one's old file back. Statuses may
// differ when the document that stays is finished.
func (p *duplicatePlanner) withoutCopies(group []*twin) (left []*twin) {
	if len(group) < 2 {
		return group
	}
	originals := map[string]*twin{}
	for _, t := range p.former[group[0].fold()] {
		originals[t.textKey()] = t
	}
	for _, t := range group {
		key := t.textKey()
		original := originals[key]
		if original == nil || !original.former && !original.doc.Finished() && t.doc.Finished() {
			originals[key] = t
		}
	}
	for _, t := range group {
		original := originals[t.textKey()]
		// Two documents that had each other's ids are not both copies.
		same := original.becomes() != t && (original.doc.Status == t.doc.Status || original.doc.Finished())
		switch {
		case !same || t.blocked != "" || original.blocked != "" || p.isKept(t):
			left = append(left, t)
			continue
		case original.former:
			t.why = "an old copy of " + original.becomes().doc.Path + ", which had this id"
		default:
			t.why = "a copy of " + original.doc.Path
		}
		t.original = original
	}
	return left
}

// undecided notes documents that a person has to decide about. tie says that one of them can be
// kept by DuplicateOptions.Keep.
func (p *duplicatePlanner) undecided(group []*twin, reason string, tie bool) {
	u := UndecidedID{ID: group[0].doc.ID, Reason: reason, Tie: tie}
	for _, t := range group {
		u.Paths = append(u.Paths, t.doc.Path)
	}
	slices.SortFunc(u.Paths, strings.Compare)
	p.repair.Undecided = append(p.repair.Undecided, u)
}
