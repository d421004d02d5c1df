package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"issues-index/index/share/nats"
	"issues-index/store/words"
)

func newClusterCleanCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "clean",
		Short: "Remove from the cluster what no document needs any more",
		Long: `Clean removes the pieces of large documents that no version has any more. What is younger than
an hour stays. It needs the key of an administrator.`,
		Example: `  issues-index cluster clean`,
		Args:    arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withCluster(cmd.Context(), 0, func(ctx context.Context, team *nats.TeamConnection, _ int) error {
				removed, err := team.Clean(ctx)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(struct {
						Removed int `json:"removed"`
					}{removed})
				}
				_, err = fmt.Fprintf(p.out, "Removed %s.\n", words.Count(removed, "piece"))
				return err
			})
		},
	}
}
