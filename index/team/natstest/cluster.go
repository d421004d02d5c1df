// Package natstest runs the servers of a team's cluster in the process of a test, from the
// configuration that users run them with.
//
// It knows nothing about documents. Only tests import it: it brings the whole server. Every
// server ends with its test, and each cluster has folders and ports of its own.
package natstest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"

	"issues-index/index/team/nats"
)

// patience is how long a test waits for servers. It fails after that.
const patience = 2 * time.Minute

// The users of every cluster.
const (
	Administrator = "admin"
	Hub           = "hub"
	API           = "api"  // publishes the workspace api
	Web           = "web"  // publishes the workspace web
	Both          = "both" // publishes both
)

// A Cluster is some servers with their own folders of data. They end with the test.
type Cluster struct {
	// Plan is what their configuration is made of.
	Plan nats.ClusterPlan

	t       testing.TB
	dir     string
	servers []*server.Server // nil where one was stopped
}

// Start starts a cluster of one or three nodes, and makes the streams.
func Start(t testing.TB, nodes int) *Cluster {
	t.Helper()
	c := New(t, nodes)
	c.Launch()
	return c
}

// Launch starts all servers of a new cluster, and makes the streams.
func (c *Cluster) Launch() {
	c.t.Helper()
	for i := range c.servers {
		c.Restart(i)
	}
	c.WaitReady()
	c.initialize()
}

// New plans a cluster and starts none of its servers.
func New(t testing.TB, nodes int) *Cluster {
	t.Helper()
	dir := t.TempDir()
	c := &Cluster{t: t, dir: dir, servers: make([]*server.Server, nodes), Plan: nats.ClusterPlan{RouteSecret: rand.Text(), Data: filepath.Join(dir, "data")}}
	for i := range nodes {
		c.Plan.Nodes = append(c.Plan.Nodes, nats.ClusterNode{Name: "node" + strconv.Itoa(i+1), Client: freeAddress(t), Route: freeAddress(t)})
	}
	for _, u := range []nats.ClusterUser{
		{Name: Administrator, Role: nats.RoleAdministrator}, {Name: Hub, Role: nats.RoleHub},
		{Name: API, Role: nats.RoleWorkspaces, Workspaces: []string{"api"}}, {Name: Web, Role: nats.RoleWorkspaces, Workspaces: []string{"web"}},
		{Name: Both, Role: nats.RoleWorkspaces, Workspaces: []string{"api", "web"}},
	} {
		seed, public, err := nats.NewKey()
		if err != nil {
			t.Fatal(err)
		}
		u.Public = public
		if err := c.Plan.Add(u); err != nil {
			t.Fatal(err)
		}
		c.write(u.Name+".nk", string(seed))
	}
	t.Cleanup(c.stop)
	return c
}

func freeAddress(t testing.TB) string {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func (c *Cluster) write(name, text string) string {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// ConfigFile writes the configuration of a node and returns its path.
func (c *Cluster) ConfigFile(i int) string {
	c.t.Helper()
	c.write(nats.UsersFile, c.Plan.UsersConfig())
	return c.write(c.Plan.Nodes[i].Name+".conf", c.Plan.ServerConfig(i))
}

// Restart starts a node, again or for the first time, and does not wait for it.
func (c *Cluster) Restart(i int) {
	c.t.Helper()
	options, err := server.ProcessConfigFile(c.ConfigFile(i))
	if err != nil {
		c.t.Fatal(err)
	}
	options.NoSigs, options.NoLog = true, true
	options.Cluster.NoAdvertise = true // a machine behind a Proxy shall know no other way
	s, err := server.NewServer(options)
	if err != nil {
		c.t.Fatal(err)
	}
	s.Start()
	c.servers[i] = s
}

// Kill stops a node.
func (c *Cluster) Kill(i int) {
	c.servers[i].Shutdown()
	c.servers[i].WaitForShutdown()
	c.servers[i] = nil
}

// StopLeader stops the node that leads a stream, and returns its number.
func (c *Cluster) StopLeader(stream string) int {
	c.t.Helper()
	leader := -1
	c.until("a leader of "+stream, func() bool {
		for i, s := range c.servers {
			if s != nil && s.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, stream) {
				leader = i
			}
		}
		return leader >= 0
	})
	c.Kill(leader)
	return leader
}

// WaitReady waits until all nodes that run serve clients, and one leads them.
func (c *Cluster) WaitReady() {
	c.t.Helper()
	c.until("the servers", func() bool {
		leaders, ready := 0, true
		for _, s := range c.servers {
			if s == nil {
				continue
			}
			ready = ready && s.ReadyForConnections(10*time.Millisecond) && s.JetStreamEnabled()
			if len(c.servers) == 1 || s.JetStreamIsLeader() {
				leaders++
			}
			ready = ready && (len(c.servers) == 1 || s.JetStreamIsCurrent())
		}
		return ready && leaders == 1
	})
}

// until waits for a condition.
func (c *Cluster) until(what string, holds func() bool) {
	c.t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// Options are those of a user.
func (c *Cluster) Options(user string) nats.Options {
	o := nats.Options{Credentials: filepath.Join(c.dir, user+".nk"), Name: user, CAFile: c.Plan.CAFile}
	scheme := "nats://"
	if c.Plan.CertFile != "" {
		scheme = "tls://"
	}
	for _, node := range c.Plan.Nodes {
		o.URLs = append(o.URLs, scheme+node.Client)
	}
	return o
}

// Connect connects as a user, until the test ends.
func (c *Cluster) Connect(user string) *nats.TeamConnection {
	c.t.Helper()
	connection, err := nats.Connect(context.Background(), c.Options(user))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// Overwrite stores bytes at a subject with the key of a user, as this program does not.
func (c *Cluster) Overwrite(user, subject string, data []byte) {
	c.t.Helper()
	c.Send(user, &natsgo.Msg{Subject: subject, Data: data})
}

// Send sends messages with the key of a user, and waits for the answers to them.
func (c *Cluster) Send(user string, messages ...*natsgo.Msg) {
	c.t.Helper()
	seed, err := natsgo.NkeyOptionFromSeed(c.Options(user).Credentials)
	if err != nil {
		c.t.Fatal(err)
	}
	conn, err := natsgo.Connect(c.Options(user).URLs[0], seed, natsgo.CustomInboxPrefix(nats.InboxPrefix(c.Public(user))))
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	for _, m := range messages {
		if _, err := conn.RequestMsg(m, patience); err != nil {
			c.t.Fatalf("%s: %v", m.Subject, err)
		}
	}
}

// Public is the public key of a user.
func (c *Cluster) Public(user string) string {
	c.t.Helper()
	for _, u := range c.Plan.Users {
		if u.Name == user {
			return u.Public
		}
	}
	c.t.Fatalf("no user %s", user)
	return ""
}

// initialize makes the streams.
func (c *Cluster) initialize() {
	c.t.Helper()
	admin, err := nats.Connect(context.Background(), c.Options(Administrator))
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = admin.Close() }()
	if err := admin.Init(context.Background(), len(c.servers)); err != nil {
		c.t.Fatal(err)
	}
	if _, err := admin.Check(context.Background()); err != nil {
		c.t.Fatal(fmt.Errorf("check what was made: %w", err))
	}
}

func (c *Cluster) stop() {
	for i, s := range c.servers {
		if s != nil {
			c.Kill(i)
		}
	}
}
