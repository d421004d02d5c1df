package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
)

func newEditCommand(p *program) *cobra.Command {
	var from, ifVersion string
	cmd := &cobra.Command{
		Use:   "edit ID",
		Short: "Edit one document in your editor",
		Long: `Edit opens the whole file of a document, frontmatter and text, in VISUAL, else EDITOR,
else vi (notepad on Windows). What you save is written when the editor ends, with the time
of the change. A document with another status or type moves to its folder.

If the document was changed meanwhile, both changes are merged. If they are in the same
place, or if your text is no document any more, nothing is written: your text is kept, and
the error says where and how to go on. An empty text, and an editor that fails, change
nothing.`,
		Example: `  issues-index edit ISS-000041
  EDITOR="code --wait" issues-index edit 41`,
		Args:              arguments(1, 1, "one id or path"),
		ValidArgsFunction: p.completeDocument(anyStatus),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := p.openDocument(cmd.Context(), args[0], ifVersion)
			if err != nil {
				return err
			}
			text := o.text
			if from != "" {
				kept, err := p.readFile(from)
				if err != nil {
					return err
				}
				text = []byte(kept)
			}
			saved, d, err := p.compose(cmd.Context(), path.Base(o.path), text)
			if err != nil {
				return err
			}
			if len(bytes.TrimSpace(saved)) == 0 && len(bytes.TrimSpace(o.text)) > 0 {
				d.discard()
				return failed("the text is empty", unchanged+"; issues-index delete deletes a document")
			}
			// Ctrl-C in the editor is no reason to lose what was saved.
			done, err := p.replaceText(context.WithoutCancel(cmd.Context()), o, saved)
			if err != nil {
				return o.keep(d, err)
			}
			d.discard()
			return p.printReplaced(done)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "`file` with the text to begin with, such as a kept text")
	ifVersionFlag(cmd, &ifVersion)
	return cmd
}

// An openedDocument is a document as it was when the editor was opened.
type openedDocument struct {
	ref     edit.DocumentRef
	path    string
	text    []byte
	version string
}

func (p *program) openDocument(ctx context.Context, id, ifVersion string) (o openedDocument, err error) {
	err = p.withIndex(ctx, func(ix *index.Index) error {
		row, err := ix.Get(ctx, p.documentNamed(ix.Workspace(), id))
		if err != nil {
			return err
		}
		text, stat, err := ix.Workspace().Read(row.Path)
		if err != nil {
			return err
		}
		doc := ix.Workspace().Parse(store.File{Path: row.Path, Stat: stat}, text, nil)
		o = openedDocument{edit.DocumentRef{ID: row.Handle(), IfVersion: ifVersion}, row.Path, text, doc.Version}
		return doc.CheckVersion(ifVersion)
	})
	return o, err
}

func (p *program) replaceText(ctx context.Context, o openedDocument, text []byte) (done edit.Replaced, err error) {
	err = p.withWriter(ctx, func(ctx context.Context, _ *index.Index, w *edit.Writer) error {
		done, err = w.Replace(ctx, o.ref, o.text, text)
		return err
	})
	return done, err
}

// keep keeps the user's text after an error, and both texts after a conflict. The version
// in the command to go on with is that of the document that the text is made for, so that
// it overwrites no other change.
func (o openedDocument) keep(d *draft, err error) error {
	version := o.version
	if conflict := (*edit.MergeConflictError)(nil); errors.As(err, &conflict) {
		if d.put(conflict.Text) == nil {
			version = conflict.Version
		}
	}
	again := fmt.Sprintf("issues-index edit %s --from %s --if-version %s", shellWord(o.ref.ID), shellWord(d.file), version)
	stale, gone := (*store.VersionError)(nil), (*index.NotFoundError)(nil)
	if errors.As(err, &stale) || errors.As(err, &gone) {
		again = ""
	}
	return d.keep(err, again)
}

// printReplaced prints what has changed, and what a merge has decided.
func (p *program) printReplaced(done edit.Replaced) error {
	if done.Merged && done.Changed {
		p.note("the document was changed meanwhile; it has both changes now")
		for _, note := range done.Notes {
			p.note("%s", note)
		}
	}
	return p.printWritten(done.Applied)
}
