//go:build !windows

package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/team/nats"
	"issues-index/index/team/natstest"
)

// nodeConfig names, for a process of this test, the configuration of the node that it is.
const nodeConfig = "ISSUES_BENCH_NODE"

func TestMain(m *testing.M) {
	if config := os.Getenv(nodeConfig); config != "" {
		runNode(config)
	}
	os.Exit(m.Run())
}

// runNode is a node of a cluster until the test ends.
func runNode(config string) {
	options, err := server.ProcessConfigFile(config)
	if err == nil {
		options.NoSigs, options.NoLog = true, true
		var s *server.Server
		if s, err = server.NewServer(options); err == nil {
			s.Start()
			_, err = io.Copy(io.Discard, os.Stdin)
		}
	}
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

// nodeProcesses are the nodes of a cluster, each a process that can be killed.
type nodeProcesses struct {
	*natstest.Cluster
	t         *testing.T
	processes []*exec.Cmd
	js        jetstream.JetStream // of an administrator
}

func startNodes(t *testing.T, nodes int) *nodeProcesses {
	t.Helper()
	n := &nodeProcesses{Cluster: natstest.New(t, nodes), t: t, processes: make([]*exec.Cmd, nodes)}
	for i := range nodes {
		n.start(i)
	}
	t.Cleanup(func() {
		for i := range nodes {
			n.kill(i)
		}
	})
	o := n.Options(natstest.Administrator)
	admin, err := nats.Connect(t.Context(), o)
	must(t, err)
	defer func() { _ = admin.Close() }()
	must(t, admin.Init(t.Context(), nodes))
	nkey, err := natsgo.NkeyOptionFromSeed(o.Credentials)
	must(t, err)
	user := slices.IndexFunc(n.Plan.Users, func(u nats.ClusterUser) bool { return u.Name == natstest.Administrator })
	connection, err := natsgo.Connect(strings.Join(o.URLs, ","), nkey, natsgo.CustomInboxPrefix(nats.InboxPrefix(
		n.Plan.Users[user].Public)), natsgo.MaxReconnects(-1))
	must(t, err)
	t.Cleanup(connection.Close)
	n.js, err = jetstream.New(connection)
	must(t, err)
	n.waitReady()
	return n
}

func (n *nodeProcesses) start(i int) {
	n.t.Helper()
	self, err := os.Executable()
	must(n.t, err)
	c := exec.Command(self)
	c.Env = append(os.Environ(), nodeConfig+"="+n.ConfigFile(i))
	c.Stderr = os.Stderr
	_, err = c.StdinPipe() // ends with this process
	must(n.t, err, c.Start())
	n.processes[i] = c
}

// kill ends a node as kill -9 does.
func (n *nodeProcesses) kill(i int) {
	_ = n.processes[i].Process.Kill()
	_ = n.processes[i].Wait()
}

// clusterOf is what is known of the nodes of a stream, nil for nothing.
func (n *nodeProcesses) clusterOf(stream string) *jetstream.ClusterInfo {
	ctx, end := context.WithTimeout(n.t.Context(), time.Second)
	defer end()
	s, err := n.js.Stream(ctx, stream)
	if err != nil {
		return nil
	}
	return s.CachedInfo().Cluster
}

// leader is the number of the node that leads a stream.
func (n *nodeProcesses) leader(stream string) (node int) {
	n.t.Helper()
	n.until("a leader of "+stream, func() bool {
		cluster := n.clusterOf(stream)
		if cluster == nil {
			return false
		}
		node = slices.IndexFunc(n.Plan.Nodes, func(one nats.ClusterNode) bool { return one.Name == cluster.Leader })
		return node >= 0
	})
	return node
}

// waitReady waits until all nodes have all that is published.
func (n *nodeProcesses) waitReady() {
	n.t.Helper()
	for _, stream := range []string{"DOCS", "KV_claims"} {
		n.until("all nodes to have "+stream, func() bool {
			cluster := n.clusterOf(stream)
			return cluster != nil && cluster.Leader != "" && len(cluster.Replicas) == len(n.processes)-1 &&
				!slices.ContainsFunc(cluster.Replicas, func(p *jetstream.PeerInfo) bool { return p.Offline || !p.Current })
		})
	}
}

func (n *nodeProcesses) until(what string, holds func() bool) {
	n.t.Helper()
	for began := time.Now(); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			n.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// memory is that of a node on average, in MB.
func (n *nodeProcesses) memory() (mean float64) {
	for _, p := range n.processes {
		mean += megabytes(p.Process.Pid, "VmRSS") / float64(len(n.processes))
	}
	return mean
}
