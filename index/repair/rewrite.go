package repair

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"issues-index/store"
	"issues-index/store/frontmatter"
)

// draft makes the changes of all files.
func (p *duplicatePlanner) draft() error {
	p.repair.Changes, p.repair.Left = nil, nil
	for _, file := range slices.Sorted(maps.Keys(p.files)) {
		f, t := p.files[file], p.byPath[file]
		if t != nil && t.original != nil && !t.former {
			p.change(store.Fix{From: file, Was: store.HashOf(t.data), Old: f.data}, t.why)
			continue
		}
		text := p.rewrite(f)
		switch {
		case t != nil && t.moves:
			data, err := p.renumbered(t, text)
			if err != nil {
				return err
			}
			p.change(store.NewFix(file, t.to, t.data, data), t.doc.ID+" → "+t.newID+", since "+t.why)
		case text != f.data:
			p.change(store.NewFix(file, file, []byte(f.data), []byte(text)), "")
		}
	}
	slices.SortFunc(p.repair.Left, func(a, b LeftReference) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), strings.Compare(a.Text, b.Text))
	})
	return nil
}

func (p *duplicatePlanner) change(f store.Fix, why string) {
	change := FileChange{Fix: f, Codes: []store.ProblemCode{DuplicateID}, Why: why}
	p.repair.Changes = append(p.repair.Changes, change)
}

// renumbered is the text of a document with its new id. The time of its last change stays: what
// it says has not changed.
func (p *duplicatePlanner) renumbered(t *twin, text string) ([]byte, error) {
	former := t.doc.FormerIDs()
	if !slices.Contains(former, t.doc.ID) {
		former = append(former, t.doc.ID)
	}
	edit := frontmatter.Edit{Unstamped: true, Set: []frontmatter.Assignment{
		{Key: "id", Value: t.newID}, {Key: store.FormerIDsKey, Value: former},
	}}
	data, _, err := edit.Apply(frontmatter.Parse([]byte(text), t.doc.Collection, p.ws.Layout), p.ws.Now())
	if err != nil {
		return nil, fmt.Errorf("give %s the id %s: %w", t.doc.Path, t.newID, err)
	}
	return data, nil
}

// rewrite has a file name the documents that its authors meant, and lists the places where that
// cannot be.
func (p *duplicatePlanner) rewrite(f *scannedFile) (text string) {
	var out strings.Builder
	at := 0
	for _, r := range f.refs {
		if r.start < at {
			continue
		}
		replacement, why := p.replacement(f, r)
		if why != "" {
			p.leave(f, r, why)
			continue
		}
		out.WriteString(f.data[at:r.start])
		out.WriteString(replacement)
		at = r.end
	}
	out.WriteString(f.data[at:])
	if text = out.String(); text == f.data || f.doc == nil || p.readsAsBefore(f, text) {
		return text
	}
	for _, r := range f.refs {
		if r.target != nil && r.target.changes() {
			p.leave(f, r, "the frontmatter could not be read with the new id")
		}
	}
	return f.data
}

// readsAsBefore reports whether the frontmatter of a document can be read as before once its
// references are changed.
func (p *duplicatePlanner) readsAsBefore(f *scannedFile, text string) bool {
	c, _ := p.ws.CollectionOf(f.path)
	after := p.ws.Parse(store.File{Path: f.path, Collection: &c}, []byte(text), nil)
	return len(after.Problems) == len(f.doc.Problems) && len(after.AllLinks()) == len(f.doc.AllLinks())
}

// replacement is what takes the place of a reference. why says why the reference stays although it
// may mean a document that changes, "" when it does not, or does not stay.
func (p *duplicatePlanner) replacement(f *scannedFile, r foundReference) (text, why string) {
	old := f.data[r.start:r.end]
	if r.target == nil {
		gone := func(t *twin) bool { return !t.former && t.changes() && t.becomes().newID != t.doc.ID }
		if slices.ContainsFunc(r.candidates, gone) {
			return old, "nothing tells which of them its author meant"
		}
		return old, ""
	}
	now := r.target.becomes()
	id, same := strings.CutSuffix(store.Stem(now.to), r.target.rest())
	switch {
	case r.form == asName && !same:
		return old, "it is the name of a file that has another one now"
	case now.newID == r.target.doc.ID:
		return old, ""
	case f.blocked != "":
		return old, f.blocked
	case r.code:
		return old, "it stands in code, HTML or the text of a link"
	case r.form == asName:
		return id, ""
	case r.form == asNumber:
		return cmp.Or(numberOf(now.newID), now.newID), ""
	}
	return now.newID, ""
}

// leave lists a reference that is not changed.
func (p *duplicatePlanner) leave(f *scannedFile, r foundReference, why string) {
	left := LeftReference{Path: f.path, Line: r.line, Text: f.data[r.start:r.end], Reason: why}
	if t := p.byPath[f.path]; t != nil {
		left.Path = t.becomes().to
	}
	candidates := r.candidates
	if r.target != nil {
		candidates = []*twin{r.target}
	}
	for _, t := range candidates {
		now := t.becomes()
		if name := now.newID + " (" + now.to + ")"; !slices.Contains(left.Candidates, name) {
			left.Candidates = append(left.Candidates, name)
		}
	}
	p.repair.Left = append(p.repair.Left, left)
}
