package store

import (
	"bytes"
	"context"
	"fmt"

	"issues-index/store/frontmatter"
)

// Rewrite replaces the whole text of the document at path by what a person has made of it.
// It calls rewrite under the lock with the document and its bytes as they are on disk now,
// and again after a concurrent edit, as Update calls its function. The same bytes change
// nothing.
//
// The file gets the bytes as they are, apart from the times that Update writes, too, unless
// rewrite has changed them. It moves as Update moves it. A document whose frontmatter cannot
// be read may be rewritten; the result must be readable.
//
// Errors: Update's, with *UneditableError for a text that is no document, and *ValueError
// for a status, priority or type that is neither known nor the document's already.
func (w *Workspace) Rewrite(
	ctx context.Context, path string, rewrite func(doc *Document, text []byte) ([]byte, error),
) (Written, error) {
	return w.change(ctx, path, func(m *Mutation, l *loaded) (data []byte, to string, err error) {
		before := l.doc
		text, err := rewrite(before, bytes.Clone(l.data))
		if err != nil || bytes.Equal(text, l.data) {
			return l.data, before.Path, err
		}
		after, parsed := w.parse(l.File, text, nil)
		if err := w.checkRewritten(before, after, len(text)); err != nil {
			return nil, "", err
		}
		data, err = frontmatter.Restamp(l.parsed, parsed, w.now())
		asked := after.Type != before.Type || after.Status != before.Status
		return data, m.destination(before, after.Type, after.Status, asked), err
	})
}

// checkRewritten refuses a text of the given size that is no document, or has a value that
// before did not have and that no document can be given.
func (w *Workspace) checkRewritten(before, after *Document, size int) error {
	if size > MaxFileSize {
		return &ValueError{Field: "text", Reason: fmt.Sprintf("is %d bytes long, over the limit of %d", size, MaxFileSize)}
	}
	if err := frontmatter.Editable(after.Problems); err != nil {
		return err
	}
	if known := frontmatter.Editable(before.Problems) == nil; !known {
		return nil
	}
	if before.BodyLine > 1 && after.BodyLine == 1 {
		return &UneditableError{Reason: "the frontmatter is gone: keep the lines from --- to ---", Line: 1}
	}
	return checkChoices(w.Layout, changed(new(after.WrittenType()), before.WrittenType()),
		changed(&after.Status, before.Status), changed(&after.Priority, before.Priority))
}
