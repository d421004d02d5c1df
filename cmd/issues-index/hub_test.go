//go:build !windows

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/index/team/natstest"
	"issues-index/store/mirror"
)

// callText calls a tool over standard input and returns the text of the answer.
func (s *serving) callText(t *testing.T, tool string, arguments map[string]any) string {
	t.Helper()
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(s.in, "%s\n", message); err != nil {
		t.Fatal(err)
	}
	for s.answers.Scan() {
		var answer struct {
			ID     int
			Result struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal(s.answers.Bytes(), &answer); err != nil {
			t.Fatalf("%s: %v", s.answers.Bytes(), err)
		}
		if answer.ID == 1 && len(answer.Result.Content) > 0 {
			return answer.Result.Content[0].Text
		}
	}
	t.Fatal("the server has ended")
	return ""
}

// teamEnvironment is that of a machine of a team.
func teamEnvironment(cluster *natstest.Cluster, user string, more ...string) []string {
	o := cluster.Options(user)
	return append([]string{"ISSUES_INDEX_TEAM_URL=" + strings.Join(o.URLs, ","), "ISSUES_INDEX_TEAM_CREDENTIALS=" + o.Credentials, "ISSUES_INDEX_OUTPUT=text"}, more...)
}

// shown waits until a hub lists something.
func shown(ctx context.Context, t *testing.T, hub *serving, what string) {
	t.Helper()
	list := ""
	for ; !strings.Contains(list, what); list = hub.callText(t, "issues_list", nil) {
		if ctx.Err() != nil {
			t.Fatalf("the hub shows %q", list)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A hub shows what a machine has published, and what is written through it is in the file of
// that machine and shown by the hub at once.
func TestHubsShowAndWriteWhatMachinesHave(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*hangs)
	defer cancel()
	cluster := natstest.Start(t, 1)
	root := filepath.Join(t.TempDir(), "api")
	file := filepath.Join(root, ".wrangler", "issues", "ISS-000001-rain.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("---\nid: ISS-000001\ntitle: Rain\ntype: issue\nstatus: open\n---\n\nIt rains.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A server over HTTP publishes also while nobody says anything on its standard input.
	owner := startProgram(ctx, t, teamEnvironment(cluster, natstest.API, "ISSUES_INDEX_TEAM_WORKSPACE=api"), "serve", "--workspace", root, "--http", "127.0.0.1:0")
	dir := filepath.Join(t.TempDir(), "hub")
	hub := startProgram(ctx, t, teamEnvironment(cluster, natstest.Hub), "hub", "--dir", dir)
	shown(ctx, t, hub, "api:ISS-000001")

	t.Run("writes go to the file, and are shown at once", func(t *testing.T) {
		answer := hub.callText(t, "issues_update", map[string]any{"id": "api:ISS-000001", "title": "Snow"})
		if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), "title: Snow") {
			t.Fatalf("%s, %v: %q", data, err, answer)
		}
		if !strings.HasPrefix(answer, "Updated api:ISS-000001\n") || strings.Contains(answer, "in the workspace") || strings.Contains(answer, "not shown") {
			t.Errorf("it answers %q", answer)
		}
		if list := hub.callText(t, "issues_list", nil); !strings.Contains(list, "Snow") {
			t.Errorf("the hub shows %q", list)
		}
	})
	t.Run("claims are those of the caller", func(t *testing.T) {
		answer := hub.callText(t, "issues_claim", map[string]any{"operation": "next", "workspace": "api"})
		if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), "in_progress") {
			t.Errorf("%s, %v: %q", data, err, answer)
		}
	})
	t.Run("a machine that is away takes no writes", func(t *testing.T) {
		_ = owner.in.Close()
		if err := owner.Wait(); err != nil {
			t.Fatal(err)
		}
		answer := hub.callText(t, "issues_update", map[string]any{"id": "api:ISS-000001", "title": "Hail"})
		if !strings.Contains(answer, "No machine with the files of api is connected; nothing was changed.") {
			t.Errorf("it answers %q", answer)
		}
		if list := hub.callText(t, "issues_list", nil); !strings.Contains(list, "Snow") {
			t.Errorf("the hub shows %q", list)
		}
	})
	if _, err := os.Stat(filepath.Join(dir, "api", mirror.ManifestPath)); err != nil {
		t.Error(err)
	}
	_ = hub.in.Close()
	if err := hub.Wait(); err != nil {
		t.Error(err)
	}
}
