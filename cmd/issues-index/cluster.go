package main

import "github.com/spf13/cobra"

func newClusterCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Set up and look after the cluster that a team shares documents through",
		Long: `Cluster makes the configuration of a team's NATS cluster, prepares it, and says how it is.
docs/teams.md shows all of it.`,
		Example: `  issues-index cluster new cluster --nodes nats1:4222,nats2:4222,nats3:4222 --workspaces api,web
  issues-index cluster add cluster laptop --workspaces api,web`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newClusterNewCommand(p), newClusterAddCommand(p), newClusterInitCommand(p), newClusterStatusCommand(p), newClusterVerifyCommand(p), newClusterRebuildCommand(p))
	return cmd
}
