//go:build !windows

package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

func TestPublishOnce(t *testing.T) {
	root := t.TempDir()
	if err := copySample(root); err != nil {
		t.Fatal(err)
	}
	t.Run("needs a team", func(t *testing.T) {
		if got := runIn(t, root, "publish", "--once"); got.code != exitFailed || !strings.Contains(got.errOut, "team.url") {
			t.Errorf("%+v", got)
		}
	})
	cluster := natstest.Start(t, 1)
	options := cluster.Options(natstest.API)
	environment := map[string]string{
		"ISSUES_INDEX_TEAM_URL": strings.Join(options.URLs, ","), "ISSUES_INDEX_TEAM_CREDENTIALS": options.Credentials,
	}
	getenv := func(name string) string { return environment[name] }
	t.Run("needs a name", func(t *testing.T) {
		if got := runWith(t, getenv, root, "publish", "--once"); got.code != exitFailed || !strings.Contains(got.errOut, "--team-workspace") {
			t.Errorf("%+v", got)
		}
	})
	environment["ISSUES_INDEX_TEAM_WORKSPACE"] = "api"

	publish := func(t *testing.T) (done struct{ Published, Removed, Position int }) {
		t.Helper()
		got := runWith(t, getenv, root, "publish", "--once", "--json")
		if err := json.Unmarshal([]byte(got.out), &done); got.code != 0 || err != nil {
			t.Fatalf("%+v, %v", got, err)
		}
		return done
	}
	t.Run("publishes the documents and the manifest, and nothing again", func(t *testing.T) {
		first := publish(t)
		heads := 0
		for h, err := range cluster.Connect(natstest.Hub).Heads(t.Context(), share.BranchSelection{Branches: []string{mirror.Main}}) {
			if heads++; err != nil || h.Gone {
				t.Errorf("%+v, %v", h, err)
			}
		}
		if first.Published < 10 || first.Published != heads-1 { // but for the manifest
			t.Errorf("%+v, and the cluster has %d", first, heads)
		}
		if again := publish(t); again.Published != 0 || again.Removed != 0 || again.Position != first.Position {
			t.Errorf("%+v after %+v", again, first)
		}
	})
	t.Run("publishes what a command has changed", func(t *testing.T) {
		if got := runWith(t, getenv, root, "new", "Published"); got.code != 0 {
			t.Fatalf("%+v", got)
		}
		if got := runWith(t, getenv, root, "publish", "--once"); got.code != 0 || !strings.Contains(got.out, "Published 1 document, and removed 0, as the line main of api.") {
			t.Errorf("%+v", got)
		}
	})
	t.Run("names what is no version", func(t *testing.T) {
		cluster.Overwrite(natstest.API, "docs.api.main.aaaaaaaaaaaaaaaa", []byte("junk"))
		got := runWith(t, getenv, root, "cluster", "verify")
		for _, line := range []string{
			`not used: message \d+ of api: its format is "" and not 1; a newer version of this program may know it`,
			`The cluster has \d+ documents of the line main of api as the files are\.`,
		} {
			if !regexp.MustCompile(`(?m)^`+line+`$`).MatchString(got.out) || got.code != 0 {
				t.Errorf("no line %s in %+v", line, got)
			}
		}
	})
	t.Run("is told of by other processes", func(t *testing.T) { tellOfPublishing(t, getenv, root) })
	t.Run("says what may not be published with the credentials", func(t *testing.T) {
		environment["ISSUES_INDEX_TEAM_WORKSPACE"] = "web"
		if got := runWith(t, getenv, root, "publish", "--once"); got.code != exitFailed || !strings.Contains(got.errOut, "cluster add") {
			t.Errorf("%+v", got)
		}
	})
	t.Run("which check repeats", func(t *testing.T) {
		if got := runWith(t, getenv, root, "check", "not-published"); got.code != exitFailed || !strings.Contains(got.out, "nothing of this workspace can be published") {
			t.Errorf("%+v", got)
		}
		if got := runWith(t, getenv, root, "health"); got.code != 0 || !strings.Contains(got.out, "\nrefused ") {
			t.Errorf("%+v", got)
		}
	})
}
