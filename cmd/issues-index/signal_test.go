//go:build !windows

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestServeEndsAtASignal(t *testing.T) {
	workspace := filepath.Join(t.TempDir(), "sample")
	if err := copySample(workspace); err != nil {
		t.Fatal(err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(fmt.Sprintf("%v: what was asked is answered, then it exits 0 with the index closed", signal), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), hangs)
			defer cancel()
			serve := startServing(ctx, t, workspace)
			for _, request := range []string{
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"issues_stats","arguments":{"groupBy":"type"}}}`,
			} {
				if _, err := fmt.Fprintln(serve.in, request); err != nil {
					t.Fatal(err)
				}
				if !serve.answers.Scan() || !strings.Contains(serve.answers.Text(), `"result"`) {
					t.Fatalf("answer %q, %v", serve.answers.Text(), serve.answers.Err())
				}
			}
			if err := serve.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if serve.answers.Scan() {
				t.Errorf("said unasked: %s", serve.answers.Text())
			}
			logged, err := io.ReadAll(serve.log)
			if err = errors.Join(err, serve.Wait()); err != nil {
				t.Errorf("%v\n%s", err, logged)
			}
			left, err := filepath.Glob(filepath.Join(workspace, ".wrangler", "cache", "*-wal"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestServeEndsAtASignalThoughNobodyReadsItsAnswers(t *testing.T) {
	workspace := filepath.Join(t.TempDir(), "sample")
	if err := copySample(workspace); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), hangs)
	defer cancel()
	serve := startServing(ctx, t, workspace)
	for id := range 100 { // far more than a pipe holds
		if _, err := fmt.Fprintf(serve.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", id); err != nil {
			t.Fatal(err)
		}
	}
	if !serve.answers.Scan() { // it has read what was written, and is at its answers
		t.Fatal(serve.answers.Err())
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	logged, err := io.ReadAll(serve.log) // up to its end
	if err != nil || !strings.Contains(string(logged), "the client does not read its answers") {
		t.Errorf("%v\n%s", err, logged)
	}
	_ = serve.Wait()
	if code := serve.ProcessState.ExitCode(); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
}
