//go:build linux

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The steps of action.yml install the release, and fail a branch that adds a problem.
func TestAction(t *testing.T) {
	r := givenRelease(t)
	needs(t, "bash", "curl", "git")
	here(t, r)
	var action struct {
		Runs struct{ Steps []struct{ Run string } }
	}
	if err := yaml.Unmarshal(content(t, "action.yml"), &action); err != nil || len(action.Runs.Steps) != 2 {
		t.Fatalf("%v: %+v", err, action)
	}
	files := httptest.NewServer(http.StripPrefix("/latest/download", http.FileServer(http.Dir(r.assets()))))
	defer files.Close()
	temporary := t.TempDir()
	repository := filepath.Join(temporary, "repository")
	env := []string{
		"RELEASES=" + files.URL, "VERSION=", "RUNNER_TEMP=" + temporary, "GITHUB_PATH=" + filepath.Join(temporary, "path"),
		"SINCE=main", "WORKSPACE=.", "HOME=" + temporary,
	}
	runs(t, "git", "init", "-q", "-b", "main", repository)
	runsIn(t, repository, env, "bash", "-e", "-c", action.Runs.Steps[0].Run)
	added := strings.TrimSpace(string(content(t, temporary, "path")))
	env = append(env, "PATH="+added+":"+os.Getenv("PATH"), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	shell := func(commands string) { t.Helper(); runsIn(t, repository, env, "bash", "-e", "-c", commands) }
	check := action.Runs.Steps[1].Run

	shell("issues-index new Old --body '' && sed -i 's/^status: .*/status: nonsense/' .wrangler/issues/*.md")
	shell("git add . && git commit -qm Old && git switch -qc work")
	shell("issues-index new New --body '' && git add . && git commit -qm New")
	shell(check) // a problem of the main branch is not the branch's
	shell("sed -i 's/^status: .*/status: another/' .wrangler/issues/*-new.md && git commit -qam Worse")
	c := exec.CommandContext(t.Context(), "bash", "-e", "-c", check)
	c.Dir, c.Env = repository, append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "another") {
		t.Errorf("the branch passes: %v: %s", err, out)
	}
}
