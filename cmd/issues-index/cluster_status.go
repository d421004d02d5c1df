package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index/team/nats"
	"issues-index/index/team/share"
	"issues-index/store/words"
)

func newClusterStatusCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show how the team's cluster is, and who publishes",
		Long: `Status shows what the cluster keeps, which nodes have it, and which machines publish which
lines. The exit code is 1 when something is missing: a node that is away or behind, or
streams that are not as they should be.`,
		Example: `  issues-index cluster status
  issues-index cluster status --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withCluster(cmd.Context(), 0, func(ctx context.Context, team *nats.TeamConnection, _ int) error {
				return p.clusterStatus(ctx, team)
			})
		},
	}
}

// A clusterJSON describes the cluster for scripts.
type clusterJSON struct {
	Node     string         `json:"node"` // that answered
	Version  string         `json:"version"`
	Streams  []streamJSON   `json:"streams"`
	Machines []presenceJSON `json:"machines"`
	Problems []string       `json:"problems"`
}

type streamJSON struct {
	Name     string        `json:"name"`
	Leader   string        `json:"leader,omitempty"`
	Messages uint64        `json:"messages"`
	Bytes    uint64        `json:"bytes"`
	Position uint64        `json:"position"`
	Replicas []replicaJSON `json:"replicas"`
}

type replicaJSON struct {
	Node    string `json:"node"`
	Current bool   `json:"current"`
	Behind  uint64 `json:"behind"` // operations
}

type presenceJSON struct {
	Line string `json:"line"`
	share.Presence
	Heard time.Time `json:"heard"`
}

func (p *program) clusterStatus(ctx context.Context, team *nats.TeamConnection) error {
	status, err := team.Status(ctx)
	if err != nil {
		return err
	}
	present, err := team.Presences(ctx)
	if err != nil {
		return err
	}
	described := describeCluster(status, present)
	if _, err := team.Check(ctx); err != nil {
		described.Problems = append(described.Problems, err.Error())
	}
	err = p.print(described, func(page *terminal.Page) { layClusterStatus(page, described) })
	if err == nil && len(described.Problems) > 0 {
		err = failed("the cluster is not as it should be: "+described.Problems[0],
			"the logs of its nodes say more; issues-index cluster init sets streams right")
	}
	return err
}

func describeCluster(status nats.ClusterStatus, present []share.Presence) clusterJSON {
	d := clusterJSON{Node: status.Node, Version: status.Version, Machines: []presenceJSON{}, Problems: []string{}}
	for _, s := range status.Streams {
		one := streamJSON{
			Name: s.Name, Leader: s.Cluster.Leader, Messages: s.State.Msgs, Bytes: s.State.Bytes, Position: s.State.LastSeq,
			Replicas: []replicaJSON{},
		}
		for _, r := range s.Cluster.Replicas {
			one.Replicas = append(one.Replicas, replicaJSON{r.Name, r.Current && !r.Offline, r.Lag})
			if r.Offline || !r.Current {
				d.Problems = append(d.Problems, fmt.Sprintf("%s is missing data of %s", r.Name, s.Name))
			}
		}
		switch {
		case s.Missing:
			d.Problems = append(d.Problems, "there is no stream "+s.Name)
		case one.Leader == "" && len(one.Replicas) > 0:
			d.Problems = append(d.Problems, s.Name+" has no leader")
		}
		d.Streams = append(d.Streams, one)
	}
	for _, one := range present {
		d.Machines = append(d.Machines, presenceJSON{one.Branch.String(), one, one.At})
	}
	return d
}

func layClusterStatus(page *terminal.Page, d clusterJSON) {
	page.Line("%s, nats-server %s\n", cmp.Or(d.Node, "one node"), d.Version)
	streams := &terminal.Table{Columns: []terminal.Column{
		{Title: "STREAM"}, {Title: "MESSAGES"}, {Title: "SIZE"}, {Title: "LEADER"}, {Title: "COPIES", Least: 8},
	}}
	for _, s := range d.Streams {
		copies := make([]string, len(s.Replicas))
		for i, r := range s.Replicas {
			copies[i] = r.Node
			if !r.Current {
				copies[i] += " (" + strconv.FormatUint(r.Behind, 10) + " behind)"
			}
		}
		streams.Add(s.Name, strconv.FormatUint(s.Messages, 10), humanize.Bytes(s.Bytes), s.Leader, strings.Join(copies, ", "))
	}
	page.Table(streams, nil)
	if len(d.Machines) == 0 {
		page.Line("\nNo machine publishes at the moment.")
		return
	}
	page.Line("")
	machines := &terminal.Table{Columns: []terminal.Column{
		{Title: "LINE"}, {Title: "MACHINE"}, {Title: "COMMIT", Optional: true}, {Title: "WAITING"}, {Title: "HEARD"},
	}}
	for _, one := range d.Machines {
		machines.Add(
			one.Line, one.Machine, one.Commit[:min(len(one.Commit), 10)], words.Count(one.Waiting, "document"),
			page.Time(one.Heard),
		)
	}
	page.Table(machines, nil)
}
