package nats

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// planned is a cluster of some nodes with a user of each role.
func planned(t *testing.T, nodes int) (p ClusterPlan, seeds map[string]string) {
	t.Helper()
	p = ClusterPlan{RouteSecret: rand.Text(), Data: t.TempDir()}
	for i := range nodes {
		node, err := NewClusterNode(i+1, "127.0.0.1:"+[]string{"14222", "14223", "14224"}[i])
		if err != nil {
			t.Fatal(err)
		}
		p.Nodes = append(p.Nodes, node)
	}
	seeds = map[string]string{}
	for _, u := range []ClusterUser{
		{Name: "admin", Role: RoleAdministrator}, {Name: "hub", Role: RoleHub},
		{Name: "api", Role: RoleWorkspaces, Workspaces: []string{"api"}}, {Name: "both", Role: RoleWorkspaces, Workspaces: []string{"api", "web"}},
	} {
		seed, public, err := NewKey()
		if err != nil {
			t.Fatal(err)
		}
		u.Public, seeds[u.Name] = public, filepath.Join(p.Data, u.Name+".nk")
		if err := os.WriteFile(seeds[u.Name], seed, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.Add(u); err != nil {
			t.Fatal(err)
		}
	}
	return p, seeds
}

// configured writes the configuration of a node and has the server read it.
func configured(t *testing.T, p ClusterPlan, i int) *server.Options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{UsersFile: p.UsersConfig(), "node.conf": p.ServerConfig(i)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	options, err := server.ProcessConfigFile(filepath.Join(dir, "node.conf"))
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, p.ServerConfig(i), p.UsersConfig())
	}
	return options
}

func TestServersReadWhatThePlanSays(t *testing.T) {
	p, _ := planned(t, 3)
	for i := range p.Nodes {
		o := configured(t, p, i)
		if o.ServerName != p.Nodes[i].Name || !o.SyncAlways || o.MaxPayload != 1_000_000 && o.MaxPayload != 1<<20 || len(o.Routes) != 2 || o.Cluster.Name != "issues" {
			t.Errorf("%+v", o)
		}
		if len(o.Nkeys) != len(p.Users) {
			t.Errorf("%d users, not %d", len(o.Nkeys), len(p.Users))
		}
	}
	again, err := p.JSON()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseClusterPlan(again)
	if err != nil || back.ServerConfig(0) != p.ServerConfig(0) || back.UsersConfig() != p.UsersConfig() {
		t.Errorf("a plan that was written is read as another: %v", err)
	}
}

func TestANodeNeedsAnAddressOthersCanUse(t *testing.T) {
	for _, address := range []string{"", "host", ":4222", "host:0", "host:70000", "host:64000", "a b:4222", "\"}:4222", "u@h:1"} {
		if _, err := NewClusterNode(1, address); err == nil {
			t.Errorf("%q was taken", address)
		}
	}
	node, err := NewClusterNode(2, "nats2.example.org:4222")
	if err != nil || node != (ClusterNode{"node2", "nats2.example.org:4222", "nats2.example.org:6222"}) {
		t.Errorf("%+v %v", node, err)
	}
}

func TestUsersHaveDifferentNames(t *testing.T) {
	p, _ := planned(t, 1)
	if err := p.Add(ClusterUser{Name: "api"}); err == nil || !strings.Contains(err.Error(), "api") {
		t.Errorf("%v", err)
	}
}

// A user publishes to subjects of its own workspaces, and listens to its own inbox and calls.
func TestUsersPublishAndListenOnlyWhereTheyMay(t *testing.T) {
	p, seeds := planned(t, 1)
	o := configured(t, p, 0)
	o.Port, o.NoLog, o.NoSigs = -1, true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	refused := func(user string, do func(*nats.Conn)) bool {
		t.Helper()
		seed, err := nats.NkeyOptionFromSeed(seeds[user])
		if err != nil {
			t.Fatal(err)
		}
		conn, err := nats.Connect(s.ClientURL(), seed, nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		do(conn)
		if err := conn.Flush(); err != nil { // what the server refuses it says before this
			t.Fatal(err)
		}
		return conn.LastError() != nil
	}
	own := InboxPrefix(p.Users[slices.IndexFunc(p.Users, func(u ClusterUser) bool { return u.Name == "api" })].Public)
	for _, c := range []struct {
		user, verb, subject string
		refused             bool
	}{
		{"api", "publish", "docs.api.main.abc", false},
		{"api", "publish", "docs.web.main.abc", true},
		{"both", "publish", "docs.web.main.abc", false},
		{"api", "publish", "$KV.claims.api.iss-1", false},
		{"api", "publish", "$KV.claims.web.iss-1", true},
		{"api", "publish", "ids.web.ISS", true},
		{"api", "publish", "$KV.presence.web.main", true},
		{"api", "publish", "call.api.main", true},
		{"api", "publish", "$JS.API.STREAM.PURGE.DOCS", true},
		{"api", "publish", "$JS.API.STREAM.DELETE.DOCS", true},
		{"api", "publish", "$JS.API.STREAM.UPDATE.DOCS", true},
		{"api", "publish", "$JS.API.STREAM.MSG.DELETE.DOCS", true},
		{"api", "publish", "$JS.API.STREAM.MSG.GET.DOCS", true},
		{"api", "publish", "$JS.API.CONSUMER.NAMES.DOCS", true},
		{"api", "publish", "$JS.API.CONSUMER.LIST.DOCS", true},
		{"api", "publish", "$JS.API.DIRECT.GET.DOCS.docs.web.main.abc", true},
		{"api", "publish", "$JS.API.CONSUMER.CREATE.DOCS.name.docs.web.>", true},
		{"api", "publish", "$JS.API.CONSUMER.CREATE.DOCS.name", true},
		{"api", "publish", "$JS.API.CONSUMER.DELETE.DOCS.name", true},
		{"api", "publish", "$JS.API.STREAM.PURGE.DOCS", true},
		{"api", "listen", "docs.>", true},
		{"api", "listen", "docs.api.>", true},
		{"api", "listen", "_INBOX_>", true},
		{"api", "listen", ">", true},
		{"api", "listen", own + ".x", false},
		{"both", "listen", own + ".x", true},
		{"api", "listen", "call.api.main", false},
		{"api", "listen", "call.web.main", true},
		{"hub", "publish", "call.web.main", false},
		{"hub", "publish", "docs.web.main.abc", true},
		{"hub", "publish", "$KV.claims.web.iss-1", true},
		{"hub", "listen", "call.web.main", true},
		{"admin", "publish", "docs.web.main.abc", false},
	} {
		got := refused(c.user, func(conn *nats.Conn) {
			var err error
			if c.verb == "publish" {
				err = conn.Publish(c.subject, nil)
			} else {
				_, err = conn.SubscribeSync(c.subject)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
		if got != c.refused {
			t.Errorf("%s may %s %s: %v", c.user, c.verb, c.subject, !got)
		}
	}
}
