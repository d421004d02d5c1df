package main

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store/markdown"
)

func newAppendCommand(p *program) *cobra.Command {
	var section, ifVersion string
	cmd := &cobra.Command{
		Use:     "append ID [TEXT|-]",
		Aliases: []string{"note"},
		Short:   "Add a paragraph to the text of one document",
		Long: `Append adds TEXT to the end of a document, or of the own text of one section, with a blank
line before it. A text that is there already is not added again. Without TEXT, or with -
in its place, append reads standard input. A TEXT of several lines is best given so: \n in
an argument stays as it is. Put a TEXT that starts with - after --.`,
		Example: `  issues-index append ISS-000041 "Seen on Windows, too."
  issues-index append 41 --section Tasks -- "- [ ] Write the page"
  git log -3 --oneline | issues-index append ISS-000041 -`,
		Args:              arguments(1, 2, "one id or path, and one text (in quotes) or -"),
		ValidArgsFunction: p.completeDocument(anyStatus),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := textToAppend(cmd, args[1:])
			if err != nil {
				return err
			}
			change := markdown.TextEdit{Op: markdown.Append, Text: text}
			if section != "" {
				change.Op, change.Section = markdown.AppendSection, section
			}
			return p.editText(cmd, edit.DocumentRef{ID: args[0], IfVersion: ifVersion}, change)
		},
	}
	cmd.Flags().StringVar(&section, "section", "", "`heading` of the section to add the text to")
	ifVersionFlag(cmd, &ifVersion)
	return cmd
}

// textToAppend returns the text of the argument, or of standard input without one.
func textToAppend(cmd *cobra.Command, args []string) (text string, err error) {
	switch {
	case len(args) == 1 && args[0] != "-":
		text = args[0]
	case len(args) == 0 && terminal.Is(os.Stdin):
		return "", usage(cmd, "append has no text to add")
	default:
		if text, err = readText("-"); err != nil {
			return "", err
		}
	}
	if strings.TrimSpace(text) == "" {
		return "", usage(cmd, "the text to append is empty")
	}
	return text, nil
}

// editText changes parts of a document's text, and prints what became of each.
func (p *program) editText(cmd *cobra.Command, ref edit.DocumentRef, changes ...markdown.TextEdit) error {
	ctx := cmd.Context()
	return p.withWriter(ctx, func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
		ref.ID = documentNamed(ix.Workspace(), ref.ID)
		done, err := w.Edit(ctx, ref, changes)
		if err != nil {
			return err
		}
		return p.printWritten(done.Applied, p.partLines(done)...)
	})
}
