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
	"syscall"
	"testing"

	"issues-index/tools/config"
)

// A running server follows its configuration file, and SIGHUP, without an end.
func TestServeFollowsItsConfiguration(t *testing.T) {
	workspace := filepath.Join(t.TempDir(), "sample")
	if err := copySample(workspace); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(workspace, filepath.FromSlash(config.DefaultFile))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	save := func(contents string) {
		t.Helper()
		if err := os.WriteFile(file+".new", []byte(contents), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	save("defaultPageSize: 2\n")

	ctx, cancel := context.WithTimeout(context.Background(), hangs)
	defer cancel()
	serve := startServing(ctx, t, workspace)
	log := bufio.NewScanner(serve.log)
	ask := func(request, want string) {
		t.Helper()
		if _, err := fmt.Fprintln(serve.in, request); err != nil {
			t.Fatal(err)
		}
		if !serve.answers.Scan() || !strings.Contains(serve.answers.Text(), want) {
			t.Fatalf("answer %q, want %q in it; %v", serve.answers.Text(), want, serve.answers.Err())
		}
	}
	waitFor := func(want string) {
		t.Helper()
		for log.Scan() {
			if strings.Contains(log.Text(), want) {
				return
			}
		}
		t.Fatalf("never logged: %s", want)
	}
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"issues_list","arguments":{}}}`
	ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, `"result"`)
	ask(list, "Showing 2 of 19")

	save("defaultPageSize: 3\n")
	ask(list, "Showing 3 of 19")
	waitFor(`msg="configuration changed" key=defaultPageSize old=2 new=3 from=.wrangler/config/issues-index.yaml:1`)

	save("# nothing\ndefaultPageSize: 5000\n")
	ask(list, "Showing 3 of 19")
	waitFor(`msg="configuration is refused and the last good one stays" file=.wrangler/config/issues-index.yaml line=2 reason="invalid defaultPageSize`)

	if err := serve.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	waitFor("configuration is read again, as asked")
	waitFor("configuration is refused")
	ask(list, "Showing 3 of 19")

	save("defaultPageSize: 4\nlogLevel: warn\n")
	ask(list, "Showing 4 of 19")
	waitFor("key=defaultPageSize old=3 new=4")

	const write = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"issues_create","arguments":{"title":"%d","description":"x"}}}`
	save("priorities: [p2, p1]\n")
	ask(fmt.Sprintf(write, 1), "Created")
	save("# nothing\nprorities: [p2, p1]\n")
	ask(fmt.Sprintf(write, 2), `the last good one stays: .wrangler/config/issues-index.yaml:2: unknown key \"prorities\": did you mean priorities?`)
	ask(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"issues_list","arguments":{"priority":"p1"}}}`, "No issues match")
	save("priorities: [p2, p1]\n")
	ask(fmt.Sprintf(write, 3), `ISS-000061-3.md"}],"structuredContent"`) // and no note
	if err := serve.in.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, serve.log); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Error(err)
	}
}
