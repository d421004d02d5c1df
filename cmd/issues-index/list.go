package main

import (
	"github.com/spf13/cobra"

	"issues-index/index"
)

func newListCommand(p *program) *cobra.Command {
	var flags queryFlags
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List documents, newest update first",
		Long: `List shows the documents that match every filter. A filter with several values matches
any of them. On a terminal a table is cut to its width, elsewhere it is whole; --json
has every field, with path (relative to the workspace, and accepted as an id) and file
(absolute).`,
		Example: `  issues-index list --status open,in_progress --priority high,critical
  issues-index list --type idea --sort created --json`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			q, err := flags.read(cmd)
			if err != nil {
				return err
			}
			return p.query(cmd, q)
		},
	}
	flags.register(cmd, index.SortUpdated, index.SortCreated, index.SortPriority, index.SortStatus)
	return cmd
}
