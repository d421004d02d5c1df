package edit

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/markdown"
	"issues-index/store/merge"
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

// A Replaced is what became of a text that a person has edited.
type Replaced struct {
	Applied
	// Merged reports that the document had been changed meanwhile and has both changes now.
	Merged bool
	Notes  []string // the merge's decisions that a person may want to know of
}

// A MergeConflictError says that a document was changed meanwhile in the same places as a
// text that was to replace it. Nothing was changed.
type MergeConflictError struct {
	ID, Path string
	// Text is both texts as one, with conflict markers, made for the document of Version.
	Text    []byte
	Version string
	Places  []string // keys of the frontmatter, or text for the rest
}

func (e *MergeConflictError) Error() string {
	return fmt.Sprintf("%s was changed meanwhile in the same places: %s", e.ID, strings.Join(e.Places, ", "))
}

// markers are the names of the two sides in a text with conflict markers.
var markers = merge.Labels{Base: "before", Ours: "in the file", Theirs: "in your text"}

// Replace gives a document the whole text that a person has made of base. If the document is
// no longer base, what both have changed is merged. Errors are Update's, those of
// [store.Workspace.Rewrite], and *MergeConflictError.
func (w *Writer) Replace(ctx context.Context, ref DocumentRef, base, text []byte) (Replaced, error) {
	if line := markedLine(text); line > 0 {
		const reason = "conflict markers are left: keep one side of each and remove the markers"
		return Replaced{}, &store.UneditableError{Reason: reason, Line: line}
	}
	var r Replaced
	ws := w.ix.Workspace()
	err := w.named(ctx, ref, func(row index.Row) (err error) {
		r.Claim, err = w.underLock(ctx, row, ref.IfVersion,
			func(waiting context.Context, begin func(*store.Document) error) (store.Written, error) {
				r.Written, err = ws.Rewrite(waiting, row.Path, func(doc *store.Document, current []byte) ([]byte, error) {
					if err := begin(doc); err != nil {
						return nil, err
					}
					after, err := r.onto(waiting, doc, base, current, text)
					if err == nil {
						c, _ := ws.CollectionOf(doc.Path)
						rewritten := ws.Parse(store.File{Path: doc.Path, Collection: &c}, after, nil)
						err = w.checkStatus(ctx, doc, &rewritten.Status)
					}
					return after, err
				})
				return r.Written, err
			})
		return err
	})
	if err != nil {
		return Replaced{}, err
	}
	if r.Changed {
		w.finish(ctx, &r.Applied)
	}
	return r, nil
}

// onto is the text, made of base, for a document that is current now.
func (r *Replaced) onto(ctx context.Context, doc *store.Document, base, current, text []byte) ([]byte, error) {
	r.Merged, r.Notes = false, nil
	if bytes.Equal(base, current) {
		return text, nil
	}
	merged, err := merge.Documents(ctx, doc.Layout(), base, current, text, markers)
	if err != nil {
		return nil, fmt.Errorf("%w; install git, or make the change again in the document as it is now", err)
	}
	if merged.Conflicts > 0 {
		return nil, &MergeConflictError{
			ID: doc.ID, Path: doc.Path, Text: merged.Data, Version: doc.Version, Places: merged.Conflicted,
		}
	}
	r.Merged, r.Notes = true, merged.Notes
	return merged.Data, nil
}

// markedLine is the first line of a text that is a conflict marker of ours, from 1; 0 when
// none is.
func markedLine(text []byte) int {
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		mark, _, label := frontmatter.ConflictMarker(line)
		if mark == '<' && label == markers.Ours || mark == '>' && label == markers.Theirs {
			return n
		}
	}
	return 0
}
