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
		Args: arguments(0, 0, "no arguments"),
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
	Line    string    `json:"line"`
	Machine string    `json:"machine"`
	Version string    `json:"version"`
	Commit  string    `json:"commit,omitempty"`
	Waiting int       `json:"waiting"` // documents that are to be published
	Heard   time.Time `json:"heard"`
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
	if p.json {
		err = p.printJSON(described)
	} else {
		err = p.printClusterStatus(described)
	}
	if err == nil && len(described.Problems) > 0 {
		err = &commandError{code: exitFailed, message: "the cluster is not as it should be: " + described.Problems[0], hint: "the logs of its nodes say more; issues-index cluster init sets streams right"}
	}
	return err
}

func describeCluster(status nats.ClusterStatus, present []share.Presence) clusterJSON {
	d := clusterJSON{Node: status.Node, Version: status.Version, Machines: []presenceJSON{}, Problems: []string{}}
	for _, s := range status.Streams {
		one := streamJSON{Name: s.Name, Leader: s.Cluster.Leader, Messages: s.State.Msgs, Bytes: s.State.Bytes, Position: s.State.LastSeq, Replicas: []replicaJSON{}}
		for _, r := range s.Cluster.Replicas {
			one.Replicas = append(one.Replicas, replicaJSON{r.Name, r.Current && !r.Offline, r.Lag})
			if r.Offline || !r.Current {
				d.Problems = append(d.Problems, fmt.Sprintf("%s has not all of %s", r.Name, s.Name))
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
		d.Machines = append(d.Machines, presenceJSON{one.Branch.String(), one.Machine, one.Version, one.Commit, one.Waiting, one.At})
	}
	return d
}

func (p *program) printClusterStatus(d clusterJSON) error {
	fmt.Fprintf(p.out, "%s, nats-server %s\n\n", cmp.Or(d.Node, "one node"), d.Version)
	streams := table{columns: []column{{title: "STREAM"}, {title: "MESSAGES"}, {title: "SIZE"}, {title: "LEADER"}, {title: "COPIES", least: 8}}}
	for _, s := range d.Streams {
		copies := make([]string, len(s.Replicas))
		for i, r := range s.Replicas {
			copies[i] = r.Node
			if !r.Current {
				copies[i] += " (" + strconv.FormatUint(r.Behind, 10) + " behind)"
			}
		}
		streams.add(s.Name, strconv.FormatUint(s.Messages, 10), humanize.Bytes(s.Bytes), s.Leader, strings.Join(copies, ", "))
	}
	if err := streams.write(p.out, p.screen(), nil); err != nil {
		return err
	}
	if len(d.Machines) == 0 {
		_, err := fmt.Fprintln(p.out, "\nNo machine publishes at the moment.")
		return err
	}
	fmt.Fprintln(p.out)
	machines := table{columns: []column{{title: "LINE"}, {title: "MACHINE"}, {title: "COMMIT", optional: true}, {title: "WAITING"}, {title: "HEARD"}}}
	for _, one := range d.Machines {
		machines.add(harmless(one.Line), harmless(one.Machine), harmless(one.Commit[:min(len(one.Commit), 10)]), words.Count(one.Waiting, "document"), p.timeText(one.Heard))
	}
	return machines.write(p.out, p.screen(), nil)
}
