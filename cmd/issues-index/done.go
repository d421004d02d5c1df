package main

import (
	"github.com/spf13/cobra"

	"issues-index/index/edit"
	"issues-index/store"
)

func newDoneCommand(p *program) *cobra.Command {
	var note, ifVersion string
	cmd := &cobra.Command{
		Use:     "done ID...",
		Aliases: []string{"close"},
		Short:   "Close documents and move them to archived/",
		Long: `Done closes documents, sets the date of closing, and moves their files to archived/. A
document that is closed already is only moved. With - for ID, done reads one id or path a
line from standard input. Each document succeeds or fails alone; the exit code is 1 if any
failed.`,
		Example: `  issues-index done ISS-000041
  issues-index done iss-41 42 --note "Merged, and tried out."
  git log -9 --format=%s | grep -o 'ISS-[0-9]*' | issues-index done -`,
		Args:              manyDocuments(),
		ValidArgsFunction: p.completeDocuments(p.unfinished),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.updateAll(cmd, args, ifVersion, func(w *edit.Writer) edit.Change { return w.Completion(note) })
		},
	}
	cmd.Flags().StringVarP(&note, "note", "m", "", "`text` to append to the document, under the time of day")
	ifVersionFlag(cmd, &ifVersion)
	return cmd
}

func newReopenCommand(p *program) *cobra.Command {
	var ifVersion string
	cmd := &cobra.Command{
		Use:   "reopen ID...",
		Short: "Open documents again and move them out of archived/",
		Long: `Reopen sets the status of documents to open, removes the date of closing, and moves their
files out of archived/. With - for ID, reopen reads one id or path a line from standard
input.`,
		Example: `  issues-index reopen ISS-000041
  issues-index reopen 41 42`,
		Args:              manyDocuments(),
		ValidArgsFunction: p.completeDocuments(p.finished),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.updateAll(cmd, args, ifVersion, func(*edit.Writer) edit.Change {
				return func(*store.Document) (store.Fields, error) {
					open := p.workspaceLayout().DefaultStatus()
					return store.Fields{Status: &open}, nil
				}
			})
		},
	}
	ifVersionFlag(cmd, &ifVersion)
	return cmd
}
