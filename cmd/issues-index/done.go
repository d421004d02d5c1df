package main

import (
	"context"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/index/edit"
)

func newDoneCommand(p *program) *cobra.Command {
	var note, ifVersion string
	cmd := &cobra.Command{
		Use:     "done ID",
		Aliases: []string{"close"},
		Short:   "Close one document and move it to archived/",
		Long: `Done closes a document, sets the date of closing, and moves its file to archived/. If the
document is closed already, done only moves it.`,
		Example: `  issues-index done ISS-000041
  issues-index done iss-41 --note "Merged, and tried out."`,
		Args:              arguments(1, 1, "one id or path"),
		ValidArgsFunction: p.completeDocument(unfinished),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withWriter(ctx, func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
				done, err := w.Complete(ctx, edit.DocumentRef{ID: documentNamed(ix.Workspace(), args[0]), IfVersion: ifVersion}, note)
				if err != nil {
					return err
				}
				return p.printWritten(done)
			})
		},
	}
	cmd.Flags().StringVarP(&note, "note", "m", "", "`text` to append to the document, under the time of day")
	ifVersionFlag(cmd, &ifVersion)
	return cmd
}
