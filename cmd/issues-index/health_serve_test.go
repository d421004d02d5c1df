//go:build !windows

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"issues-index/tools/config"
)

var loggedURL = regexp.MustCompile(`serving pages" url=(http://127\.0\.0\.1:\d+/)`)

func TestServeWithADashboard(t *testing.T) {
	workspace := filepath.Join(t.TempDir(), "sample")
	if err := copySample(workspace); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	serve := startServing(ctx, t, workspace, "--http-addr", ":0")
	logged := bufio.NewScanner(serve.log)
	var url string
	for url == "" && logged.Scan() {
		if found := loggedURL.FindStringSubmatch(logged.Text()); found != nil {
			url = found[1]
		}
	}
	if url == "" {
		t.Fatal("the address is not in the log")
	}
	rest := make(chan struct{})
	go func() {
		defer close(rest)
		_, _ = io.Copy(io.Discard, serve.log)
	}()
	fetch := func(path string) (string, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path, http.NoBody)
		if err != nil {
			return "", err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return "", err
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		return answer.Status + "\n" + string(body), err
	}

	for i, request := range []string{
		`"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`,
		`"method":"tools/call","params":{"name":"issues_list","arguments":{"limit":3}}`,
		`"method":"tools/call","params":{"name":"issues_get","arguments":{"id":"none"}}`,
		`"method":"tools/call","params":{"name":"issues_get","arguments":{"id":"neither"}}`,
	} {
		if _, err := fmt.Fprintf(serve.in, `{"jsonrpc":"2.0","id":%d,%s}`+"\n", i, request); err != nil {
			t.Fatal(err)
		}
		if !serve.answers.Scan() {
			t.Fatalf("no answer to %s: %v", request, serve.answers.Err())
		}
	}

	t.Run("it counts the calls that were made", func(t *testing.T) {
		page, err := fetch("metrics")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			`issues_index_calls_total{tool="issues_get",outcome="ISSUE_NOT_FOUND"} 2`,
			`issues_index_response_bytes_count{tool="issues_list"} 1`,
			`issues_index_documents 19`,
		} {
			if !strings.Contains(page, line+"\n") {
				t.Errorf("%s is not in\n%s", line, page)
			}
		}
		if page, err := fetch("healthz"); err != nil || !strings.HasPrefix(page, "200 ") {
			t.Errorf("health: %v, %s", err, page)
		}
	})

	t.Run("another server cannot have the address, and says so", func(t *testing.T) {
		address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
		second := exec.CommandContext(ctx, "issues-index", "serve", "--workspace", workspace, "--http-addr", address)
		said, err := second.CombinedOutput()
		if second.ProcessState.ExitCode() != exitFailed || !strings.Contains(string(said), address) || !strings.Contains(string(said), "in use") {
			t.Errorf("%v: %s", err, said)
		}
		// The same address in the environment is that of many servers.
		third := exec.CommandContext(ctx, "issues-index", "serve", "--workspace", workspace)
		third.Stdin = strings.NewReader("") // with the null device it would have nothing to serve over
		third.Env = append(third.Environ(), "ISSUES_INDEX_HTTP_ADDR="+address)
		said, err = third.CombinedOutput()
		if err != nil || !strings.Contains(string(said), "level=ERROR") || !strings.Contains(string(said), "in use") {
			t.Errorf("%v: %s", err, said)
		}
	})

	t.Run("it follows the configuration", func(t *testing.T) {
		file := filepath.Join(workspace, filepath.FromSlash(config.DefaultFile))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, on := range []string{"false", "true"} {
			want := `"on":` + on
			if err := os.WriteFile(file, []byte("telemetry: {enabled: "+on+"}\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			for {
				page, err := fetch("healthz")
				if err != nil {
					t.Fatalf("telemetry never became %s: %v", want, err)
				}
				if strings.Contains(strings.ReplaceAll(page, " ", ""), want) {
					break
				}
			}
		}
	})

	t.Run("it ends with the server", func(t *testing.T) {
		if err := serve.in.Close(); err != nil {
			t.Fatal(err)
		}
		<-rest
		if err := serve.Wait(); err != nil {
			t.Error(err)
		}
		if page, err := fetch("healthz"); err == nil {
			t.Errorf("it still answers: %s", page)
		}
	})

	t.Run("the health command knows of its calls", func(t *testing.T) {
		said, err := exec.CommandContext(ctx, "issues-index", "health", "--workspace", workspace).CombinedOutput()
		if err != nil || !regexp.MustCompile(`(?m)^calls +3 +3$`).Match(said) || !regexp.MustCompile(`(?m)^alert +none$`).Match(said) {
			t.Errorf("%v: %s", err, said)
		}
	})
}
