//go:build !windows

package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"issues-index/tools/config"
	"issues-index/tools/dashboard"
)

// tellOfPublishing looks at a workspace, of which everything is published, beside a process that
// publishes it and without one.
func tellOfPublishing(t *testing.T, getenv func(string) string, root string) {
	health := func() (r dashboard.HealthReport) {
		t.Helper()
		got := runWith(t, getenv, root, "health", "--json")
		if err := json.Unmarshal([]byte(got.out), &r); got.code != 0 || err != nil || r.Team == nil || r.Team.Process == nil {
			t.Fatalf("%+v, %v", got, err)
		}
		return r
	}
	shows := func(lines ...string) {
		t.Helper()
		got := runWith(t, getenv, root, "health")
		for _, line := range lines {
			if !regexp.MustCompile(`(?m)^` + line + `$`).MatchString(got.out) {
				t.Errorf("no line %s in\n%s", line, got.out)
			}
		}
	}
	plantFiles(t, root, map[string]string{".wrangler/issues/ISS-000901-waits.md": "---\nid: ISS-000901\ntitle: Waits\nstatus: open\n---\n"})
	if team := health().Team; team.Process.Running || team.Waiting != 1 || team.Branch != "main" {
		t.Errorf("%+v, %+v", team, team.Process)
	}
	shows(`published +by no process at the moment: .*`, `waiting +1 document`)

	ctx, end := context.WithTimeout(t.Context(), hangs)
	defer end()
	environment := []string{config.UserFileVariable + "="}
	for _, name := range []string{"ISSUES_INDEX_TEAM_URL", "ISSUES_INDEX_TEAM_CREDENTIALS", "ISSUES_INDEX_TEAM_WORKSPACE"} {
		environment = append(environment, name+"="+getenv(name))
	}
	other := startProgram(ctx, t, environment, "publish", "--workspace", root)
	for team := health().Team; team.Branch != "main" || team.Waiting != 0 || !team.Connected || !team.Process.Running; team = health().Team {
		if ctx.Err() != nil {
			t.Fatalf("%+v, %+v", team, team.Process)
		}
		time.Sleep(10 * time.Millisecond)
	}
	shows(`published +as the line main of api, by process `+strconv.Itoa(other.Process.Pid)+` on .*`, `last published +20.*`, `cluster +connected since .*`, `waiting +none`, `not used +message \d+ of api: its format is .*`)
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait() // it was killed
	if team := health().Team; team.Process.Running || team.Waiting != 0 || team.Connected {
		t.Errorf("after it was killed: %+v, %+v", team, team.Process)
	}
	if got := runWith(t, func(string) string { return "" }, filepath.Clean(root), "health", "--json"); regexp.MustCompile(`"team"`).MatchString(got.out) {
		t.Errorf("without a team: %s", got.out)
	}
}
