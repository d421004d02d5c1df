//go:build !windows

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder that is cloned again, or restored, under a running server.
func TestAServerServesTheFolderThatIsThereNow(t *testing.T) {
	workspace := filepath.Join(t.TempDir(), "sample")
	if err := copySample(workspace); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), hangs)
	defer cancel()
	serve := startServing(ctx, t, workspace)
	log := make(chan string)
	go func() {
		said, _ := io.ReadAll(bufio.NewReader(serve.log))
		log <- string(said)
	}()
	ask := func(tool, arguments, want string) {
		t.Helper()
		if _, err := fmt.Fprintf(serve.in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", tool, arguments); err != nil {
			t.Fatal(err)
		}
		if !serve.answers.Scan() || !strings.Contains(serve.answers.Text(), want) {
			t.Fatalf("%s answers %q, want %q in it; %v", tool, serve.answers.Text(), want, serve.answers.Err())
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	exists := func(dir, pattern string, want bool) {
		t.Helper()
		if found, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || (len(found) > 0) != want {
			t.Errorf("%s has %q as %s, %v", dir, found, pattern, err)
		}
	}
	ask("issues_list", `{"limit":1}`, "Showing 1 of 19")
	ask("session_get", `{}`, "No session")

	must(os.Rename(workspace, workspace+"-old"))
	for range 2 {
		ask("issues_list", `{"limit":1}`, "Error [CONFIGURATION_ERROR]: The workspace's folder '"+workspace+"' does not exist. Tell the user, and call again when it is back")
		ask("session_get", `{}`, "does not exist")
		ask("issues_create", `{"title":"Lost","description":"x"}`, "does not exist")
	}

	must(os.MkdirAll(filepath.Join(workspace, ".wrangler/sessions/2026-01-01-abcdef0-1234"), 0o755))
	must(os.WriteFile(filepath.Join(workspace, ".wrangler/sessions/2026-01-01-abcdef0-1234/context.json"),
		[]byte(`{"id":"2026-01-01-abcdef0-1234","specFile":"a.md","status":"running","currentPhase":"plan","startedAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"}`), 0o644))
	ask("issues_list", `{"limit":1}`, "No issues match")
	ask("issues_create", `{"title":"Kept","description":"x"}`, "ISS-000001")
	ask("issues_list", `{}`, "Kept")
	ask("session_get", `{}`, "2026-01-01-abcdef0-1234")
	exists(workspace, ".wrangler/issues/ISS-000001-kept.md", true)

	must(serve.in.Close())
	said := <-log
	if err := serve.Wait(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	if !strings.Contains(said, "another folder is at the workspace's path") || strings.Contains(said, "level=ERROR") {
		t.Errorf("it logged %s", said)
	}
	exists(workspace, ".wrangler/cache/telemetry.db", true)
	exists(workspace+"-old", ".wrangler/issues/*kept.md", false)
	exists(workspace, ".wrangler/cache/*-wal", false)
}
