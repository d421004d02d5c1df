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
		Short:   "List documents, the newest update first",
		Long: `List shows the documents that every filter lets through. A filter with several
values lets any of them through. A table is cut to the terminal's width, and whole
elsewhere; --json has every field.`,
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
