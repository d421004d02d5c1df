package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index/team/nats"
	"issues-index/index/team/share"
	"issues-index/store/words"
)

func newClusterCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Set up and look after the cluster that a team shares documents through",
		Long: `Cluster makes the configuration of a team's NATS cluster, prepares it, and says how it is.
docs/teams.md shows all of it.`,
		Example: `  issues-index cluster new cluster --nodes nats1:4222,nats2:4222,nats3:4222 --workspaces api,web
  issues-index cluster add cluster laptop --workspaces api,web`,
		Args: knownCommand,
		RunE: showHelp,
	}
	cmd.AddCommand(
		newClusterNewCommand(p), newClusterAddCommand(p), newClusterInitCommand(p), newClusterStatusCommand(p),
		newClusterVerifyCommand(p), newClusterRebuildCommand(p),
	)
	return cmd
}

func newClusterInitCommand(p *program) *cobra.Command {
	var replicas int
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make the streams of the team's cluster, or set them right",
		Long: `Init makes what a team's documents, claims and numbers are kept in, and sets right what is
otherwise. It changes nothing that is right, and no document. It waits for nodes that
have just been started. It needs the key of an administrator.`,
		Example: `  issues-index cluster init
  issues-index cluster init --replicas 1`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("replicas") && (replicas < 1 || replicas > 5) {
				return usage(cmd, "--replicas must be from 1 to 5")
			}
			return p.withCluster(cmd.Context(), nodeStart, func(
				ctx context.Context, team *nats.TeamConnection, nodes int,
			) error {
				if replicas == 0 {
					replicas = 1
					if nodes >= 3 {
						replicas = 3
					}
				}
				return p.initCluster(ctx, team, replicas)
			})
		},
	}
	cmd.Flags().IntVar(
		&replicas, "replicas", 0,
		"the `number` of nodes that everything is on (default: 3 where team.url names so many, else 1)",
	)
	return cmd
}

const (
	// nodeStart is how long init waits for nodes that were started just before it.
	nodeStart    = 5 * time.Second
	connectPause = 50 * time.Millisecond // between two looks
)

// withCluster calls use with the connection to the team's cluster and the number of nodes that
// the configuration names. A cluster that cannot be reached within a time is an error.
func (p *program) withCluster(
	ctx context.Context, patience time.Duration, use func(ctx context.Context, team *nats.TeamConnection, nodes int) error,
) (err error) {
	root, err := p.findWorkspace()
	if err != nil {
		return err
	}
	log := p.notes(slog.LevelWarn)
	c, err := p.readConfig(root, log)
	if err != nil {
		return err
	}
	link := teamOf(c, log)
	if link == nil {
		return errNoTeam
	}
	defer func() { err = errors.Join(err, link.Close()) }()
	team, err := link.connect()
	if err != nil {
		return err
	}
	for until := time.Now().Add(patience); !team.Connection().Connected && time.Now().Before(until) && ctx.Err() == nil; {
		time.Sleep(connectPause)
	}
	if state := team.Connection(); !state.Connected {
		return failed(
			"the cluster cannot be reached: "+state.Reason,
			"start its nodes, or mend team.url; issues-index config show says where that is set",
		)
	}
	return clusterError(use(ctx, team, len(c.Team.URLs)))
}

// errNoTeam is the error of a command that needs a team where there is none.
var errNoTeam = failed(
	"there is no team",
	"set team.url in your own configuration, or ISSUES_INDEX_TEAM_URL, to the nodes of the team's cluster",
)

// clusterError says what to do about an error of the cluster.
func clusterError(err error) error {
	switch {
	case errors.Is(err, share.ErrForbidden):
		return failed(err.Error(), "use the key of an administrator: ISSUES_INDEX_TEAM_CREDENTIALS=cluster/admin.nk")
	case errors.Is(err, share.ErrAway):
		return failed(err.Error(), "see whether most of the nodes run: their logs say what they miss")
	case errors.Is(err, nats.ErrSettings):
		return failed(err.Error(), "an administrator sets it right with issues-index cluster init")
	}
	return err
}

func (p *program) initCluster(ctx context.Context, team *nats.TeamConnection, replicas int) error {
	log := p.notes(slog.LevelWarn)
	defer time.AfterFunc(
		time.Second, func() { log.Warn("waiting for the nodes of the cluster to choose their leader") },
	).Stop()
	if err := team.Init(ctx, replicas); err != nil {
		return err
	}
	warnings, err := team.Check(ctx)
	if err != nil {
		return err
	}
	if replicas < 3 && !p.json { // each stream would warn of the same
		p.note("with fewer than three nodes, the loss of one loses what it had; the machines publish it again")
	}
	return p.print(struct {
		Replicas int      `json:"replicas"`
		Warnings []string `json:"warnings"`
	}{replicas, append([]string{}, warnings...)}, func(page *terminal.Page) {
		page.Line("The streams are there, on %s each.", words.Count(replicas, "node"))
	})
}
