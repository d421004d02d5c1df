//go:build !windows

package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"issues-index/tools/config"
)

// A teamBench is a folder with a cluster that cluster new has configured, and its servers.
type teamBench struct {
	*testing.T
	dir   string
	nodes []*natsserver.Server
	urls  string
}

// startTeam makes a cluster of some nodes as docs/teams.md says, up to its streams.
func startTeam(t *testing.T, nodes int) *teamBench {
	t.Helper()
	b := &teamBench{T: t, dir: t.TempDir()}
	var addresses []string
	for range nodes {
		addresses = append(addresses, freeAddress(t))
	}
	b.urls = "nats://" + strings.Join(addresses, ",nats://")
	if got := runWith(t, b.as(""), b.dir, "cluster", "new", b.file("cluster"), "--nodes", strings.Join(addresses, ","), "--workspaces", "api,web"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	for i := range nodes {
		options, err := natsserver.ProcessConfigFile(b.file("cluster/node" + string(rune('1'+i)) + ".conf"))
		if err != nil {
			t.Fatal(err)
		}
		options.NoSigs, options.NoLog = true, true
		s, err := natsserver.NewServer(options)
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		b.nodes = append(b.nodes, s)
	}
	for _, s := range b.nodes {
		if !s.ReadyForConnections(time.Minute) {
			t.Fatal("a node does not start")
		}
	}
	b.until("the cluster", func() bool {
		return runWith(t, b.as("admin"), b.dir, "cluster", "init").code == 0
	})
	return b
}

// freeAddress has a port above it free, too, for the other nodes.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		above, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port + 2000})
		address := l.Addr().String()
		_ = l.Close()
		if err == nil {
			_ = above.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

func (b *teamBench) file(name string) string { return filepath.Join(b.dir, filepath.FromSlash(name)) }

// as is the environment of a user of the cluster.
func (b *teamBench) as(user string) func(string) string {
	return func(name string) string {
		switch {
		case name == "ISSUES_INDEX_TEAM_URL" && b.urls != "":
			return b.urls
		case name == "ISSUES_INDEX_TEAM_CREDENTIALS" && user != "":
			return b.file("cluster/" + user + ".nk")
		case name == "ISSUES_INDEX_TEAM_WORKSPACE" && (user == "api" || user == "web"):
			return user
		case name == config.UserFileVariable:
			return os.DevNull
		}
		return ""
	}
}

// until waits for a condition.
func (b *teamBench) until(what string, holds func() bool) {
	b.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			b.Fatalf("waited in vain for %s", what)
		}
	}
}

// clone makes a workspace with one open issue.
func (b *teamBench) clone(name string) string {
	b.Helper()
	root := b.file(name)
	plantFiles(b.T, root, map[string]string{".wrangler/issues/ISS-000001-first.md": "---\nid: ISS-000001\ntitle: First\nstatus: open\n---\nText.\n"})
	return root
}

func TestClusterCommands(t *testing.T) {
	b := startTeam(t, 1)
	t.Run("init changes nothing that is right", func(t *testing.T) {
		got := runWith(t, b.as("admin"), b.dir, "cluster", "init", "--json")
		if got.code != 0 || !strings.Contains(got.out, `"replicas": 1`) {
			t.Errorf("%+v", got)
		}
	})
	t.Run("init needs an administrator", func(t *testing.T) {
		got := runWith(t, b.as("api"), b.dir, "cluster", "init")
		if got.code != exitFailed || !strings.Contains(got.errOut, "admin.nk") {
			t.Errorf("%+v", got)
		}
	})
	t.Run("status names streams and machines", func(t *testing.T) {
		root := b.clone("api")
		if got := runWith(t, b.as("api"), root, "publish", "--once"); got.code != 0 {
			t.Fatalf("%+v", got)
		}
		got := runWith(t, b.as("admin"), b.dir, "cluster", "status", "--json")
		var status clusterJSON
		if err := json.Unmarshal([]byte(got.out), &status); err != nil || got.code != 0 || len(status.Problems) > 0 {
			t.Fatalf("%+v, %v", got, err)
		}
		docs := slices.IndexFunc(status.Streams, func(s streamJSON) bool { return s.Name == "DOCS" })
		if docs < 0 || status.Streams[docs].Messages != 2 {
			t.Errorf("%+v", status.Streams)
		}
		if got := runWith(t, b.as("admin"), b.dir, "cluster", "status"); got.code != 0 || !strings.Contains(got.out, "DOCS") {
			t.Errorf("%+v", got)
		}
	})
	t.Run("verify finds what differs, and rebuild sends everything", func(t *testing.T) {
		root := b.file("api")
		if got := runWith(t, b.as("api"), root, "cluster", "verify"); got.code != 0 || !strings.Contains(got.out, "1 document of the line main of api") {
			t.Errorf("%+v", got)
		}
		plantFiles(t, root, map[string]string{".wrangler/issues/ISS-000002-second.md": "---\nid: ISS-000002\n---\n"})
		if got := runWith(t, b.as("api"), root, "cluster", "verify"); got.code != exitFailed || !strings.Contains(got.out, "not published: .wrangler/issues/ISS-000002-second.md") {
			t.Errorf("%+v", got)
		}
		if got := runWith(t, b.as("api"), root, "cluster", "rebuild"); got.code != 0 || !strings.Contains(got.out, "Published 2 documents") {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a user that was added later may publish after a reload", func(t *testing.T) {
		if got := runWith(t, b.as(""), b.dir, "cluster", "add", b.file("cluster"), "docs", "--workspaces", "docs"); got.code != 0 {
			t.Fatalf("%+v", got)
		}
		for _, node := range b.nodes {
			if err := node.Reload(); err != nil {
				t.Fatal(err)
			}
		}
		docs := func(name string) string {
			if name == "ISSUES_INDEX_TEAM_WORKSPACE" {
				return "docs"
			}
			return b.as("docs")(name)
		}
		if got := runWith(t, docs, b.clone("docs"), "publish", "--once"); got.code != 0 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a cluster that is away is an error", func(t *testing.T) {
		b.nodes[0].Shutdown()
		b.nodes[0].WaitForShutdown()
		for _, command := range []string{"init", "status"} {
			got := runWith(t, b.as("admin"), b.dir, "cluster", command)
			if got.code != exitFailed || !strings.Contains(got.errOut, "cannot be reached") {
				t.Errorf("%s: %+v", command, got)
			}
		}
	})
	t.Run("a command needs a team", func(t *testing.T) {
		b.urls = ""
		if got := runWith(t, b.as("admin"), b.dir, "cluster", "status"); got.code != exitFailed || !strings.Contains(got.errOut, "team.url") {
			t.Errorf("%+v", got)
		}
	})
}

// Clones that reach the cluster agree on numbers and claims by the commands alone.
func TestClonesAgreeByTheirCommands(t *testing.T) {
	b := startTeam(t, 1)
	here, there := b.clone("here"), b.clone("there")
	for i, root := range []string{here, there, here} {
		got := runWith(t, b.as("api"), root, "new", "Title "+string(rune('A'+i)))
		if want := "ISS-00000" + string(rune('2'+i)); got.code != 0 || !strings.HasPrefix(got.out, want) || got.errOut != "" {
			t.Errorf("%+v, and not %s", got, want)
		}
	}
	if got := runWith(t, b.as("api"), here, "claim", "ISS-1", "--as", "ann"); got.code != 0 || got.errOut != "" {
		t.Fatalf("%+v", got)
	}
	if got := runWith(t, b.as("api"), there, "claim", "ISS-1", "--as", "bob"); got.code == 0 || !strings.Contains(got.errOut, "ann") {
		t.Errorf("%+v", got)
	}
	plantFiles(t, here, map[string]string{".wrangler/issues/ISS-000001-again.md": "---\nid: ISS-000001\ntitle: Again\n---\n"})
	repair := []string{"check", "--fix", "duplicate-id", "--keep", ".wrangler/issues/ISS-000001-first.md"}
	if got := runWith(t, b.as("api"), here, append(repair, "--dry-run")...); !strings.Contains(got.out, "ISS-000005") || !strings.Contains(got.errOut, "these, or higher ones") {
		t.Errorf("%+v", got)
	}
	if got := runWith(t, b.as("api"), there, "new", "Between"); !strings.HasPrefix(got.out, "ISS-000005") {
		t.Errorf("a preview has drawn a number: %+v", got)
	}
	if got := runWith(t, b.as("api"), here, append(repair, "--yes")...); got.code != 0 || !strings.Contains(got.errOut, "is ISS-000006: the team's counter is past ISS-000005") {
		t.Errorf("%+v", got)
	}
	b.nodes[0].Shutdown()
	b.nodes[0].WaitForShutdown()
	got := runWith(t, b.as("api"), there, "claim", "ISS-1", "--as", "bob")
	if got.code != exitFailed || !strings.Contains(got.errOut, "claim --local claims it in this clone alone") {
		t.Errorf("%+v", got)
	}
	got = runWith(t, b.as("api"), there, "claim", "ISS-1", "--as", "bob", "--local")
	if got.code != 0 || !strings.Contains(got.errOut, "another machine may") {
		t.Errorf("%+v", got)
	}
	if got := runWith(t, b.as("api"), there, "new", "Alone"); got.code != 0 || !strings.Contains(got.errOut, "not agreed with the team") {
		t.Errorf("%+v", got)
	}
}

// What the user calls a workspace is what the team does.
func TestAWorkspaceIsSharedByTheUsersOwnName(t *testing.T) {
	dir := t.TempDir()
	root, other := filepath.Join(dir, "api"), filepath.Join(dir, "other")
	plantFiles(t, root, map[string]string{".wrangler/issues/ISS-000001-a.md": "---\nid: ISS-000001\n---\n"})
	plantFiles(t, other, map[string]string{".wrangler/issues/ISS-000001-a.md": "---\nid: ISS-000001\n---\n"})
	c := &config.Config{Team: config.TeamSettings{URLs: []string{"nats://localhost"}}, Workspaces: map[string]string{"api": root, "Other One": other}}
	for _, s := range []struct {
		given, root string
		isStart     bool
		want        string
	}{
		{"", root, true, "api"},
		{"", root, false, "api"},
		{"", other, true, ""},
		{"mine", other, true, "mine"},
		{"mine", root, true, "mine"},
		{"mine", root, false, "api"},
		{"mine", other, false, ""},
	} {
		c.Team.Workspace = s.given
		if got := sharedAs(c, s.root, s.isStart); got != s.want {
			t.Errorf("%+v: %q", s, got)
		}
	}
	c.Team.URLs = nil
	if got := sharedAs(c, root, true); got != "" {
		t.Errorf("without a team it is shared as %q", got)
	}
}
